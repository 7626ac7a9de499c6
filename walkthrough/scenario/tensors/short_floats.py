"""Floats of 8 and 16 bits that numpy has no type for, read as float32, which holds each of them exactly.

The type of such an array and of its slices remembers what it was read from, until it is converted: `short_float`.
bfloat16 is the first half of a float32. The two of 8 bits: Micikevicius et al. 2022, table 1.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from walkthrough.records import Record

_KEY = "short float"


class ShortFloat(Record):
    """A float type: how many bits its exponent and its fraction have; whether its largest exponent is for ∞ and NaN.

    Where it is not, only the last number of each sign is a NaN.
    """

    name: str
    exponent: int
    fraction: int
    has_infinity: bool = True

    @property
    def bytes(self) -> int:
        """How many bytes a number takes."""
        return (1 + self.exponent + self.fraction) // 8

    @property
    def epsilon(self) -> float:
        """The distance from 1 to the next number."""
        return math.ldexp(1, -self.fraction)

    @property
    def smallest(self) -> float:
        """The smallest number above 0."""
        return math.ldexp(1, 2 - (1 << self.exponent - 1) - self.fraction)


SHORT_FLOATS = {
    "BF16": ShortFloat("bfloat16", 8, 7),
    "F8_E4M3": ShortFloat("float8_e4m3fn", 4, 3, has_infinity=False),
    "F8_E5M2": ShortFloat("float8_e5m2", 5, 2),
}
"""By the names that safetensors has for them."""


def read_short(kind: ShortFloat, content: bytes) -> Any:
    """The numbers of some bytes, as float32 of a type that remembers the short one."""
    import numpy as np

    remembering = np.dtype(np.float32, metadata={_KEY: kind})
    if kind.bytes == 2:
        return (np.frombuffer(content, "<u2").astype(np.uint32) << 16).view(remembering)
    return _table(kind).view(remembering)[np.frombuffer(content, np.uint8)]


def as_bfloat16(numbers: Any) -> Any:
    """Float32 numbers that are bfloat16 ones, of a type that remembers it."""
    import numpy as np

    return np.array(numbers, np.float32).view(np.dtype(np.float32, metadata={_KEY: SHORT_FLOATS["BF16"]}))


def short_float(dtype: Any) -> ShortFloat | None:
    """What the numbers of an array of this type were read from, if that was a short float."""
    found: ShortFloat | None = (dtype.metadata or {}).get(_KEY)
    return found


@cache
def _table(kind: ShortFloat) -> Any:
    """All numbers of 8 bits, in the order of their bits."""
    import numpy as np

    return np.array([_number(kind, bits) for bits in range(256)], np.float32)


def _number(kind: ShortFloat, bits: int) -> float:
    """The number that 8 bits stand for: sign, exponent, fraction."""
    sign = -1.0 if bits >> 7 else 1.0
    exponent, fraction = bits >> kind.fraction & (1 << kind.exponent) - 1, bits & (1 << kind.fraction) - 1
    bias, most = (1 << kind.exponent - 1) - 1, (1 << kind.exponent) - 1
    if exponent == most and kind.has_infinity:
        return sign * float("nan" if fraction else "inf")
    if exponent == most and fraction == (1 << kind.fraction) - 1:
        return float("nan")
    whole = fraction + ((1 << kind.fraction) if exponent else 0)
    return sign * math.ldexp(whole, max(exponent, 1) - bias - kind.fraction)
