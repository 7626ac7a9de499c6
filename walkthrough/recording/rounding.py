"""By-hand arithmetic: each recorded value is rounded before the next step uses it, half away from zero."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from walkthrough.notation import EXHAUSTED, LARGE, scientific, written
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import is_selected, parse_words

_MOST_PLACES = 15
"""A number of significant digits that needs more decimals than these is written with a power of ten."""


@dataclass(frozen=True, slots=True)
class Digits:
    """How far one value is rounded: so many decimals, or so many significant digits."""

    count: int
    significant: bool = False

    def round(self, array: Array) -> Array:
        """The array rounded half away from zero; −∞, unknown and nan stay what they are."""
        with np.errstate(all="ignore"):
            places = self.count - 1 - _exponent(array) if self.significant else np.full(array.shape, float(self.count))
            unit = 10.0 ** np.abs(places)
            scaled = np.abs(array) * np.where(places >= 0, unit, 1 / unit)
            # A person sees 0.525 where the float holds 0.52499999999999991: what is that near to a half counts as one.
            steps = np.floor(scaled + 0.5 + np.minimum(1e-9 + scaled * 2e-15, 0.25))
            rounded = np.copysign(np.where(places >= 0, steps / unit, steps * unit), array) + 0.0
        return np.where(np.isfinite(array) & (scaled < EXHAUSTED), rounded, array)

    def unit(self, size: Array) -> Array:
        """One unit of the last digit of numbers of these sizes."""
        with np.errstate(all="ignore"):
            places = self.count - 1 - _exponent(size) if self.significant else np.full(size.shape, float(self.count))
            return np.asarray(np.where(np.isinf(size) & self.significant, np.inf, 10.0**-places))

    def text(self, number: float) -> str:
        """The number with exactly these digits: `31.8` for three significant ones."""
        if not self.significant or not math.isfinite(number) or number == 0:
            return written(number, self.count)
        number = float(self.round(np.array(number)))  # 9.996 is 10.0
        places = self.count - 1 - int(_exponent(np.array(number)))
        if places > _MOST_PLACES or abs(number) >= LARGE:
            return scientific(number, self.count - 1)
        return written(number, max(places, 0))


def _exponent(array: Array) -> Array:
    """The power of ten of each number's first digit; 0 for zero."""
    size = np.abs(array)
    return np.floor(np.log10(np.where((size > 0) & np.isfinite(size), size, 1.0)) + 1e-12)


class Stated(Protocol):
    """The key `rounding` of a scenario: decimals, and selector → (count, are they significant digits)."""

    @property
    def decimals(self) -> int | None: ...
    @property
    def steps(self) -> Mapping[str, tuple[int, bool]] | None: ...


@dataclass(frozen=True, slots=True)
class Rounding:
    """The rounding of every step: `decimals`, unless an entry of `steps` (selector → digits) names it.

    An exact path wins; of several other entries that fit, the last.
    """

    decimals: int
    steps: Mapping[str, Digits] = field(default_factory=dict)

    @classmethod
    def of(cls, shown: int, stated: Stated | None) -> Rounding:
        """What a scenario states of by-hand arithmetic; the decimals that it shows where it states nothing."""
        if stated is None:
            return cls(shown)
        steps = {selector: Digits(*digits) for selector, digits in (stated.steps or {}).items()}
        return cls(shown if stated.decimals is None else stated.decimals, steps)

    def digits(self, path: str) -> Digits:
        """How far the value of this path is rounded."""
        if path in self.steps:
            return self.steps[path]
        fitting = [digits for selector, digits in self.steps.items() if is_selected(path, parse_words(selector))]
        return fitting[-1] if fitting else Digits(self.decimals)
