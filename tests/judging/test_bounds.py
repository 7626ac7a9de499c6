"""What a number may have come out as: printed ones within half a unit, unprinted ones as rounded as they may be."""

from __future__ import annotations

import numpy as np

import walkthrough as wt
from walkthrough.judging.bounds import Bounds
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

CHAI = wt.trace(wt.load_scenario("chai"))
HEAD = "encoder.1.attention.head.1."
QUERY, KEY, SCORES, SCALED = (CHAI[HEAD + name] for name in ("query", "key", "scores", "scaled_scores"))


def width(bounds: Bounds, value: Value) -> float:
    forms = bounds.compute(value).forms
    return float((forms.high - forms.low).max())


def within_half(value: Value, half: float) -> np.ndarray:
    return np.stack([value.array - half, value.array + half])


def test_a_copy_goes_its_own_way() -> None:
    first = Bounds()
    first.give(QUERY, within_half(QUERY, 0.05))
    second = first.copy()
    second.give(SCORES, within_half(SCORES, 0.0))
    assert width(second, SCALED) < 1e-9 < width(first, SCALED)


def test_unpublished_steps_are_off_by_half_a_unit_but_not_where_they_are_short() -> None:
    bounds = Bounds(lambda value: Digits(2) if value is SCORES else None)
    forms, units = bounds.carry(SCORES).forms, SCORES.array * 100
    is_short = np.abs(units - np.round(units)) < 1e-9
    np.testing.assert_allclose(forms.high - forms.low, np.where(is_short, 0.0, 0.01), atol=1e-11)
