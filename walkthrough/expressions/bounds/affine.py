"""Affine forms: centre + Σ coefficient·symbol ± rest, each symbol somewhere in −1…1; so many at once.

Plain intervals forget that two numbers depend on the same third one; an affine form remembers it to first order. What
is bent goes into the rest, rigorously. Beside each form goes an interval that holds as well, because a form loses
where an interval does not (a square is not negative).
Stolfi and de Figueiredo, Self-Validated Numerical Methods and Applications, 1997, ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.expressions.bounds.intervals import FLOAT64
from walkthrough.expressions.tree.aliases import Array, Flags, Places

_ROUNDINGS = 8 * FLOAT64
"""What float64 may have lost of centre and coefficients in one step."""


@dataclass(slots=True, eq=False)
class Forms:
    """Affine forms, one a row: centre n, coefficients n×k (None: all are 0), rest n, and the interval of each.

    A rest that is infinite: no form is known, the interval alone holds.
    """

    centre: Array
    coefficients: Array | None
    rest: Array
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.centre)

    @property
    def radius(self) -> Array:
        """How far each may lie from its centre."""
        if self.coefficients is None:
            return self.rest
        radius: Array = self.rest + np.abs(self.coefficients).sum(axis=1)
        return radius

    @property
    def is_constant(self) -> bool:
        """Whether every form is one finite number."""
        return self.coefficients is None and not self.rest.any() and bool(np.isfinite(self.centre).all())

    def take(self, places: Places) -> Forms:
        """Some of the forms, in another order."""
        coefficients = None if self.coefficients is None else self.coefficients[places]
        if coefficients is not None and not coefficients.any():
            coefficients = None
        return Forms(self.centre[places], coefficients, self.rest[places], self.low[places], self.high[places])


def numbers(values: Array, slack: Array | float = 0.0) -> Forms:
    """Numbers that are known, give or take a slack; infinite ones have no form, unknown ones (nan) nothing at all."""
    finite = np.isfinite(values)
    if finite.all():
        rest = np.broadcast_to(np.asarray(slack, dtype=np.float64), values.shape)
        return Forms(values, None, rest, values - slack, values + slack)
    rest = np.where(finite, slack, np.inf)
    low = np.where(finite, values - slack, np.where(np.isnan(values), -np.inf, values))
    high = np.where(finite, values + slack, np.where(np.isnan(values), np.inf, values))
    return Forms(np.where(finite, values, 0.0), None, rest, low, high)


@dataclass(frozen=True, slots=True)
class Affine:
    """The arithmetic of forms; every operation may be off by the unit roundoff of the author's arithmetic."""

    roundoff: float = FLOAT64

    def settled(
        self, centre: Array, coefficients: Array | None, rest: Array, interval: tuple[Array, Array], roundings: int = 1
    ) -> Forms:
        """A result: rounded outward, form and interval narrowed by each other; without a form where it is none."""
        low, high = interval
        lost = roundings * self.roundoff
        if np.isfinite(low).all() and np.isfinite(high).all():  # mostly
            low, high = low - lost * np.abs(low), high + lost * np.abs(high)
        else:
            low, high = (
                np.where(np.isnan(end), far, end) for end, far in zip(interval, (-np.inf, np.inf), strict=True)
            )
            low, high = (
                end + np.where(np.isfinite(end), way * lost * np.abs(end), 0.0) for end, way in ((low, -1), (high, 1))
            )
        spread = 0.0 if coefficients is None else np.abs(coefficients).sum(axis=1)
        size = np.abs(centre) + spread
        rest = rest + _ROUNDINGS * size + roundings * self.roundoff * size
        known = np.isfinite(size + rest)
        if not known.all():
            known_interval = np.isfinite(low) & np.isfinite(high)
            halves = [np.where(known_interval, end / 2, 0.0) for end in (low, high)]
            middle = halves[0] + halves[1]
            centre = np.where(known, centre, middle)
            reach = np.where(known_interval, np.fmax(high - middle, middle - low) * (1 + _ROUNDINGS), np.inf)
            rest = np.where(known, rest, reach)
            if coefficients is not None:
                coefficients = np.where(known[:, None], coefficients, 0.0)
                spread = np.where(known, spread, 0.0)
        radius = rest + spread
        inner = np.fmax(low, centre - radius), np.fmin(high, centre + radius)
        fits = inner[0] <= inner[1]  # rounding may have pulled them apart by a bit
        if not fits.all():
            inner = np.where(fits, inner[0], low), np.where(fits, inner[1], high)
        return Forms(centre, coefficients, rest, *inner)

    def negative(self, x: Forms) -> Forms:
        """−x."""
        return Forms(-x.centre, None if x.coefficients is None else -x.coefficients, x.rest, -x.high, -x.low)

    def add(self, parts: Sequence[Forms]) -> Forms:
        """The sum of the parts."""
        if len(parts) == 1:
            return parts[0]
        coefficients = _added([part.coefficients for part in parts])
        interval = sum_of([part.low for part in parts]), sum_of([part.high for part in parts])
        size = sum_of([np.abs(part.centre) for part in parts])
        rest = sum_of([part.rest for part in parts]) + len(parts) * self.roundoff * size
        return self.settled(sum_of([part.centre for part in parts]), coefficients, rest, interval, len(parts))

    def total(self, x: Forms, count: int) -> Forms:
        """The sums of so many neighbours each: count·n forms → n."""
        shape = -1, count
        coefficients = x.coefficients
        if coefficients is not None:
            coefficients = coefficients.reshape(-1, count, coefficients.shape[1]).sum(axis=1)
        centre, rest, low, high = (one.reshape(shape).sum(axis=1) for one in (x.centre, x.rest, x.low, x.high))
        rest = rest + count * self.roundoff * np.abs(x.centre).reshape(shape).sum(axis=1)
        return self.settled(centre, coefficients, rest, (low, high), count)

    def subtract(self, x: Forms, y: Forms) -> Forms:
        """x − y."""
        return self.add([x, self.negative(y)])

    def product(self, x: Forms, y: Forms) -> Forms:
        """x·y; what the two vary together goes into the rest."""
        interval = times(x, y)
        if x.is_constant:
            x, y = y, x
        if y.is_constant:
            coefficients = None if x.coefficients is None else x.coefficients * y.centre[:, None]
            return self.settled(x.centre * y.centre, coefficients, x.rest * np.abs(y.centre), interval)
        coefficients = _added([_scaled(x.coefficients, y.centre), _scaled(y.coefficients, x.centre)])
        rest = x.rest * np.abs(y.centre) + y.rest * np.abs(x.centre) + x.radius * y.radius
        return self.settled(x.centre * y.centre, coefficients, rest, interval)

    def quotient(self, x: Forms, y: Forms) -> Forms:
        """x / y, as x₀/y₀ + (x − (x₀/y₀)·y) / y: what stands above and below the line cancels before it is divided."""
        apart = ~((y.low <= 0) & (y.high >= 0))
        ends = [np.where(apart, a / b, np.nan) for a in (x.low, x.high) for b in (y.low, y.high)]
        interval = np.minimum.reduce(ends), np.maximum.reduce(ends)
        if y.is_constant:
            by = 1 / y.centre
            coefficients = _scaled(x.coefficients, by)
            return self.settled(x.centre * by, coefficients, x.rest * np.abs(by), interval, 2)
        middle = np.clip(y.centre, y.low, y.high)
        base = np.where(apart, x.centre / middle, 0.0)
        constant = Forms(base, None, np.zeros(len(base)), base, base)
        left = self.subtract(x, self.product(constant, y))
        share = self.product(left, self.bent(y, RECIPROCAL, apart))
        coefficients = share.coefficients
        return self.settled(base + share.centre, coefficients, np.where(apart, share.rest, np.inf), interval, 2)

    def bent(self, x: Forms, function: Bent, inside: Flags | None = None) -> Forms:
        """A function bent one way only: a line, and how far it is off at the ends and where it runs parallel."""
        low, high = x.low, x.high
        if inside is not None:  # elsewhere it is not defined over the whole interval
            low, high = np.where(inside, low, np.nan), np.where(inside, high, np.nan)
        at_low, at_high = function.value(low), function.value(high)
        rises = at_low <= at_high
        interval = np.where(rises, at_low, at_high), np.where(rises, at_high, at_low)
        slopes = function.slope(low), function.slope(high)
        slope = np.clip((at_high - at_low) / (high - low), np.fmin(*slopes), np.fmax(*slopes))
        slope = np.where(high - low > 1e-8 * np.abs(high), slope, function.slope(low + (high - low) / 2))
        touching = np.clip(function.parallel(slope, low), low, high)
        off = [function.value(at) - slope * at for at in (low, high, touching)]
        least, most = np.minimum.reduce(off), np.maximum.reduce(off)
        size = np.fmax(np.abs(at_low), np.abs(at_high)) + np.abs(slope) * np.fmax(np.abs(low), np.abs(high))
        rest = (most - least) / 2 + 64 * FLOAT64 * size + np.abs(slope) * x.rest
        centre = slope * x.centre + (least + most) / 2
        return self.settled(centre, _scaled(x.coefficients, slope), rest, interval, 16)

    def sloping(self, x: Forms, value: Array, slopes: tuple[Array, Array], interval: tuple[Array, Array]) -> Forms:
        """A function by its value in the middle of an interval and the bounds of its slope (mean value form)."""
        middle = x.low + (x.high - x.low) / 2
        slope, play = (slopes[0] + slopes[1]) / 2, (slopes[1] - slopes[0]) / 2
        rest = play * (x.high - x.low) / 2 * (1 + _ROUNDINGS) + np.abs(slope) * x.rest
        rest = rest + 64 * FLOAT64 * (np.abs(value) + np.abs(slope * middle))
        centre = value + slope * (x.centre - middle)
        return self.settled(centre, _scaled(x.coefficients, slope), rest, interval, 16)

    def between(self, low: Array, high: Array) -> Forms:
        """Forms of which the interval alone is known."""
        nothing = np.full(len(low), np.nan)
        return self.settled(nothing, None, nothing, (low, high), 0)


@dataclass(frozen=True, slots=True)
class Bent:
    """A function bent one way only, with its slope, and where it has a given slope (near a given place)."""

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    parallel: Callable[[Array, Array], Array]


RECIPROCAL = Bent(lambda y: 1 / y, lambda y: -1 / (y * y), lambda slope, near: np.copysign(np.sqrt(-1 / slope), near))
"""1/y on one side of 0."""


def sum_of(parts: Sequence[Array]) -> Array:
    """The sum of arrays."""
    return np.add.reduce(parts)  # type: ignore[no-any-return]


def times(x: Forms, y: Forms) -> tuple[Array, Array]:
    """The products of the intervals; 0 times anything is 0."""
    ends = [np.where((a == 0) | (b == 0), 0.0, a * b) for a in (x.low, x.high) for b in (y.low, y.high)]
    return np.minimum.reduce(ends), np.maximum.reduce(ends)


def _scaled(coefficients: Array | None, by: Array) -> Array | None:
    return None if coefficients is None else coefficients * by[:, None]


def _added(parts: Sequence[Array | None]) -> Array | None:
    known = [part for part in parts if part is not None]
    return None if not known else known[0] if len(known) == 1 else sum_of(known)
