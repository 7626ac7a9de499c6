"""What is right for a number that is asked for alone: what one step's arithmetic reaches from the numbers shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from walkthrough.judging.assumption import copies
from walkthrough.judging.bounds import Bounds
from walkthrough.operations.definition import Array
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

Numbers = Callable[[Value], Array]


def reach_of(value: Value, digits: Digits, numbers: Numbers) -> Bounds:
    """The bounds of a step whose computed operands may be anywhere within half a unit of the last digit shown.

    Given numbers are exact. What people look up, e among it, may be rounded to the digits asked for.

    numbers: those of the steps that it is computed from
    """
    bounds = Bounds(lambda one: digits if one is value else None, rounds_e=True)
    for given in dict.fromkeys(value.inputs):
        array = numbers(given)
        half = np.zeros(array.shape)
        if not is_exact(given) and given.digits is not None:
            rounded = given.digits.round(array)  # of one with more digits either may be gone on with
            unit = given.digits.unit(np.where(array == 0, 1.0, array)) / 2
            half = np.where(np.isfinite(array), unit + np.abs(rounded - array), 0.0)
        bounds.give(given, np.stack([array - half, array + half]))
    return bounds


def is_exact(value: Value) -> bool:
    """Whether a value is given, or has copied given numbers."""
    return value.operation is None or (copies(value) and all(map(is_exact, value.inputs)))
