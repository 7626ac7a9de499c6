"""Number formats that computers calculate in: what becomes of a number in each, and how it is stored there.

Knows nothing of the rest of the package but records. A number is rounded once, from float64, to the nearest, halves to
even; small ones keep fewer bits (subnormals).
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from walkthrough.records import Record

if TYPE_CHECKING:
    Array = Any


OF_FLOAT64 = 1e-12
"""What part of the numbers a calculation in float64 may lose, whatever the order of its sums."""


class FloatFormat(Record):
    """A binary floating-point format.

    exponent, mantissa: how many bits each has
    largest:            the largest number
    ends_in_nan:        what lies beyond is no number; else it is infinite
    """

    name: str
    exponent: int
    mantissa: int
    largest: float
    ends_in_nan: bool = False

    @property
    def bias(self) -> int:
        """What is added to the power of two of a number to store it."""
        return int(2 ** (self.exponent - 1)) - 1

    @property
    def bytes(self) -> int:
        """How many bytes a number takes."""
        return (1 + self.exponent + self.mantissa) // 8

    @property
    def smallest(self) -> float:
        """The smallest number above 0."""
        return 2.0 ** (1 - self.bias - self.mantissa)

    @property
    def roundoff(self) -> float:
        """u: by how much rounding changes a number at most, relatively."""
        return 2.0 ** -(self.mantissa + 1)

    def round(self, array: Array, like: Array | None = None) -> Array:
        """Every number as the format holds it; a −∞, which hides a score, stays. `like` is for int formats."""
        import numpy as np

        with np.errstate(all="ignore"):
            places = self.mantissa - np.maximum(np.frexp(array)[1] - 1, 1 - self.bias)
            rounded = np.ldexp(np.rint(np.ldexp(array, places)), -places)
            beyond = np.nan if self.ends_in_nan else np.copysign(np.inf, array)
            return np.where((np.abs(rounded) > self.largest) & ~np.isneginf(array), beyond, rounded)

    def bits(self, number: float) -> str:
        """Sign, exponent and mantissa of a number of this format: `0 01111110 1010010`; empty for the ∞ it may lack."""
        if math.isinf(number) and self.ends_in_nan:
            return ""
        sign = "1" if math.copysign(1, number) < 0 else "0"
        exponent, mantissa = self._fields(abs(number))
        return f"{sign} {exponent:0{self.exponent}b} {mantissa:0{self.mantissa}b}"

    def _fields(self, size: float) -> tuple[int, int]:
        """Exponent and mantissa as they are stored; all ones and nothing but zeros say ∞."""
        most, unit = int(2**self.exponent) - 1, int(2**self.mantissa)
        if math.isinf(size):
            return most, 0
        if math.isnan(size):
            return most, unit - 1 if self.ends_in_nan else unit // 2
        power = max(math.frexp(size)[1] - 1, 1 - self.bias)
        whole = int(math.ldexp(size, self.mantissa - power))
        return (power + self.bias, whole - unit) if whole >= unit else (0, whole)


class IntFormat(Record):
    """Whole multiples of a scale, which every matrix has for itself: its largest number ÷ the largest multiple."""

    count: int

    @property
    def name(self) -> str:
        """`int8`, of 8 bits."""
        return f"int{self.count}"

    @property
    def most(self) -> int:
        """The largest multiple."""
        return int(2 ** (self.count - 1)) - 1

    def scale(self, array: Array) -> float:
        """What the numbers of a matrix become multiples of; 0 where all are 0."""
        import numpy as np

        sizes = np.abs(array[np.isfinite(array)])
        return float(sizes.max(initial=0.0)) / self.most

    def round(self, array: Array, like: Array | None = None) -> Array:
        """Every number as a multiple of the matrix's scale, or of another's, `like`; what is not finite stays."""
        import numpy as np

        scale = self.scale(array if like is None else like)
        return np.where(np.isfinite(array), scale * np.rint(array / scale), array) if scale else array + 0.0


NumberFormat = FloatFormat | IntFormat

FLOATS = (
    FloatFormat("float32", 8, 23, (2 - 2.0**-23) * 2.0**127),
    FloatFormat("float16", 5, 10, 65504.0),
    FloatFormat("bfloat16", 8, 7, (2 - 2.0**-7) * 2.0**127),
    FloatFormat("float8_e4m3fn", 4, 3, 448.0, ends_in_nan=True),
    FloatFormat("float8_e5m2", 5, 2, 57344.0),
)
FLOAT_NAMES = tuple(one.name for one in FLOATS)
FEWEST_BITS, MOST_BITS = 2, 16
"""Of an int format."""
INT_NAMES = f"int{FEWEST_BITS} … int{MOST_BITS}"


def number_format(name: str) -> NumberFormat | None:
    """The format of a name: `bfloat16`, `int8`; None where it is none."""
    found = re.fullmatch("int([1-9][0-9]?)", name)
    if found is not None:
        return IntFormat(int(found[1])) if FEWEST_BITS <= int(found[1]) <= MOST_BITS else None
    return next((one for one in FLOATS if one.name == name), None)
