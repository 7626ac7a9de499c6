"""By-hand arithmetic: each recorded value is rounded before the next step uses it, half away from zero."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from walkthrough.notation import EXHAUSTED, LARGE, scientific, written
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import is_selected, parse_words, within_pass

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


@dataclass(frozen=True, slots=True)
class Rounding:
    """The rounding of every step: `decimals`, unless an entry of `steps` (selector → digits) names it.

    An exact path wins; of several other entries that fit, the last.

    names: the names of all values of the calculation, without that of the pass, and the path of each
    """

    decimals: int
    steps: Mapping[str, Digits] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def digits(self, path: str) -> Digits:
        """How far the value of this path is rounded."""
        named = {path, within_pass(path)}
        exact = [digits for name, digits in self.steps.items() if name in named or self.names.get(name) in named]
        others = [digits for selector, digits in self.steps.items() if self._selects(selector, path)]
        return (exact or others or [Digits(self.decimals)])[-1]

    def _selects(self, selector: str, path: str) -> bool:
        """Whether the words of a selector, which is nobody's exact name, stand in the path."""
        return selector not in self.names and is_selected(path, parse_words(selector))
