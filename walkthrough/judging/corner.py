"""A corner of what rounding allows, tried out: where every number was rounded the way that moves one cell furthest.

The numbers between a corner and the middle are all reached, since the calculation has no jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from walkthrough.expressions.bounds.intervals import Interval
from walkthrough.expressions.tree.aliases import Array
from walkthrough.judging.symbols import Known, Symbols
from walkthrough.recording.values import Value


class Calculation(Protocol):
    """What is asked of a calculation with ranges."""

    symbols: Symbols

    def known(self, value: Value) -> Known: ...


def reaches(calculation: Calculation, known: Known, value: Value, row: int, column: int, wanted: Interval) -> bool:
    """Whether a cell gets to an interval on the way from the middle to a corner; `known`: the cell's own forms."""
    at = row * value.shape[1] + column
    signs = np.zeros(len(calculation.symbols) + 1)  # the last one for numbers without a symbol
    middle = _computed(calculation, value, signs)[row, column]
    if known.forms.coefficients is not None:
        signs[known.ids] = np.sign(known.forms.coefficients[at])
    if middle > wanted[1]:
        signs = -signs
    end = _computed(calculation, value, signs)[row, column]
    return bool(np.isfinite(middle + end) and min(middle, end) <= wanted[1] and wanted[0] <= max(middle, end))


def _computed(calculation: Calculation, value: Value, signs: Array) -> Array:
    """A value from its operands at a corner."""
    found: dict[Value, Array] = {}
    waiting = list(value.inputs)
    with np.errstate(all="ignore"):
        while waiting:
            step = waiting[-1]
            known = calculation.known(step)
            missing = [] if _is_held(step, known) else [one for one in step.inputs if one not in found]
            waiting += missing
            if not missing:
                waiting.pop()
                found[step] = _moved(step, known, found, signs)
        assert value.operation is not None
        return value.operation.forward(*(found[one] for one in value.inputs), **value.settings)


def _is_held(value: Value, known: Known) -> bool:
    """Whether no number of a value is computed: all are given or printed."""
    return value.operation is None or (known.held is not None and not np.isnan(known.held).any())


def _moved(value: Value, known: Known, found: Mapping[Value, Array], signs: Array) -> Array:
    """A value with every number moved by its own rounding."""
    array = value.array
    if value.operation is not None and not known.exact.all():
        if _is_held(value, known):
            array = np.reshape(known.held, value.shape)  # type: ignore[arg-type]
        else:
            array = value.operation.forward(*(found[one] for one in value.inputs), **value.settings)
            if known.held is not None:
                held = known.held.reshape(value.shape)
                array = np.where(np.isnan(held), array, held)
    if known.own is None or known.half is None:
        return array
    moved: Array = array + (signs[known.own] * known.half).reshape(value.shape)
    return moved
