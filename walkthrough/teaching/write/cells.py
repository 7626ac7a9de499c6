"""The texts of a sheet's numbers: those that it shows, and those that belong in its empty cells."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np

from walkthrough.recording.values import Value

_LARGE = 1e15


class Cells:
    """The texts of one value's numbers."""

    def __init__(self, value: Value) -> None:
        self.value = value
        self.places = places_of(value) if value.digits is None else 0

    def text(self, row: int, column: int) -> str:
        """A number as a sheet shows it, or a word: all digits of a given number, a computed one's as its step has."""
        number = float(self.value.array[row, column])
        if not math.isfinite(number):
            return "?" if math.isnan(number) else "-inf" if number < 0 else "inf"
        if self.value.is_word(column):
            assert self.value.names is not None
            return self.value.names[int(number)]
        return str(int(number)) if self.value.is_id(column) else self.number(number)

    def number(self, number: float) -> str:
        """A finite number with the digits of this value."""
        if self.value.digits is not None:
            return self.value.digits.text(number)
        return repr(number) if self.places is None else f"{Decimal(repr(number)):.{self.places}f}"

    def rows(self) -> list[list[str]]:
        """All of them."""
        rows, columns = self.value.shape
        return [[self.text(row, column) for column in range(columns)] for row in range(rows)]


def places_of(value: Value) -> int | None:
    """The decimals that show all digits of a given matrix; None where each number is written in its shortest form."""
    finite = value.array[np.isfinite(value.array)]
    if not finite.size:
        return 0
    places = max(-int(Decimal(repr(number)).normalize().as_tuple().exponent) for number in finite.tolist())
    return max(places, 0) if places <= 15 and float(np.abs(finite).max()) < _LARGE else None
