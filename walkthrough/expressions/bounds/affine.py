"""Affine forms: centre + Σ coefficient·symbol ± rest, each symbol somewhere in −1…1; so many at once.

Plain intervals forget that two numbers depend on the same third one; an affine form remembers it to first order. What
is curved goes into the rest, rigorously. Beside each form goes an interval that holds as well, because a form loses
where an interval does not (a square is not negative).
Stolfi and de Figueiredo, Self-Validated Numerical Methods and Applications, 1997, ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags

FLOAT64, FLOAT32 = 2.0**-53, 2.0**-24
"""Unit roundoffs: the share of itself that a result is off by at most."""
_ROUNDINGS = 8 * FLOAT64
"""What float64 may have lost of centre and coefficients in one step."""
_SMALLEST = 2.0**-149
"""The smallest number above 0 that float32 has."""


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


@dataclass(frozen=True, slots=True)
class ConvexOrConcave:
    """A function curved one way only, with its slope, and where it has a given slope (near a given place)."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    parallel: Callable[[Array, Array], Array]


RECIPROCAL = ConvexOrConcave(
    lambda y: 1 / y, lambda y: -1 / (y * y), lambda slope, near: np.copysign(np.sqrt(-1 / slope), near)
)
"""1/y on one side of 0."""


@dataclass(frozen=True, slots=True)
class AffineArithmetic:
    """The arithmetic of forms; every operation may be off by the unit roundoff of the author's arithmetic."""

    roundoff: float = FLOAT64

    @property
    def _least(self) -> float:
        """What a result may be off by beside its roundings: float32 has no numbers between the smallest and 0."""
        return 0.0 if self.roundoff <= FLOAT64 else _SMALLEST

    def form(
        self, centre: Array, coefficients: Array | None, rest: Array, interval: tuple[Array, Array], roundings: int = 1
    ) -> Forms:
        """A result that may be off by so many roundings of itself; without a form where it has none."""
        lost, least = roundings * self.roundoff, roundings * self._least
        low, high = _outward(interval, lost, least)
        spread = 0.0 if coefficients is None else np.abs(coefficients).sum(axis=-1)
        size = np.abs(centre) + spread
        rest = rest + (_ROUNDINGS + lost) * size + np.where(size > 0, least, 0.0)
        known = np.isfinite(size + rest)
        if not known.all():
            centre, coefficients, rest = _repaired(known, centre, coefficients, rest, (low, high))
        return _intersected(Forms(centre, coefficients, rest, low, high))

    def constant(self, values: Array) -> Forms:
        """Constants of an operation; a coarser arithmetic than ours may have had to round them."""
        is_exact = (self.roundoff <= FLOAT64) | (values * 2.0**24 % 1 == 0)
        return numbers(values, np.where(is_exact, 0.0, np.abs(values) * self.roundoff))

    def negative(self, x: Forms) -> Forms:
        """−x."""
        return Forms(-x.centre, None if x.coefficients is None else -x.coefficients, x.rest, -x.high, -x.low)

    def add(self, parts: Sequence[Forms]) -> Forms:
        """The sum of the parts."""
        if len(parts) == 1:
            return parts[0]
        known = [part.coefficients for part in parts if part.coefficients is not None]
        total = Forms(
            sum_of([part.centre for part in parts]),
            sum_of(known) if known else None,
            sum_of([part.rest for part in parts]),
            sum_of([part.low for part in parts]),
            sum_of([part.high for part in parts]),
        )
        sizes = sum_of([_size(part) for part in parts]), sum_of([_form_size(part) for part in parts])
        is_whole = all(part.is_whole for part in parts)
        return self._sum(total, 0 if is_whole else len(parts), *sizes)

    def total(self, x: Forms, count: int) -> Forms:
        """The sum along the last axis, which may stand for so many equal terms."""
        times = 1 if x.centre.shape[-1] == count else count

        def over(array: Array) -> Array:
            return np.asarray(array.sum(axis=-1) * times)

        coefficients = x.coefficients
        if coefficients is not None:
            coefficients = np.broadcast_to(coefficients, (*x.centre.shape, coefficients.shape[-1]))
            coefficients = coefficients.sum(axis=-2) * times
        total = Forms(over(x.centre), coefficients, over(x.rest), over(x.low), over(x.high))
        return self._sum(total, 0 if x.is_whole else count, over(_size(x)), over(_form_size(x)))

    def _sum(self, total: Forms, terms: int, size: Array, form_size: Array) -> Forms:
        """A sum, which may be off by as many roundings as it has terms of the sizes of all of them together."""
        lost = terms * self.roundoff
        interval = total.low - lost * size, total.high + lost * size
        return self.form(total.centre, total.coefficients, total.rest + lost * form_size, interval, 0)

    def dot(self, x: Forms, y: Forms, count: int, contract: Callable[[Array, Array], Array]) -> Forms:
        """Sums of so many products. contract: the sum of the products of two arrays along their last axis"""
        with_symbols = [
            np.moveaxis(contract(np.moveaxis(one.coefficients, -1, 0), other.centre[None]), 0, -1)
            for one, other in ((x, y), (y, x))
            if one.coefficients is not None
        ]
        x_size, y_size = np.abs(x.centre), np.abs(y.centre)
        x_radius, y_radius = x.radius, y.radius
        rest = contract(x_radius, y_radius) + contract(x.rest, y_size) + contract(x_size, y.rest)
        if x.is_constant or y.is_constant:
            near, play = (x, y) if y.is_constant else (y, x)
            low, high = _products_with_points(near, play.centre, contract)
        else:
            low, high = (end.sum(axis=-1) for end in times(x, y))
        roundings = 0 if x.is_whole and y.is_whole else (count + 1) * self.roundoff
        lost = roundings * contract(_size(x), _size(y))
        form_lost = roundings * contract(x_size + x_radius, y_size + y_radius)
        coefficients = sum_of(with_symbols) if with_symbols else None
        return self.form(contract(x.centre, y.centre), coefficients, rest + form_lost, (low - lost, high + lost), 0)

    def subtract(self, x: Forms, y: Forms) -> Forms:
        """x − y."""
        return self.add([x, self.negative(y)])

    def product(self, x: Forms, y: Forms) -> Forms:
        """x·y; what the two vary together goes into the rest."""
        interval, roundings = times(x, y), 0 if x.is_whole and y.is_whole else 1
        if x.is_constant:
            x, y = y, x
        if y.is_constant:
            coefficients = _scaled(x.coefficients, y.centre)
            return self.form(x.centre * y.centre, coefficients, x.rest * np.abs(y.centre), interval, roundings)
        known = [
            one for one in (_scaled(x.coefficients, y.centre), _scaled(y.coefficients, x.centre)) if one is not None
        ]
        rest = x.rest * np.abs(y.centre) + y.rest * np.abs(x.centre) + x.radius * y.radius
        return self.form(x.centre * y.centre, sum_of(known) if known else None, rest, interval, roundings)

    def quotient(self, x: Forms, y: Forms) -> Forms:
        """x / y, as x₀/y₀ + (x − (x₀/y₀)·y) / y: what stands above and below the line cancels before it is divided."""
        apart = ~((y.low <= 0) & (y.high >= 0))
        ends = [np.where(apart, a / b, np.nan) for a in (x.low, x.high) for b in (y.low, y.high)]
        interval = np.minimum.reduce(ends), np.maximum.reduce(ends)
        if y.is_constant:
            by = 1 / y.centre
            return self.form(x.centre * by, _scaled(x.coefficients, by), x.rest * np.abs(by), interval, 2)
        middle = np.clip(y.centre, y.low, y.high)
        base = np.where(apart, x.centre / middle, 0.0)
        left = self.subtract(x, self.product(numbers(base), y))
        share = self.product(left, self.curved(y, RECIPROCAL, apart))
        rest = np.where(apart, share.rest, np.inf)
        return self.form(base + share.centre, share.coefficients, rest, interval, 2)

    def curved(self, x: Forms, function: ConvexOrConcave, inside: Flags | None = None) -> Forms:
        """A function curved one way: a line, and how far it is off at the ends and where the two are parallel.

        inside: where the function is defined over the whole interval
        """
        low, high = x.low, x.high
        if inside is not None:
            low, high = np.where(inside, low, np.nan), np.where(inside, high, np.nan)
        at_low, at_high = function.value(low), function.value(high)
        interval = np.where(at_low <= at_high, at_low, at_high), np.where(at_low <= at_high, at_high, at_low)
        slopes = function.slope(low), function.slope(high)
        slope = np.clip((at_high - at_low) / (high - low), np.fmin(*slopes), np.fmax(*slopes))
        slope = np.where(high - low > 1e-8 * np.abs(high), slope, function.slope(low + (high - low) / 2))
        touching = np.clip(function.parallel(slope, low), low, high)
        off = [function.value(at) - slope * at for at in (low, high, touching)]
        least, most = np.minimum.reduce(off), np.maximum.reduce(off)
        size = np.fmax(np.abs(at_low), np.abs(at_high)) + np.abs(slope) * np.fmax(np.abs(low), np.abs(high))
        rest = (most - least) / 2 + 64 * FLOAT64 * size + np.abs(slope) * x.rest
        centre = slope * x.centre + (least + most) / 2
        return self.form(centre, _scaled(x.coefficients, slope), rest, interval, 16)

    def sloping(self, x: Forms, value: Array, slopes: tuple[Array, Array], interval: tuple[Array, Array]) -> Forms:
        """A function by its value in the middle of an interval and the bounds of its slope (mean value form)."""
        middle = x.low + (x.high - x.low) / 2
        slope, play = (slopes[0] + slopes[1]) / 2, (slopes[1] - slopes[0]) / 2
        rest = play * (x.high - x.low) / 2 * (1 + _ROUNDINGS) + np.abs(slope) * x.rest
        rest = rest + 64 * FLOAT64 * (np.abs(value) + np.abs(slope * middle))
        centre = value + slope * (x.centre - middle)
        return self.form(centre, _scaled(x.coefficients, slope), rest, interval, 16)

    def between(self, low: Array, high: Array) -> Forms:
        """Forms of which the interval alone is known."""
        nothing = np.full(low.shape, np.nan)
        return self.form(nothing, None, nothing, (low, high), 0)


def _outward(interval: tuple[Array, Array], lost: float, least: float) -> tuple[Array, Array]:
    """An interval with its ends moved apart by a share of them and by an amount; everything where one is unknown."""
    ends = []
    for end, way in zip(interval, (-1, 1), strict=True):
        margin = np.where(np.isfinite(end) & (end != 0), lost * np.abs(end) + least, 0.0)
        ends.append(np.where(np.isnan(end), way * np.inf, end + way * margin))
    return ends[0], ends[1]


def _repaired(
    known: Flags, centre: Array, coefficients: Array | None, rest: Array, interval: tuple[Array, Array]
) -> tuple[Array, Array | None, Array]:
    """Where no form is known, the middle of the interval and how far its ends are; a rest of ∞ where these are."""
    low, high = interval
    is_bounded = np.isfinite(low) & np.isfinite(high)
    middle = np.where(is_bounded, low, 0.0) / 2 + np.where(is_bounded, high, 0.0) / 2
    reach = np.where(is_bounded, np.fmax(high - middle, middle - low) * (1 + _ROUNDINGS), np.inf)
    if coefficients is not None:
        coefficients = np.where(known[..., None], coefficients, 0.0)
    return np.where(known, centre, middle), coefficients, np.where(known, rest, reach)


def _intersected(forms: Forms) -> Forms:
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


def _products_with_points(x: Forms, points: Array, contract: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
    """The sums of products of intervals with numbers."""
    rising, falling = np.fmax(points, 0.0), np.fmin(points, 0.0)
    if np.isfinite(x.low).all() and np.isfinite(x.high).all():
        return (
            contract(x.low, rising) + contract(x.high, falling),
            contract(x.high, rising) + contract(x.low, falling),
        )
    low, high = times(x, numbers(points))
    return low.sum(axis=-1), high.sum(axis=-1)


def _size(x: Forms) -> Array:
    """How large each number may be; of one that is unbounded on one side, its other end."""
    return np.fmax(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (x.low, x.high)))


def _form_size(x: Forms) -> Array:
    return np.abs(x.centre) + x.radius


def _scaled(coefficients: Array | None, by: Array) -> Array | None:
    return None if coefficients is None else coefficients * by[..., None]
