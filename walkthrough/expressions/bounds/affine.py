"""The arithmetic of affine forms: every result holds all that its operands can give, roundings included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.expressions.bounds.forms import (
    BFLOAT16,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    ROUNDINGS,
    Forms,
    form_size_of,
    intersect,
    numbers,
    repair,
    size_of,
    sum_of,
    times,
    widen,
)
from walkthrough.expressions.tree.aliases import Array, Flags

_SMALLEST = {FLOAT64: 0.0, FLOAT32: 2.0**-149, FLOAT16: 2.0**-24, BFLOAT16: 2.0**-133}
"""The smallest number above 0 of an arithmetic, by its unit roundoff; of ours it is smaller than anybody prints."""
_OF_FUNCTION = 16
"""Roundings that a program may be off by in a function such as exp; in a short format it rounds a finer result."""


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
    def _of_function(self) -> int:
        return _OF_FUNCTION if self.roundoff <= FLOAT32 else 2

    def _lost(self, roundings: int) -> float:
        """The share of itself that so many roundings, one after the other, may cost a result."""
        return float(np.expm1(roundings * np.log1p(self.roundoff)))

    def _lost_of(self, roundings: int, size: Array, are_whole: bool) -> Array:
        """The same, of sums and products of this size: whole numbers are kept as long as all their digits have room."""
        return np.where(are_whole & (size * self.roundoff <= 1), 0.0, self._lost(roundings) * size)

    def form(
        self, centre: Array, coefficients: Array | None, rest: Array, interval: tuple[Array, Array], roundings: int = 1
    ) -> Forms:
        """A result that may be off by a number of roundings of itself; without a form where it has none."""
        lost, least = self._lost(roundings), roundings * _SMALLEST[self.roundoff]
        low, high = widen(interval, lost, least)
        spread = 0.0 if coefficients is None else np.abs(coefficients).sum(axis=-1)
        size = np.abs(centre) + spread
        rest = rest + (ROUNDINGS + lost) * size + np.where(size > 0, least, 0.0)
        known = np.isfinite(size + rest)
        if not known.all():
            centre, coefficients, rest = repair(known, centre, coefficients, rest, (low, high))
        return intersect(Forms(centre, coefficients, rest, low, high))

    def constant(self, values: Array) -> Forms:
        """Constants of an operation; a coarser arithmetic than ours may have had to round them."""
        if self.roundoff <= FLOAT64:
            return numbers(values)
        smallest = _SMALLEST[self.roundoff]
        is_exact = (np.frexp(values)[0] / self.roundoff % 1 == 0) & (values / smallest % 1 == 0)
        return numbers(values, np.where(is_exact, 0.0, np.fmax(np.abs(values) * self.roundoff, smallest / 2)))

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
        sizes = sum_of([size_of(part) for part in parts]), sum_of([form_size_of(part) for part in parts])
        return self._sum(total, len(parts), *sizes, all(part.is_whole for part in parts))

    def total(self, x: Forms, count: int) -> Forms:
        """The sum along the last axis; an axis of length 1 means `count` equal terms."""
        times = 1 if x.centre.shape[-1] == count else count

        def over(array: Array) -> Array:
            return np.asarray(array.sum(axis=-1) * times)

        coefficients = x.coefficients
        if coefficients is not None:
            coefficients = np.broadcast_to(coefficients, (*x.centre.shape, coefficients.shape[-1]))
            coefficients = coefficients.sum(axis=-2) * times
        total = Forms(over(x.centre), coefficients, over(x.rest), over(x.low), over(x.high))
        return self._sum(total, count, over(size_of(x)), over(form_size_of(x)), x.is_whole)

    def _sum(self, total: Forms, terms: int, size: Array, form_size: Array, are_whole: bool) -> Forms:
        """A sum, which may be off by as many roundings as it has terms of the sizes of all of them together."""
        lost, form_lost = (self._lost_of(terms, one, are_whole) for one in (size, form_size))
        interval = total.low - lost, total.high + lost
        return self.form(total.centre, total.coefficients, total.rest + form_lost, interval, 0)

    def dot(self, x: Forms, y: Forms, count: int, contract: Callable[[Array, Array], Array]) -> Forms:
        """Sums of `count` products. contract: the sum of the products of two arrays along their last axis"""
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
        sizes = contract(size_of(x), size_of(y)), contract(x_size + x_radius, y_size + y_radius)
        lost, form_lost = (self._lost_of(count + 1, one, x.is_whole and y.is_whole) for one in sizes)
        coefficients = sum_of(with_symbols) if with_symbols else None
        return self.form(contract(x.centre, y.centre), coefficients, rest + form_lost, (low - lost, high + lost), 0)

    def subtract(self, x: Forms, y: Forms) -> Forms:
        """x − y."""
        return self.add([x, self.negative(y)])

    def product(self, x: Forms, y: Forms) -> Forms:
        """x·y; what the two vary together goes into the rest."""
        are_kept = x.is_whole and y.is_whole and self.roundoff <= FLOAT32
        interval, roundings = times(x, y), 0 if are_kept else 1
        if x.is_constant:
            x, y = y, x
        if y.is_constant:
            coefficients = _scale(x.coefficients, y.centre)
            return self.form(x.centre * y.centre, coefficients, x.rest * np.abs(y.centre), interval, roundings)
        known = [one for one in (_scale(x.coefficients, y.centre), _scale(y.coefficients, x.centre)) if one is not None]
        rest = x.rest * np.abs(y.centre) + y.rest * np.abs(x.centre) + x.radius * y.radius
        return self.form(x.centre * y.centre, sum_of(known) if known else None, rest, interval, roundings)

    def quotient(self, x: Forms, y: Forms) -> Forms:
        """x / y, as x₀/y₀ + (x − (x₀/y₀)·y) / y: what numerator and denominator share cancels before the division."""
        apart = ~((y.low <= 0) & (y.high >= 0))
        ends = [np.where(apart, a / b, np.nan) for a in (x.low, x.high) for b in (y.low, y.high)]
        interval = np.fmin.reduce(ends), np.fmax.reduce(ends)  # ∞/∞ lies between the other ends
        if y.is_constant:
            by = 1 / y.centre
            return self.form(x.centre * by, _scale(x.coefficients, by), x.rest * np.abs(by), interval, 2)
        middle = np.clip(y.centre, y.low, y.high)
        base = np.where(apart, x.centre / middle, 0.0)
        left = self.subtract(x, self.product(numbers(base), y))
        change = self.product(left, self.apply_curve(y, RECIPROCAL, apart))
        rest = np.where(apart, change.rest, np.inf)
        return self.form(base + change.centre, change.coefficients, rest, interval, 2)

    def apply_curve(self, x: Forms, function: ConvexOrConcave, inside: Flags | None = None) -> Forms:
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
        return self.form(centre, _scale(x.coefficients, slope), rest, interval, self._of_function)

    def apply_slope(self, x: Forms, value: Array, slopes: tuple[Array, Array], interval: tuple[Array, Array]) -> Forms:
        """A function by its value in the middle of an interval and the bounds of its slope (mean value form)."""
        middle = x.low + (x.high - x.low) / 2
        slope, play = (slopes[0] + slopes[1]) / 2, (slopes[1] - slopes[0]) / 2
        rest = play * (x.high - x.low) / 2 * (1 + ROUNDINGS) + np.abs(slope) * x.rest
        rest = rest + 64 * FLOAT64 * (np.abs(value) + np.abs(slope * middle))
        centre = value + slope * (x.centre - middle)
        return self.form(centre, _scale(x.coefficients, slope), rest, interval, self._of_function)

    def from_interval(self, low: Array, high: Array) -> Forms:
        """Forms of which the interval alone is known."""
        nothing = np.full(low.shape, np.nan)
        return self.form(nothing, None, nothing, (low, high), 0)


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


def _scale(coefficients: Array | None, by: Array) -> Array | None:
    return None if coefficients is None else coefficients * by[..., None]
