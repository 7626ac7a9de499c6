"""Layers in another order, left out or run twice: their numbers are those of another scenario, the cause is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.comparing.test_compare import compared
from tests.examples import slow
from tests.mistakes.layered import LAYERS, TRACE, model

A, B, C = LAYERS
ORDERS: list[tuple[list[dict[str, Any]], str]] = [
    ([C, B, A], "the layers run in reverse order"),
    ([A, C], "decoder.2 is left out"),
    ([A, B, B, C], "decoder.2 runs twice"),
    ([A, A, C], "decoder.1 runs instead of decoder.2"),
    ([A, C, B], "decoder.2 and decoder.3 are swapped"),
    ([B, B, B], "decoder.2 runs instead of every layer"),
    ([A, B, {**C, "norm_2": C["norm_1"]}], "with the parameters of decoder.3.norm_1 instead of decoder.3.norm_2"),
]


@pytest.mark.parametrize(("layers", "cause"), ORDERS, ids=[cause for _, cause in ORDERS])
def test_layers_in_another_order_are_named(layers: list[dict[str, Any]], cause: str) -> None:
    """Their logits alone are compared."""
    found = compared(TRACE, {"output_head.logits": model(layers)["output_head.logits"].array})
    assert (found.cause or "").partition(" (")[0] == cause


@pytest.mark.parametrize(
    ("layers", "cause"),
    [ORDERS[1], *(slow(*one) for one in (ORDERS[0], *ORDERS[2:-1]))],
    ids=[f"order {at}" for at in range(len(ORDERS) - 1)],
)
def test_layers_in_another_order_are_named_in_a_later_pass_too(layers: list[dict[str, Any]], cause: str) -> None:
    """The second pass of a generation reads the first word that was generated, whatever theirs would have chosen."""
    trace = model(LAYERS, generate=2)
    words = trace["generate.2.token_embedding"].array
    theirs = model(layers, embeddings=words)
    np.testing.assert_array_equal(theirs["token_embedding"].array, words)
    found = compared(trace, {"generate.2.output_head.logits": theirs["output_head.logits"].array})
    assert (found.cause or "").partition(" (")[0] == cause.replace("decoder", "generate.2.decoder")
