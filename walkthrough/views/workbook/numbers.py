"""How the numbers of a block are written: their number format, and the room that they take."""

from __future__ import annotations

from typing import NamedTuple

from walkthrough.explaining.shown import decimals_of
from walkthrough.notation import LARGE
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_SMALLEST_SHOWN = 1e-12
_MOST_DECIMALS = 15
_WIDEST_GENERAL = 12
"""Characters; a spreadsheet rounds what it shows of a longer number."""
_NOT_WRITTEN_OUT = 1e9
_LOOKED_AT = 1000


class Pattern(NamedTuple):
    """How digits are written, with how many decimals (None: as many as a number has); the characters that they take."""

    digits: str
    decimals: int | None
    width: int

    @property
    def format(self) -> str:
        """The number format. What stands for −∞ is shown as that.

        A number below 0 has a part of its own with its sign: beside a condition it would lose it.
        """
        return f'[<-1E+250]"−∞";[<0]-{self.digits};{self.digits}'


def pattern_of(value: Value, trace: Trace, decimals: int | None, as_written: bool) -> Pattern:
    """The pattern of a value; `as_written`: with all digits that a scenario gives."""
    largest = value.largest
    if as_written:
        return _general(value, largest)
    if value.digits is not None:
        return _general(value, largest) if value.digits.significant else fixed_pattern(value.digits.count, largest)
    decimals = decimals_of(value, trace, decimals)
    if decimals > _MOST_DECIMALS:
        return _general(value, largest)
    if _SMALLEST_SHOWN < largest < 0.5 * 10.0**-decimals:
        return _power(decimals)
    return fixed_pattern(decimals, largest)


def fixed_pattern(decimals: int, largest: float = 0.0) -> Pattern:
    """The pattern of numbers with `decimals` decimals; a power of ten where they would be too long."""
    if largest >= LARGE:
        return _power(decimals)
    digits = f"0.{'0' * decimals}" if decimals else "0"
    return Pattern(digits, decimals, len(f"-{largest:.{decimals}f}"))


def _power(decimals: int) -> Pattern:
    return Pattern(f"0.{'0' * decimals}E+00" if decimals else "0E+00", None, decimals + 8)


def _general(value: Value, largest: float) -> Pattern:
    if largest >= _NOT_WRITTEN_OUT:
        return _power(3)
    texts = (f"{number:.{_WIDEST_GENERAL - 3}g}" for number in value.array.ravel()[:_LOOKED_AT].tolist())
    return Pattern("General", None, min(_WIDEST_GENERAL, max(map(len, texts), default=1)))
