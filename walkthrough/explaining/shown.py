"""How the numbers of a value are shown: so many decimals, or what by-hand arithmetic left of them."""

from __future__ import annotations

import math

import numpy as np

from walkthrough.notation import LARGE, scientific, written
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_DECIMALS = 15
"""Numbers with more stand each in its shortest form."""
_NOISE = 1e-12
"""What is smaller in a whole matrix is the rounding of float64, and shown as 0."""


def decimals_of(value: Value, trace: Trace, decimals: int | None = None) -> int:
    """How many decimals of a value are shown, by default those of the trace.

    A calculation by hand uses the numbers that the scenario states as they are written, so it shows all their digits.
    """
    if trace.exact is None or value.operation is not None or value.digits is not None:
        return trace.decimals if decimals is None else decimals
    from decimal import Decimal  # only by-hand arithmetic wants it

    finite = value.array[np.isfinite(value.array)]
    if finite.size and float(np.abs(finite).max()) >= LARGE:
        return _MOST_DECIMALS + 1
    return max(0, *(-int(Decimal(repr(number)).normalize().as_tuple().exponent) for number in finite.tolist()), 0)


class Shown:
    """The texts of one value's numbers: one precision for the whole matrix.

    Whole numbers stand without decimals where the matrix has no others; where all numbers are too small for the
    decimals, they stand with a power of ten.
    """

    def __init__(self, value: Value, decimals: int) -> None:
        self.value = value
        self.decimals = decimals
        finite = value.array[np.isfinite(value.array)]
        largest = float(np.abs(finite).max()) if finite.size else 0.0
        self._whole = largest < LARGE and bool((finite == np.floor(finite)).all())
        self._tiny = _NOISE < largest < 0.5 * 10.0**-decimals
        self._missing = "?" if value.unknown else "nan"

    def text(self, row: int, column: int) -> str:
        """The number at (row, column), counted from 0; the word where the number is an id that has one."""
        number = float(self.value.array[row, column])
        names = self.value.names
        if names is not None and column == 0 and not math.isnan(number):
            return names[int(number)]
        if column == 0 and self.value.holds_ids and math.isfinite(number):
            return str(int(number))
        return self.number(number)

    def number(self, number: float) -> str:
        """Any number, written as those of this value are."""
        if math.isnan(number):
            return self._missing
        if self.value.digits is not None:
            return self.value.digits.text(number)
        if self.decimals > _MOST_DECIMALS and math.isfinite(number):
            return repr(number).removesuffix(".0")
        if self._whole and float(number).is_integer():
            return written(number, 0)
        if self._tiny and math.isfinite(number):
            return scientific(number, self.decimals)
        return written(number, self.decimals)
