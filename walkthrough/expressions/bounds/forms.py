"""Affine forms: centre + Σ coefficient·symbol ± rest, each symbol somewhere in −1…1; whole arrays at once.

Plain intervals forget that two numbers depend on the same third one; an affine form remembers it to first order. What
is curved goes into the rest, rigorously. Beside each form goes an interval that holds as well, because a form loses
where an interval does not (a square is not negative).
Stolfi and de Figueiredo, Self-Validated Numerical Methods and Applications, 1997, ch. 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags

FLOAT64, FLOAT32, FLOAT16, BFLOAT16 = 2.0**-53, 2.0**-24, 2.0**-11, 2.0**-8
"""Unit roundoffs: the share of itself that a result is off by at most."""
ROUNDINGS = 8 * FLOAT64
"""What float64 may have lost of centre and coefficients in one step."""


@dataclass(slots=True, eq=False)
class Forms:
    """Affine forms, an array of any shape; coefficients have one more axis, or are None where all of them are 0.

    A rest that is infinite: no form is known, the interval alone holds. Shapes broadcast against each other.
    """

    centre: Array
    coefficients: Array | None
    rest: Array
    low: Array
    high: Array

    @property
    def radius(self) -> Array:
        """How far each may lie from its centre."""
        if self.coefficients is None:
            return self.rest
        radius: Array = self.rest + np.abs(self.coefficients).sum(axis=-1)
        return radius

    @property
    def is_constant(self) -> bool:
        """Whether every form is one finite number."""
        return self.coefficients is None and not self.rest.any() and bool(np.isfinite(self.centre).all())

    @property
    def is_whole(self) -> bool:
        """Whether the ends of every form are whole numbers, which sums and products keep to the last bit."""
        return self.coefficients is None and all(bool((np.rint(end) == end).all()) for end in (self.low, self.high))

    def __getitem__(self, at: Any) -> Forms:
        """Some of the forms, by what picks them out of an array of their shape."""
        coefficients = None if self.coefficients is None else self.coefficients[at]
        return Forms(self.centre[at], coefficients, self.rest[at], self.low[at], self.high[at])


def numbers(values: Array, slack: Array | float = 0.0) -> Forms:
    """Numbers that are known, give or take a slack; infinite ones have no form, unknown ones (nan) nothing at all."""
    finite, unknown = np.isfinite(values), np.isnan(values)
    slack = np.where(finite, slack, 0.0)
    low, high = (np.where(unknown, end, values + way * slack) for end, way in ((-np.inf, -1), (np.inf, 1)))
    return Forms(np.where(finite, values, 0.0), None, np.where(finite, slack, np.inf), low, high)


def widen(interval: tuple[Array, Array], lost: float, least: float) -> tuple[Array, Array]:
    """An interval with its ends moved apart by a share of them and by an amount; everything where one is unknown."""
    ends = []
    for end, way in zip(interval, (-1, 1), strict=True):
        margin = np.where(np.isfinite(end) & (end != 0), lost * np.abs(end) + least, 0.0)
        ends.append(np.where(np.isnan(end), way * np.inf, end + way * margin))
    return ends[0], ends[1]


def repair(
    known: Flags, centre: Array, coefficients: Array | None, rest: Array, interval: tuple[Array, Array]
) -> tuple[Array, Array | None, Array]:
    """Where no form is known, the middle of the interval and how far its ends are; a rest of ∞ where these are."""
    low, high = interval
    is_bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(is_bounded, low, 0.0) / 2 + np.where(is_bounded, high, 0.0) / 2
    reach = np.where(is_bounded, np.fmax(high - middle, middle - low) * (1 + ROUNDINGS), np.inf)
    if coefficients is not None:
        coefficients = np.where(known[..., None], coefficients, 0.0)
    return np.where(known, centre, middle), coefficients, np.where(known, rest, reach)


def intersect(forms: Forms) -> Forms:
    """The forms with their intervals narrowed by them; the interval where rounding has pulled the two apart."""
    radius = forms.radius
    low, high = np.fmax(forms.low, forms.centre - radius), np.fmin(forms.high, forms.centre + radius)
    fits = low <= high
    if not fits.all():
        low, high = np.where(fits, low, forms.low), np.where(fits, high, forms.high)
    return Forms(forms.centre, forms.coefficients, forms.rest, low, high)


def sum_of(parts: Sequence[Array]) -> Array:
    """The sum of arrays that broadcast."""
    result = parts[0]
    for part in parts[1:]:
        result = result + part
    return result


def times(x: Forms, y: Forms) -> tuple[Array, Array]:
    """The products of the intervals; 0 times anything is 0."""
    ends = [np.where((a == 0) | (b == 0), 0.0, a * b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def size_of(x: Forms) -> Array:
    """How large each number may be; of one that is unbounded on one side, its other end."""
    return np.fmax(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (x.low, x.high)))


def form_size_of(x: Forms) -> Array:
    return np.abs(x.centre) + x.radius
