"""Many floats as text at once, each exactly as `repr` writes it, and several times as quickly.

Wanted is the shortest decimal that is read back as the same float; it has at most 17 digits. Between 0.0001 and 1,
where nearly all weights lie, a number times a power of ten is a whole number of 17 digits and a rest, both exact by
Dekker's product. The nearest decimal of 15 or 16 digits is right if it is nearer than half the distance to
the next float. A number outside of that range, with fewer digits, or midway between two decimals is left to `repr`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_CHUNK = 8192
"""Numbers at once: what is calculated on the way stays in the processor's cache."""
_WORDS = 7
"""Of four bytes: two up to the first digit, four with four digits each, one for what separates numbers."""
_SPLIT = 2.0**27 + 1
_POWERS = 10.0 ** np.arange(17, 21)
_UPPER = _POWERS * _SPLIT - (_POWERS * _SPLIT - _POWERS)
_LOWER = _POWERS - _UPPER
_EXPONENT, _LAST_BITS = 0x7FF << 52, (1 << 34) - 1


def _words(texts: Iterator[bytes]) -> NDArray[np.uint32]:
    return np.frombuffer(b"".join(texts), np.uint32)


_STARTS = _words(
    (sign + b"0." + b"0" * zeros).ljust(6, b"\0") + b"%d\0" % digit
    for sign in (b"", b"-")
    for zeros in range(4)
    for digit in range(10)
).reshape(80, 2)
_FOUR = _words(b"%04d" % digits for digits in range(10_000))
_ENDS = np.concatenate(
    [
        _FOUR,
        _words(b"%03d\0" % (digits // 10) for digits in range(10_000)),
        _words((b"%04d" % digits).rstrip(b"0").ljust(4, b"\0") for digits in range(10_000)),
    ]
)
"""The last four digits of 17; of 16; of 15, without the zeros at their end."""


def rows(array: Floats, other: Callable[[float], str] = repr) -> Iterator[bytes]:
    """A matrix as JSON, in pieces. `other` writes the numbers that are not between 0.0001 and 1."""
    height, width = array.shape
    step = max(_CHUNK // width, 1)
    for start in range(0, height, step):
        some = array[start : start + step]
        texts = np.empty((some.size, _WORDS), np.uint32)
        texts[:, -1:] = _words(iter([b", \0\0"]))
        texts[width - 1 :: width, -1:] = _words(iter([b"], ["]))
        _write(some.ravel(), texts, other)
        piece = texts.tobytes().translate(None, b"\0")
        yield (b"" if start else b"[[") + (piece if start + step < height else piece[: -len(b", [")] + b"]")


def _write(numbers: Floats, texts: NDArray[np.uint32], other: Callable[[float], str]) -> None:
    """Puts the text of each number into its line; the bytes that it does not need are 0."""
    size = np.abs(numbers)
    fits = (size >= 1e-4) & (size < 1)
    size = np.where(fits, size, 0.3)
    fits &= size.view(np.int64) & _LAST_BITS != 0  # not between two decimals, nor at a power of 2
    zeros = (size < 0.1).view(np.int8) + (size < 0.01).view(np.int8) + (size < 0.001).view(np.int8)
    digits, kind, is_sure = _digits(size, zeros)
    upper = digits // 10**8
    first = upper // 10**8
    middle, lower = (upper - first * 10**8).astype(np.uint32), (digits - upper * 10**8).astype(np.uint32)
    start = (zeros + (numbers < 0).view(np.int8) * np.int8(4)) * np.int8(10) + first.astype(np.int8)
    last = lower % 10_000
    texts[:, 0], texts[:, 1] = _STARTS[:, 0].take(start), _STARTS[:, 1].take(start)
    texts[:, 2], texts[:, 3] = _FOUR.take(middle // 10_000), _FOUR.take(middle % 10_000)
    texts[:, 4], texts[:, 5] = _FOUR.take(lower // 10_000), _ENDS.take(last + kind * np.uint32(10_000))
    odd = np.flatnonzero(~(fits & is_sure & (last != 0)))
    if odd.size:
        written = np.array([other(number) for number in numbers[odd].tolist()], dtype="S24")
        texts[odd, :-1] = written.view(np.uint32).reshape(odd.size, -1)


def _digits(size: Floats, zeros: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.bool_]]:
    """The 17 digits of each number; 0, 1 or 2 where 17, 16 or 15 of them are enough; whether they are sure."""
    power, upper, lower = _POWERS.take(zeros), _UPPER.take(zeros), _LOWER.take(zeros)
    high = size * _SPLIT - (size * _SPLIT - size)
    low = size - high
    whole = size * power
    rest = ((high * upper - whole) + high * lower + low * upper) + low * lower  # size · power = whole + rest, exactly
    half = (size.view(np.int64) & _EXPONENT).view(float) * power * 2.0**-53
    thousands = (whole * 0.001).astype(np.int64) * 1000
    below = (whole.astype(np.int64) - thousands).astype(float)
    hundreds, tens = np.rint((below + rest) * 0.01) * 100, np.rint((below + rest) * 0.1) * 10
    off = np.abs(below - tens + rest)
    has_15, has_16 = np.abs(below - hundreds + rest) < half, off < half
    end = np.where(has_15, hundreds, np.where(has_16, tens, below + np.rint(rest)))
    kind = np.maximum(has_16.view(np.int8), has_15.view(np.int8) * np.int8(2))
    return thousands + end.astype(np.int64), kind, off < 4.999999
