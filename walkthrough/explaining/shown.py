"""How the numbers of a value are shown: their decimals, or what by-hand arithmetic left of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.explaining.residue import shown_number, without_noise
from walkthrough.notation import LARGE, typeset, write_number, write_scientific
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value, blocks, finite_sizes
from walkthrough.text import escape_label

if TYPE_CHECKING:
    import numpy.typing as npt

    from walkthrough.operations.definition import Array

_MOST_DECIMALS = 15
"""Matrices with more are not aligned: each number is written in its shortest form."""


def decimals_of(value: Value, trace: Trace, decimals: int | None = None) -> int:
    """How many decimals of a value are shown, by default those of the trace.

    A calculation by hand uses the numbers that the scenario states as they are written, so it shows all their digits.
    """
    if trace.exact is None or value.operation is not None or value.digits is not None or value.format is not None:
        return trace.decimals if decimals is None else decimals
    if value.largest >= LARGE:
        return _MOST_DECIMALS + 1
    from decimal import Decimal  # only by-hand arithmetic wants it

    finite = value.array[np.isfinite(value.array)]
    return max(0, *(-int(Decimal(repr(number)).normalize().as_tuple().exponent) for number in finite.tolist()), 0)


class Shown:
    """The texts of one value's numbers: one precision for the whole matrix.

    Whole numbers have no decimals where the matrix has no others; where all numbers are too small for the
    decimals, they have a power of ten; so have shares of a whole where those of most rows are.

    is_whole: whether the matrix has none but whole numbers
    """

    def __init__(self, value: Value, decimals: int) -> None:
        self.value = value
        self.decimals = decimals
        self.is_whole = (
            self._all(float.is_integer, lambda numbers: numbers != np.rint(numbers)) and value.largest < LARGE
        )
        self._tiny = self._has_small_quantities() and not self._all(
            lambda number: number == 0, lambda numbers: numbers != 0
        )
        self._missing = "?" if value.unknown else "nan"

    @classmethod
    def of(cls, value: Value, trace: Trace, decimals: int | None = None) -> Shown:
        """Those of a value of a trace; `decimals` as in `decimals_of`."""
        return cls(value, decimals_of(value, trace, decimals))

    def _has_small_quantities(self) -> bool:
        """Whether all numbers would be shown as 0; beside ids, or of shares, whose rows are told apart, most rows."""
        value, limit = self.value, 0.5 * 10.0**-self.decimals
        if value.kind.ids:
            sizes = finite_sizes(value.quantities(value.array))
        elif value.kind.is_distribution:
            sizes = np.array(
                [size for _, block in blocks(value.array) for size in finite_sizes(block).max(axis=1, initial=0.0)]
            )
        else:
            largest = (finite_sizes(block).max(initial=0.0) for _, block in blocks(value.array))
            return all(size < limit for size in largest) and value.largest > 0
        sizes = sizes[sizes > 0]
        return bool(2 * (sizes < limit).sum() > sizes.size)

    def _all(self, is_so: Callable[[float], bool], chosen: Callable[[Array], npt.NDArray[np.bool_]]) -> bool:
        """Whether something is so of all finite numbers chosen, as they are shown."""
        places = (
            (first + int(row), int(column))
            for first, block in blocks(self.value.array)
            for row, column in zip(*(np.isfinite(block) & chosen(block)).nonzero(), strict=True)
        )
        return all(is_so(shown_number(self.value, row, column)) for row, column in places)

    def text(self, row: int, column: int) -> str:
        """The number at (row, column), counted from 0; the word where the number is an id that has one."""
        number = shown_number(self.value, row, column)
        names = self.value.names
        if names is not None and self.value.is_word(column) and not math.isnan(number):
            return names.get(int(number), "?")  # a word that a student typed may be none
        if self.value.is_id(column) and math.isfinite(number):
            return str(int(number))
        return self._text(number)

    def typeset(self, row: int, column: int) -> str:
        """As `text`, a number as a formula shows it, and a word as it is printed."""
        text = self.text(row, column)
        return escape_label(text) if self.value.is_word(column) else typeset(text)

    def number(self, number: float) -> str:
        """Any number, written as those of this value are; in a number format as that holds it."""
        if self.value.format is not None:
            number = float(self.value.format.round(np.array(number), self.value.quantities(self.value.array)))
        return self._text(without_noise(self.value, number))

    def _text(self, number: float) -> str:
        if math.isnan(number):
            return self._missing
        if self.value.digits is not None:
            return self.value.digits.text(number)
        if self.decimals > _MOST_DECIMALS and math.isfinite(number):
            return repr(number).removesuffix(".0")
        if self.is_whole and float(number).is_integer():
            return write_number(number, 0)
        if self._tiny and math.isfinite(number):
            return write_scientific(number, self.decimals)
        return write_number(number, self.decimals)
