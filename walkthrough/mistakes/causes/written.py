"""The numbers that somebody wrote into a step, beside those that he should have had."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.records import Record

_HALF, _NEAR = 0.5, 1.5
"""Units: what is rounded to a number; what is rounded to it, or to the number beside it."""
MIN_SIGNIFICANT_DIGITS = 3
"""A number with so many significant digits agrees with another one by chance once in hundreds of times."""
TWO_DIGITS = 2
"""Enough to show that the right number was written otherwise: there are few ways to do so."""


class WrittenNumber(NamedTuple):
    """A number that somebody wrote into a cell.

    wanted:   the decimals asked for
    decimals: those it was written with; None where they cannot be counted
    """

    value: Value
    row: int
    column: int
    number: float
    wanted: int
    decimals: int | None
    is_wrong: bool


class Written(Record, eq=False):
    """The numbers of one step.

    numbers:  as written; NaN where there is none
    expected: what the numbers written before it give, without rounding
    units:    one unit of the last digit asked for
    decimals: how many each was written with; NaN where they cannot be counted
    is_wrong: which of them are wrong
    """

    value: Value
    numbers: Array
    expected: Array
    units: Array
    decimals: Array
    is_wrong: Flags

    @classmethod
    def of(cls, cells: Sequence[WrittenNumber], expected: Array) -> Written:
        """The numbers of a step. expected: what those before it give"""
        shape = cells[0].value.shape
        numbers, decimals = np.full(shape, np.nan), np.full(shape, np.nan)
        units, is_wrong = np.ones(shape), np.zeros(shape, dtype=bool)
        for cell in cells:
            at = cell.row, cell.column
            numbers[at], is_wrong[at], units[at] = cell.number, cell.is_wrong, 10.0**-cell.wanted
            decimals[at] = np.nan if cell.decimals is None else cell.decimals
        return cls(cells[0].value, numbers, expected, units, decimals, is_wrong)

    def row(self, at: int) -> Written:
        """One row of it."""
        return self._each(lambda array: array[at : at + 1])

    def transposed(self) -> Written:
        """Its columns as rows."""
        return self._each(np.transpose)

    def _each(self, change: Callable[[Any], Any]) -> Written:
        arrays = (self.numbers, self.expected, self.units, self.decimals, self.is_wrong)
        return Written(self.value, *map(change, arrays))

    def without(self, cells: Flags) -> Written:
        """As if these cells had been left empty."""
        return self.replace(numbers=np.where(cells, np.nan, self.numbers), is_wrong=self.is_wrong & ~cells)

    @property
    def is_there(self) -> Flags:
        """Where a number was written."""
        return ~np.isnan(self.numbers)

    def is_given_by(self, array: Array) -> Flags:
        """Which of them are these numbers, to the digits asked for."""
        return self._are_near(array, self.numbers, _HALF)

    def is_nearly_given_by(self, array: Array) -> Flags:
        """Or are one unit of the last digit off, and much nearer to these numbers than to the expected ones."""
        with np.errstate(invalid="ignore"):
            off = np.abs(array - self.numbers)
            is_nearer: Flags = off < np.abs(self.expected - self.numbers) / 2
        found: Flags = self.is_given_by(array) | (self.is_beside(array) & is_nearer)
        return found

    def is_beside(self, array: Array) -> Flags:
        """Which of them are these numbers, or one unit of the last digit off."""
        return self._are_near(array, self.numbers, _NEAR)

    def is_just(self, array: Array) -> Flags:
        """Which of them are these numbers, without any rounding."""
        return self._are_near(array, self.numbers, 0.0)

    def is_changed_by(self, array: Array) -> Flags:
        """Where these numbers are others than the expected ones, to the digits asked for."""
        found: Flags = self.is_there & ~self._are_near(array, self.expected, _HALF)
        return found

    def _are_near(self, array: Array, others: Array, units: float) -> Flags:
        with np.errstate(invalid="ignore"):
            slack = units * self.units + OF_FLOAT64 * np.where(np.isfinite(array), np.abs(array), 0.0)
            found: Flags = (array == others) | (np.abs(array - others) <= slack)
        return found

    def has_digits(self, row: int, column: int, least: int = MIN_SIGNIFICANT_DIGITS) -> bool:
        """Whether a number has so many significant digits, zeros at the end apart, and so is evidence by itself."""
        number = float(self.numbers[row, column])
        return bool(np.isfinite(number)) and count_digits(number) >= least

    def count_different_digits(self, where: Flags) -> int:
        """The significant digits of all different numbers; those of one digit agree with others by chance."""
        counts = [count_digits(number) for number in set(self.numbers[where].tolist()) if np.isfinite(number)]
        return sum(count for count in counts if count > 1)

    def varies(self, where: Flags) -> bool:
        """Whether there is more than one number throughout."""
        return len(set(self.numbers[where].tolist())) > 1


def count_digits(number: float) -> int:
    """The significant digits of a number, without zeros at the end."""
    return len(f"{abs(number):.12e}".partition("e")[0].replace(".", "").rstrip("0"))
