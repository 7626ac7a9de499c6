"""Biases of distance: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

import pytest

from tests.mistakes.modern import HEAD, Fault, distances, model, named


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (lambda x, slope, **_: x + slope * distances(x), "the distance is added instead of subtracted"),
        (lambda x, slope, **_: x - 4 * slope * distances(x), "the slope is four times 0.25"),
        (
            lambda x, **_: x,
            "the step is missing: these are the numbers of decoder.1.self_attention.head.1.scaled_scores",
        ),
    ],
)
def test_a_mistake_in_a_slope_is_named(fault: Fault, cause: str) -> None:
    trace = model(alibi=True, rotary=None)
    assert named(trace, HEAD + "biased_scores", fault) == (HEAD + "biased_scores", cause)
