"""Which numbers are right in a cell, given the numbers that its question shows: what the judge accepts of them."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.aliases import Array
from walkthrough.judging.assumption import copies
from walkthrough.judging.bounds import Bounds
from walkthrough.recording.values import Value
from walkthrough.teaching.sheet import Step

_TINY = 1e-6
"""Of a unit: a number between two may be rounded to either."""


@np.errstate(all="ignore")  # where nothing is known of a number, its bounds are infinite
def intervals(step: Step) -> tuple[Array, Array]:
    """The least and the largest right number of each cell, to the digits asked for.

    Each computed number that goes in may be anywhere within half a unit of its last digit; what people look up may be
    rounded, too. The number by hand and the exact one are always right.
    """
    forms = _bounds(step).compute(step.value).forms
    low, high = forms.low, forms.high
    play = _TINY * step.digits.unit(np.where(step.value.array == 0, 1.0, step.value.array))
    known = np.isfinite(low) & np.isfinite(high)
    least = np.where(known, step.digits.round(np.where(known, low, 0.0) - play), step.value.array)
    most = np.where(known, step.digits.round(np.where(known, high, 0.0) + play), step.value.array)
    certain = np.stack([step.right, np.where(np.isfinite(step.value.array), step.value.array, step.right)])
    return np.fmin(least, certain.min(axis=0)), np.fmax(most, certain.max(axis=0))


def _bounds(step: Step) -> Bounds:
    """What the numbers that go into a step may have been; what is looked up may be rounded to its digits."""
    bounds = Bounds(lambda one: step.digits if one is step.value else None)
    for given in dict.fromkeys(step.value.inputs):
        if not _is_exact(given) and given.digits is not None:
            array = given.array
            half = np.where(np.isfinite(array), given.digits.unit(np.where(array == 0, 1.0, array)) / 2, 0.0)
            bounds.give(given, np.stack([array - half, array + half]))
    return bounds


def _is_exact(value: Value) -> bool:
    """Whether a value is given, or has copied given numbers."""
    return value.operation is None or (copies(value) and all(map(_is_exact, value.inputs)))
