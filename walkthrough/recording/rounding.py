"""By-hand arithmetic: each recorded value is rounded before the next step uses it, half away from zero."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from walkthrough.notation import LARGE, doubt, round_number, write_number, write_scientific
from walkthrough.number_formats import NumberFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import is_selected, parse_words, within_pass
from walkthrough.records import NONE, Record

if TYPE_CHECKING:
    import numpy.typing as npt

_MOST_PLACES = 15
"""A number of significant digits that needs more decimals than these is written with a power of ten."""


_COUNTED = "tokenizer."
"""Steps under this word count: their numbers are whole."""


class Digits(Record):
    """How far one value is rounded: to a number of decimals, or of significant digits."""

    count: int
    significant: bool = False

    def round(self, array: Array) -> Array:
        """The array rounded number by number as `notation.round_number` does; −∞, unknown and nan stay what they are.

        Where a number lies clearly on one side of a half, arithmetic is enough; the few others are looked at singly.
        """
        array = np.asarray(array, dtype=np.float64)
        places = self._places(array)
        unit = _POWERS.take(places, mode="clip")
        with np.errstate(all="ignore"):
            units = np.abs(array) * unit
            whole = np.floor(units)
            rest = units - whole
            is_clear = np.abs(rest - 0.5) > doubt(units)
            if self.significant or not 0 <= self.count < len(_POWERS):
                is_clear &= (places >= 0) & (places < len(_POWERS))
            result = np.asarray(np.copysign((whole + (rest > 0.5)) / unit, array) + 0.0)
        if not is_clear.all():
            result = np.where(is_clear, result, array + 0.0)
            for at in map(tuple, np.argwhere(~is_clear & np.isfinite(array) & (array != 0))):
                result[at] = round_number(float(array[at]), int(np.broadcast_to(places, array.shape)[at]))
        return result

    def _places(self, array: Array) -> npt.NDArray[np.int64] | int:
        """How many decimals each number keeps, or all of them; negative where it is rounded to tens, hundreds, …"""
        return self.count - 1 - _exponent(array) if self.significant else self.count

    def unit(self, size: Array) -> Array:
        """One unit of the last digit of numbers of these sizes."""
        with np.errstate(all="ignore"):
            places = self.count - 1 - _exponent(size) if self.significant else np.full(size.shape, float(self.count))
            return np.asarray(np.where(np.isinf(size) & self.significant, np.inf, 10.0**-places))

    def text(self, number: float) -> str:
        """The number with exactly these digits: `31.8` for three significant ones."""
        if not self.significant or not math.isfinite(number) or number == 0:
            return write_number(number, self.count)
        number = float(self.round(np.array(number)))  # 9.996 is 10.0
        places = int(self._places(np.array(number)))
        if places > _MOST_PLACES or abs(number) >= LARGE:
            return write_scientific(number, self.count - 1)
        return write_number(number, max(places, 0))


_POWERS = np.array([10.0**places for places in range(23)])
"""The powers of ten that a float holds exactly."""

_SMALLEST = -324
_BOUNDS = np.array([float(f"1e{power}") for power in range(_SMALLEST, 309)] + [np.inf])


def _exponent(array: Array) -> npt.NDArray[np.int64]:
    """The power of ten of each number's first digit; 0 for zero."""
    size = np.abs(array)
    size = np.where((size > 0) & np.isfinite(size), size, 1.0)
    about = np.floor(np.log10(size)).astype(np.int64)  # off by one beside a power of ten
    return np.asarray(about + (size >= _BOUNDS[about + 1 - _SMALLEST]) - (size < _BOUNDS[about - _SMALLEST]))


class StatedRounding(Protocol):
    """The key `rounding` of a scenario: decimals, and selector → (count, are they significant digits); or a format."""

    @property
    def decimals(self) -> int | None: ...
    @property
    def steps(self) -> Mapping[str, tuple[int, bool]] | None: ...
    @property
    def format(self) -> NumberFormat | None: ...


class Rounding(Record):
    """The rounding of every step: `decimals`, unless an entry of `steps` (selector → digits) names it.

    An exact path wins; of several other entries that fit, the last.

    names:  the names of all values of the calculation, without that of the pass, and the path of each
    format: the number format that every number is rounded to instead, given ones too; decimals are then those shown
    """

    decimals: int
    steps: Mapping[str, Digits] = NONE
    names: Mapping[str, str] = NONE
    format: NumberFormat | None = None

    @classmethod
    def of(cls, shown: int, stated: StatedRounding | None, names: Mapping[str, str]) -> Rounding:
        """What a scenario states of by-hand arithmetic; the decimals that it shows where it states nothing."""
        if stated is None or stated.format is not None:
            return cls(shown, format=stated.format if stated is not None else None)
        steps = {selector: Digits(*digits) for selector, digits in (stated.steps or {}).items()}
        return cls(shown if stated.decimals is None else stated.decimals, steps, names if steps else {})

    def digits(self, path: str) -> Digits:
        """How far the value of this path is rounded."""
        return self.stated_digits(path) or Digits(0 if _COUNTED in path else self.decimals)

    def stated_digits(self, path: str) -> Digits | None:
        """The digits that are stated for this path; None where it has those of all steps."""
        if not self.steps:
            return None
        named = {path, within_pass(path)}
        exact = [digits for name, digits in self.steps.items() if name in named or self.names.get(name) in named]
        selectors = [one for one in self.steps if one not in self.names and is_selected(path, parse_words(one))]
        others = [self.steps[one] for one in selectors]
        return next(reversed(exact or others), None)
