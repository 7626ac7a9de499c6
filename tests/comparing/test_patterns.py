"""What the numbers themselves show: dropout that is on, a factor, rows in another order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.comparing.test_cause import with_inputs
from tests.comparing.test_compare import compared, recalculated
from tests.mistakes.classic import LAYER, model
from tests.mistakes.layered import TRACE


def test_dropout_that_is_on_is_named() -> None:
    trace = model()
    path = LAYER + "feed_forward.output"
    kept = np.random.default_rng(2).random((3, 4)) > 0.3
    found = compared(trace, {path: trace[path].array * kept / 0.8})
    assert found.cause == "dropout is on: some numbers are 0, the others 1.25 times too large (p = 0.2)"


@pytest.mark.parametrize(
    ("words", "change"),
    [
        ("every number is 0.9 times the right one", lambda x: 0.9 * x),
        ("the sign is flipped", lambda x: -x),
        ("each row is one too low (the last comes first)", lambda x: np.roll(x, 1, axis=0)),
    ],
)
def test_what_can_be_seen_is_said_where_no_mistake_is_known(words: str, change: Callable[[Any], Any]) -> None:
    path = "decoder.1.feed_forward.output"
    found = compared(TRACE, with_inputs(path, recalculated(TRACE, path, lambda x, w: change(x @ w), np.float64)))
    assert found.cause == words
