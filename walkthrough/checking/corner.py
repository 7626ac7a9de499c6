"""A corner of what rounding allows, tried out: where every number was rounded the way that moves one cell furthest.

The numbers between a corner and the middle are all reached, since the calculation has no jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from walkthrough.checking.symbols import Known, Symbols
from walkthrough.expressions.intervals import Interval
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value


class Calculation(Protocol):
    """What is asked of a calculation with ranges."""

    symbols: Symbols

    def known(self, value: Value) -> Known: ...
    def printed(self, value: Value) -> Mapping[tuple[int, int], Interval]: ...


def reaches(
    calculation: Calculation, known: Known, value: Value, row: int, column: int, wanted: Interval
) -> bool:
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
            missing = [] if _is_known(calculation, step) else [one for one in step.inputs if one not in found]
            waiting += missing
            if not missing:
                waiting.pop()
                found[step] = _moved(calculation, step, found, signs)
        assert value.operation is not None
        return value.operation.forward(*(found[one] for one in value.inputs), **value.settings)


def _is_known(calculation: Calculation, value: Value) -> bool:
    """Whether no number of a value is computed: all are given or printed."""
    return value.operation is None or len(calculation.printed(value)) == value.array.size


def _moved(calculation: Calculation, value: Value, found: Mapping[Value, Array], signs: Array) -> Array:
    """A value with every number moved by its own rounding."""
    known = calculation.known(value)
    forms = known.forms
    held = np.where(np.isfinite(forms.rest), forms.centre, forms.low).reshape(value.shape)
    if value.operation is None:
        held = value.array
    elif not _is_known(calculation, value):
        held = value.operation.forward(*(found[one] for one in value.inputs), **value.settings).copy()
        for row, column in calculation.printed(value):
            at = row * value.shape[1] + column
            held[row, column] = forms.centre[at] if np.isfinite(forms.rest[at]) else forms.low[at]
    if known.own is None or known.half is None:
        return held
    return held + (signs[known.own] * known.half).reshape(value.shape)
