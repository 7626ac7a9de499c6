"""Floats of 8 and 16 bits that numpy has no type for, read as float32, which holds each of them exactly.

The type of such an array and of its slices remembers what it was read from, until it is converted: `short_float`.
bfloat16 is the first half of a float32.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from walkthrough.number_formats import FLOATS, FloatFormat

_KEY = "short float"
_NAMES = {"BF16": "bfloat16", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
SHORT_FLOATS = {stored: one for stored, name in _NAMES.items() for one in FLOATS if one.name == name}
"""By the names that safetensors has for them."""


def read_short(kind: FloatFormat, content: bytes) -> Any:
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


def short_float(dtype: Any) -> FloatFormat | None:
    """What the numbers of an array of this type were read from, if that was a short float."""
    found: FloatFormat | None = (dtype.metadata or {}).get(_KEY)
    return found


@cache
def _table(kind: FloatFormat) -> Any:
    """All numbers of 8 bits, in the order of their bits."""
    import numpy as np

    return np.array([_number(kind, bits) for bits in range(256)], np.float32)


def _number(kind: FloatFormat, bits: int) -> float:
    """The number that 8 bits stand for: sign, exponent, mantissa."""
    sign = -1.0 if bits >> 7 else 1.0
    exponent, fraction = bits >> kind.mantissa & (1 << kind.exponent) - 1, bits & (1 << kind.mantissa) - 1
    whole = fraction + ((1 << kind.mantissa) if exponent else 0)
    number = math.ldexp(whole, max(exponent, 1) - kind.bias - kind.mantissa)
    if number <= kind.largest:
        return sign * number
    return math.nan if fraction or kind.ends_in_nan else sign * math.inf
