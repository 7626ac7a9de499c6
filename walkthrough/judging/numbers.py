"""The printed numbers of a step as arrays: which numbers round to them, and what they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.bounds.forms import Forms
from walkthrough.expressions.tree.aliases import Array, Flags, Places
from walkthrough.judging.digits import Printed
from walkthrough.judging.prints import PrintedCell
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.recording.values import Value


class PrintedNumbers:
    """Printed numbers of one step, without words.

    at:        their places, counted row by row
    exact:     the right numbers
    low, high: what rounds to each print
    """

    def __init__(self, value: Value, cells: Sequence[PrintedCell]) -> None:
        self.value = value
        self.cells = cells
        self.prints: list[Printed] = [cell.printed for cell in cells if isinstance(cell.printed, Printed)]
        columns = value.shape[1]
        self.at: Places = np.array([cell.row * columns + cell.column for cell in cells], dtype=np.intp)
        self.exact: Array = value.array.ravel()[self.at]
        self.printed = np.array([one.value for one in self.prints], dtype=np.float64)
        self.half = np.array([one.half_unit for one in self.prints], dtype=np.float64)
        slack = np.where(np.isinf(self.printed), 0.0, np.abs(self.printed) * OF_FLOAT64 + self.half)
        self.low, self.high = self.printed - slack, self.printed + slack

    def some(self, which: Flags) -> PrintedNumbers:
        """Some of them."""
        return PrintedNumbers(self.value, [self.cells[at] for at in np.flatnonzero(which).tolist()])

    @property
    def first(self) -> PrintedNumbers:
        """The first print of each number."""
        cells = {(cell.row, cell.column): cell for cell in reversed(self.cells)}
        return self if len(cells) == len(self.cells) else PrintedNumbers(self.value, list(cells.values()))

    def agree_with(self, array: Array) -> Flags:
        """Which of them a step's numbers, rounded to their digits, give: half away from zero, or half to even."""
        numbers = array.ravel()[self.at]
        with np.errstate(invalid="ignore"):
            off, noise = np.abs(numbers - self.printed), OF_FLOAT64 * np.abs(numbers)
            is_finite = np.isfinite(off)
            is_short = np.array([one.is_short for one in self.prints], dtype=bool)
            agrees = np.where(is_finite, (off <= noise) | ((off < self.half - noise) & is_short), False)
            differs = np.where(is_finite, off > self.half + noise, False)
        for at in np.flatnonzero(~agrees & ~differs):  # ties, and long prints
            agrees[at] = self.prints[at].is_rounded(float(numbers[at]))
        return agrees

    def are_near(self, array: Array) -> Flags:
        """Which of them are within half a unit of a step's numbers."""
        numbers = array.ravel()[self.at]
        return (self.low <= numbers) & (numbers <= self.high)

    def meet(self, forms: Forms) -> Flags:
        """Which of them some number within a step's bounds gives."""
        low, high = forms.low.ravel()[self.at], forms.high.ravel()[self.at]
        return (low <= self.high) & (self.low <= high)

    def rounded(self, numbers: Array) -> Array:
        """The numbers in their places, rounded to their digits."""
        return np.array([one.round(number) for one, number in zip(self.prints, numbers.tolist(), strict=True)])

    def correct(self, is_wrong: Flags, keeps_exact: bool) -> tuple[Array, Array, Array]:
        """The right numbers, rounded to their digits, in the place of wrong ones; from where to where each may lie.

        A number that is printed in full stands for itself where `keeps_exact`.
        """
        with np.errstate(invalid="ignore"):
            off = np.abs(self.exact - self.printed)
        is_equal = keeps_exact & ((self.printed == self.exact) | (off <= OF_FLOAT64 * np.abs(self.exact)))
        numbers = self.printed.copy()
        low, high = np.where(is_equal, self.exact, self.low), np.where(is_equal, self.exact, self.high)
        for at in np.flatnonzero(is_wrong):
            printed, exact = self.prints[at], float(self.exact[at])
            numbers[at] = printed.round(exact)
            is_exact = keeps_exact and printed.is_all_of(exact)
            low[at], high[at] = (exact, exact) if is_exact else printed.interval_around(float(numbers[at]))
        return numbers, low, high
