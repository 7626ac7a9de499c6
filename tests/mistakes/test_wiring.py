"""Parts of a model put together otherwise: their numbers are those of another scenario, and the cause is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.comparing.test_compare import compared
from tests.mistakes import classic, modern
from tests.mistakes.layered import LAYERS, model
from tests.mistakes.modern import WIDTH, Fault
from walkthrough.recording.trace import Trace

ELSEWHERE: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    (
        "computed from encoder.1.norm_1.output instead of input",
        classic.LAYER + "residual_1",
        lambda t: t[classic.LAYER + "norm_1.output"].array + t[classic.LAYER + "attention.output"].array,
    ),
    (
        "the norm is missing: computed from input instead of encoder.1.norm_1.output",
        classic.HEAD + "query",
        lambda t: t["input"].array @ t[classic.HEAD + "w_q"].array + t[classic.HEAD + "b_q"].array,
    ),
    (
        "computed with the table of embeddings (tied)",
        "output_head.logits",
        lambda t: t["encoder.output"].array @ t["embeddings"].array.T,
    ),
]
MODERN: list[tuple[str, str, Fault]] = [
    ("query and key are swapped", "query", lambda x, w: x @ modern.W["w_k"][:, : modern.EACH]),
    ("key and query are swapped", "key", lambda x, w: x @ modern.W["w_q"][:, : modern.EACH]),
    ("key and value are swapped", "key", lambda x, w: x @ modern.W["w_v"][:, : modern.EACH]),
    (
        "these are the numbers of decoder.1.self_attention.head.3.query",
        "query",
        lambda x, w: x @ modern.W["w_q"][:, 2 * modern.EACH : 3 * modern.EACH],
    ),
]


@pytest.mark.parametrize(("kind", "size"), [(np.float64, 0.1), (np.float32, 1.0)])
def test_scaled_embeddings_are_not_taken_for_a_missing_epsilon(kind: Any, size: float) -> None:
    """A norm divides the factor away, but for epsilon; what is added to the embeddings later shows it."""
    right, theirs = model(LAYERS, size), model(LAYERS, size * WIDTH**0.5)
    names = ("norm_1.output", "self_attention.output", "norm_2.output", "feed_forward.output")
    given = {f"decoder.1.{name}": theirs[f"decoder.1.{name}"].array.astype(kind) for name in names}
    found = compared(right, {"token_embedding": right["token_embedding"].array.astype(kind), **given})
    assert found.first is not None
    assert found.cause in (None, f"token_embedding is multiplied by √{WIDTH}")
    assert found.cause or kind is np.float32


@pytest.mark.parametrize("before", ["", "generate.2."])
def test_another_state_is_named_in_every_pass(before: str) -> None:
    trace = model(LAYERS, generate=2)
    wrong, right = trace[f"{before}decoder.2.residual_1"], trace[f"{before}decoder.2.norm_2.output"]
    path = f"{before}decoder.2.feed_forward.hidden"
    theirs = wrong.array @ trace[path].inputs[1].array
    found = compared(trace, {path: theirs, right.path: right.array, wrong.path: wrong.array})
    assert found.cause == f"the norm is missing: computed from {wrong.path} instead of {right.path}"
