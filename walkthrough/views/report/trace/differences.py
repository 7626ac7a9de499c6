"""What has changed between a calculation with other numbers of some steps and the same one without."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.recording.selectors import is_look_inside
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record

TOLERANCE = 1e-12
"""Smaller changes are roundings."""


class Difference(Record):
    """A step that differs.

    before:      the same step without that; None where there was none, or one of another shape
    row, column: the cell with the largest change, from 0; where there is nothing to compare with the first one
    """

    value: Value
    before: Value | None
    row: int = 0
    column: int = 0


def find_differences(trace: Trace) -> Iterator[Difference]:
    """The steps that differ by more than roundings, in the order of the calculation; none without a what-if."""
    for value in trace if trace.before is not None else ():
        before = trace.before_of(value)
        if before is None:
            yield Difference(value, None)
        elif (cell := _largest_change(value, before)) is not None:
            yield Difference(value, before, *cell)


def _largest_change(value: Value, before: Value) -> tuple[int, int] | None:
    """The cell that has changed most; another id is the largest change there is. None where none has."""
    new, old = value.array, before.array
    with np.errstate(invalid="ignore"):
        change = np.where((new == old) | (np.isnan(new) & np.isnan(old)), 0.0, np.abs(new - old))
    change[np.isnan(change)] = np.inf
    for column in value.kind.ids:
        change[:, column] = np.where(change[:, column] > 0, np.inf, 0.0)
    if not (change > TOLERANCE).any():
        return None
    row, column = divmod(int(change.argmax()), change.shape[1])
    return row, column


def predictions(trace: Trace) -> Iterator[Difference]:
    """The last prediction of each pass, beside what it was, if it was made."""
    for value in trace:
        if value.kind.outcome == "prediction" and not is_look_inside(value.path):
            before = trace.before.get(value.path) if trace.before is not None else None
            yield Difference(value, before, value.shape[0] - 1)
