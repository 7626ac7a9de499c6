"""What a calculation from the published numbers could have given: the range of every cell, computed when asked for.

Two calculations are followed. `published` goes on with the numbers as printed, right or wrong; `right` puts the right
number in the place of each that was found wrong. Where nothing is wrong they are the same.
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.bounds.affine import Affine
from walkthrough.expressions.bounds.intervals import FLOAT64, Interval
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.judging.digits import Printed
from walkthrough.judging.plain import Plain
from walkthrough.judging.spread import Spread
from walkthrough.judging.symbols import Known
from walkthrough.recording.values import Value


class Ranges:
    """The ranges of one of the two calculations."""

    def __init__(self, spread: Spread | None = None) -> None:
        self.spread = spread or Spread()

    def fork(self, unprinted: Ranges | None = None) -> Ranges:
        """Another calculation that has begun in the same way; `unprinted`: has the numbers that are not printed."""
        return Ranges(self.spread.fork(unprinted.spread if unprinted else None))

    def carry(self, value: Value, row: int, column: int, printed: Printed, exact: float, right: bool) -> None:
        """Goes on with a printed number, or with the right one in its place, rounded to the same digits."""
        low, high = printed.around(printed.rounded(exact) if right else printed.value)
        is_exact = printed.holds(exact) if right else printed.equals(exact)
        if is_exact and self.spread.roundoff <= FLOAT64:  # a coarser arithmetic has few exact numbers
            low = high = exact
        self.spread.carry(value, row * value.shape[1] + column, low, high)

    def carry_all(self, printed: Plain) -> None:
        """Goes on with the printed numbers of a step, each within half a unit."""
        self.spread.carry(printed.value, printed.at, printed.least, printed.most)

    def cell(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell: as printed, or computed from what is before it."""
        return self.spread.known(value).interval(row * value.shape[1] + column)

    def computed(self, value: Value, row: int, column: int, operands: int | None = None) -> Interval:
        """The interval of a cell computed from its operands, whatever was printed for it itself.

        operands: they were rounded to so many decimals first
        """
        return self.spread.computed(value, operands).interval(row * value.shape[1] + column)

    def reaches(self, value: Value, row: int, column: int, wanted: Interval, operands: int | None = None) -> bool:
        """Whether a cell can come out within an interval; False only where it is certain that it cannot."""
        low, high = self.computed(value, row, column, operands)
        return low <= wanted[1] and wanted[0] <= high

    def is_bounded(self, value: Value, row: int, column: int) -> bool:
        """Whether not every number at all could come out; of a word, not every one be the most probable."""
        if value.names is not None and column == 0:
            return bool(_are_bounded(self.spread.known(value.inputs[0])).reshape(value.inputs[0].shape)[row].all())
        return bool(self.are_bounded(value)[row * value.shape[1] + column])

    def are_bounded(self, value: Value) -> Flags:
        """Of which cells of a value, row by row, not every number at all could come out."""
        return _are_bounded(self.spread.computed(value))

    def may_exceed(self, value: Value, row: int, column: int, other: int) -> bool:
        """Whether a number may be as large as another one of its row."""
        start = row * value.shape[1]
        forms = self.spread.known(value).forms
        one, two = (forms.take(np.array([start + place])) for place in (column, other))
        return bool(Affine(self.spread.roundoff).subtract(one, two).high[0] >= 0)


def _are_bounded(known: Known) -> Flags:
    low, high = known.forms.low, known.forms.high
    return np.asarray(np.isneginf(high) | (np.isfinite(low) & np.isfinite(high)))
