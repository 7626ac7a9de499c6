"""What the functions of an expression make of affine forms."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from walkthrough.expressions.bounds.affine import AffineArithmetic, ConvexOrConcave
from walkthrough.expressions.bounds.forms import Forms, numbers, sum_of
from walkthrough.expressions.fold.arrays import erf, nearest
from walkthrough.expressions.tree.aliases import Array, Flags

_EXP = ConvexOrConcave(np.exp, np.exp, lambda slope, near: np.log(slope))
_LOG = ConvexOrConcave(np.log, lambda x: 1 / x, lambda slope, near: 1 / slope)
_SQRT = ConvexOrConcave(np.sqrt, lambda x: 0.5 / np.sqrt(x), lambda slope, near: 0.25 / (slope * slope))
_SQUARE = ConvexOrConcave(np.square, lambda x: 2 * x, lambda slope, near: slope / 2)


def square(within: AffineArithmetic, x: Forms) -> Forms:
    """x²."""
    squared = within.apply_curve(x, _SQUARE)
    across = (x.low < 0) & (x.high > 0)
    far = np.fmax(np.abs(x.low), np.abs(x.high))
    low = np.where(across, 0.0, squared.low)
    high = np.where(across, far * far * (1 + 1e-15), squared.high)
    return Forms(squared.centre, squared.coefficients, squared.rest, low, high)


def power(within: AffineArithmetic, x: Forms, exponent: float) -> Forms:
    """x to a constant power."""
    if exponent == 2:
        return square(within, x)
    if exponent < 0 or not float(exponent).is_integer():
        return _root(within, x, exponent)
    ends = x.low**exponent, x.high**exponent
    across = (x.low < 0) & (x.high > 0) & (exponent % 2 == 0)
    interval = np.where(across, 0.0, np.fmin(*ends)), np.fmax(*ends)
    steep = x.low ** (exponent - 1), x.high ** (exponent - 1)
    flat = (x.low < 0) & (x.high > 0) & (exponent % 2 == 1)
    slopes = exponent * np.where(flat, 0.0, np.fmin(*steep)), exponent * np.fmax(*steep)
    middle = x.low + (x.high - x.low) / 2
    return within.apply_slope(x, middle**exponent, slopes, interval)


def _root(within: AffineArithmetic, x: Forms, exponent: float) -> Forms:
    """A power that only a positive number has."""
    ends = x.low**exponent, x.high**exponent
    steep = exponent * x.low ** (exponent - 1), exponent * x.high ** (exponent - 1)
    positive = x.low > 0
    interval = [np.where(positive, end, np.nan) for end in (np.fmin(*ends), np.fmax(*ends))]
    slopes = [np.where(positive, end, np.nan) for end in (np.fmin(*steep), np.fmax(*steep))]
    middle = x.low + (x.high - x.low) / 2
    return within.apply_slope(x, middle**exponent, (slopes[0], slopes[1]), (interval[0], interval[1]))


def _curve(
    value: Callable[[Array], Array], slope: Callable[[Array], Array]
) -> Callable[[AffineArithmetic, Forms], Forms]:
    """A rising function whose slope is largest at 0 and falls off on both sides."""

    def form(within: AffineArithmetic, x: Forms) -> Forms:
        near = np.clip(0.0, x.low, x.high)
        far = np.fmax(np.abs(x.low), np.abs(x.high))
        middle = x.low + (x.high - x.low) / 2
        interval = value(x.low), value(x.high)
        return within.apply_slope(x, value(middle), (slope(far), slope(near)), interval)

    return form


def _wave(
    value: Callable[[Array], Array], slope: Callable[[Array], Array]
) -> Callable[[AffineArithmetic, Forms], Forms]:
    """Sine and cosine, whose slope changes no faster than their argument."""

    def form(within: AffineArithmetic, x: Forms) -> Forms:
        middle, half = x.low + (x.high - x.low) / 2, (x.high - x.low) / 2
        steep, at = slope(middle), value(middle)
        slack = half + 1e-15 * np.fmax(np.abs(x.low), np.abs(x.high)) + 1e-15
        interval = np.fmax(at - slack, -1.0), np.fmin(at + slack, 1.0)
        anywhere = ~np.isfinite(slack)
        interval = np.where(anywhere, -1.0, interval[0]), np.where(anywhere, 1.0, interval[1])
        return within.apply_slope(x, at, (steep - half, steep + half), interval)

    return form


def _of_larger(within: AffineArithmetic, x: Forms, y: Forms) -> Forms:
    """The larger of two: y + max(0, x − y), which is a line where it is known which one is larger."""
    ahead = within.subtract(x, y)
    low, high = np.fmin(ahead.low, 0.0), np.fmax(ahead.high, 0.0)
    slope = np.where(ahead.low >= 0, 1.0, np.where(ahead.high <= 0, 0.0, high / (high - low)))
    kink = np.where((ahead.low < 0) & (ahead.high > 0), -slope * low / 2, 0.0)
    rise = within.product(numbers(slope), ahead) if np.isfinite(slope).all() else within.from_interval(low * 0, high)
    rise = within.form(rise.centre + kink, rise.coefficients, rise.rest + kink, (np.fmax(ahead.low, 0.0), high), 0)
    larger = within.add([y, rise])
    interval = np.fmax(x.low, y.low), np.fmax(x.high, y.high)
    return within.form(larger.centre, larger.coefficients, larger.rest, interval, 0)


def maximum(within: AffineArithmetic, arguments: Sequence[Forms]) -> Forms:
    """The largest of several."""
    return reduce(lambda x, y: _of_larger(within, y, x), arguments)


def equal(within: AffineArithmetic, x: Forms, y: Forms) -> Forms:
    """1 where two numbers are one, 0 where they cannot be."""
    apart = within.subtract(x, y)
    is_possible = (x.low <= y.high) & (y.low <= x.high) & ~((apart.low > 0) | (apart.high < 0))
    is_certain = is_possible & (x.low == x.high) & (y.low == y.high)
    return within.from_interval(is_certain.astype(float), is_possible.astype(float))


def where(within: AffineArithmetic, condition: Forms, then: Forms, otherwise: Forms) -> Forms:
    """The one that the condition chooses; where it may be either, what both hold."""
    is_certain = (condition.low > 0) | (condition.high < 0)
    is_excluded = (condition.low == 0) & (condition.high == 0)
    chosen = [
        np.where(is_certain, getattr(then, name), np.where(is_excluded, getattr(otherwise, name), either))
        for name, either in (
            ("centre", np.nan),
            ("rest", np.nan),
            ("low", np.fmin(then.low, otherwise.low)),
            ("high", np.fmax(then.high, otherwise.high)),
        )
    ]
    parts = [
        one.coefficients * is_chosen[..., None]
        for one, is_chosen in ((then, is_certain), (otherwise, is_excluded))
        if one.coefficients is not None
    ]
    coefficients = sum_of(parts) if parts else None
    return within.form(chosen[0], coefficients, chosen[1], (chosen[2], chosen[3]), 0)


def _step(within: AffineArithmetic, x: Forms) -> Forms:
    return within.from_interval((x.low > 0).astype(float), (x.high > 0).astype(float))


def _round(within: AffineArithmetic, x: Forms) -> Forms:
    return within.from_interval(nearest(x.low), nearest(x.high))


def argmax(within: AffineArithmetic, labels: Sequence[Forms], values: Sequence[Forms]) -> Forms:
    """The smallest and the largest label that may be that of the largest number."""
    certain = reduce(np.fmax, [one.low for one in values])

    def may_be(at: int) -> Flags:
        others = (within.subtract(values[at], other).high >= 0 for place, other in enumerate(values) if place != at)
        fits = values[at].high >= certain
        return reduce(np.logical_and, others, fits) if fits.any() else fits

    order = sorted(range(len(labels)), key=lambda at: float(labels[at].low.flat[0]))
    low, high = (_first(may_be, places, labels) for places in (order, order[::-1]))
    return within.from_interval(low, high)


def _first(may_be: Callable[[int], Flags], places: Sequence[int], labels: Sequence[Forms]) -> Array:
    """The label of the first place that may be it."""
    found: Array = np.full((1,), np.nan)
    for at in places:
        if not np.isnan(found).any():
            break
        found = np.where(np.isnan(found) & may_be(at), labels[at].low, found)
    return found


FUNCTIONS: dict[str, Callable[..., Forms]] = {
    "exp": lambda within, x: within.apply_curve(x, _EXP),
    "log": lambda within, x: within.apply_curve(_positive(x), _LOG),
    "sqrt": lambda within, x: within.apply_curve(_positive(x), _SQRT),
    "sin": _wave(np.sin, np.cos),
    "cos": _wave(np.cos, lambda x: -np.sin(x)),
    "tanh": _curve(np.tanh, lambda x: 1 - np.square(np.tanh(x))),
    "erf": _curve(erf, lambda x: 2 / math.sqrt(math.pi) * np.exp(-np.square(x))),
    "abs": lambda within, x: _positive(_of_larger(within, x, within.negative(x))),
    "round": _round,
    "step": _step,
    "equal": equal,
    "max": lambda within, *arguments: maximum(within, arguments),
    "argmax": lambda within, *pairs: argmax(within, pairs[::2], pairs[1::2]),
}
"""One row for each function that a `Call` may name."""


def _positive(x: Forms) -> Forms:
    return Forms(x.centre, x.coefficients, x.rest, np.fmax(x.low, 0.0), np.fmax(x.high, 0.0))
