"""Which mistake is told: none that another step contradicts, and none of numbers that nobody knows a mistake for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.comparing.test_compare import compared, recalculated
from tests.examples import slow
from tests.mistakes.layered import TRACE
from walkthrough.mistakes.search import hypotheses
from walkthrough.recording.recalculation import Recalculation


def parallel() -> dict[str, np.ndarray]:
    """Attention and feed-forward side by side, each with its own norm."""
    beside = recalculated(TRACE, "decoder.1.residual_1", lambda x, y: x, np.float64)
    total = TRACE["decoder.1.residual_1"].array + beside["decoder.1.feed_forward.output"]
    names = ("norm_1.output", "self_attention.output", "norm_2.output", "feed_forward.output")
    return {f"decoder.1.{name}": beside[f"decoder.1.{name}"] for name in names} | {"decoder.1.residual_2": total}


def test_what_another_step_contradicts_is_no_cause() -> None:
    """Without the attention in the residual the layer would end in other numbers."""
    found = compared(TRACE, parallel())
    assert found.first is not None
    assert found.first.value.path == "decoder.1.norm_2.output"
    assert found.cause == "computed from token_embedding instead of decoder.1.residual_1"
    given = {
        **parallel(),
        "decoder.1.residual_2": TRACE["token_embedding"].array + parallel()["decoder.1.feed_forward.output"],
    }
    cause = compared(TRACE, given).cause or ""
    assert cause.startswith("nothing was added: these are the numbers of token_embedding")


def with_inputs(path: str, tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A step and what it is computed from."""
    wanted = {path, *(value.path for value in TRACE[path].inputs)}
    return {name: array for name, array in tensors.items() if name in wanted}


UNKNOWN: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "cubed": lambda x: x**3 / 100,
    "capped": lambda x: 3 * np.tanh(x / 3),
    "rounded": lambda x: np.round(x, 1),
    "in another order": lambda x: x[[1, 0, 2, 3, 4]],
    "the largest alone": lambda x: np.where(x == x.max(axis=1, keepdims=True), x, 0),
    "noise": lambda x: x + np.random.default_rng(1).normal(0, 0.01, x.shape),
}


@pytest.mark.parametrize("name", UNKNOWN)
@pytest.mark.parametrize(
    "step",
    ["norm_1.output", "feed_forward.activation", *map(slow, ("self_attention.head.1.scores", "residual_2"))],
)
def test_a_mistake_that_nobody_knows_is_given_no_name(step: str, name: str) -> None:
    path = f"decoder.1.{step}"
    forward = TRACE[path].operation.forward  # type: ignore[union-attr]
    theirs = recalculated(TRACE, path, lambda *x, **settings: UNKNOWN[name](forward(*x, **settings)), np.float32)
    found = compared(TRACE, with_inputs(path, theirs))
    assert found.first is not None
    assert (found.first.value.path, found.cause) == (path, None)


def test_the_kind_of_a_fault_is_the_word_that_marks_have() -> None:
    theirs = recalculated(TRACE, "decoder.1.residual_1", lambda x, y: x + 2 * y, np.float64)
    (fault,) = compared(TRACE, with_inputs("decoder.1.residual_1", theirs)).faults
    assert (fault.kind, fault.cause) == ("added_twice", "decoder.1.self_attention.output is added twice")


def test_from_logits_alone_what_all_layers_may_have_otherwise_is_tried_first() -> None:
    """Of a large model there is time for little else; where one layer alone is open, nothing is tried so."""
    logits = TRACE["output_head.logits"]
    first = next(hypotheses(logits, Recalculation(), TRACE))
    assert first.mistake.key == "activation.name"
    layers = [f"decoder.{layer}.feed_forward.activation" for layer in (1, 2, 3)]
    assert [step.path for step in first.changes] == layers
    known = Recalculation({TRACE[path]: TRACE[path].array for path in layers})
    assert next(hypotheses(logits, known, TRACE)).mistake.key != "activation.name"
    changed = Recalculation(first.changes)
    np.testing.assert_array_equal(first.array, changed.compute(logits))
