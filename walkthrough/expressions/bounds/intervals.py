"""Evaluates an expression over intervals: the result holds every value that the operands in theirs can give.

Rounded outward: every rounding of every operation is counted, with the unit roundoff of the arithmetic in question
(2⁻⁵³ for float64; 2⁻²⁴ bounds a program that worked in float32). Moore, Interval Analysis, 1966.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from walkthrough.expressions.tree import evaluate, nodes
from walkthrough.expressions.tree.nodes import Expression

Interval = tuple[float, float]
Bounds = Callable[[nodes.Cell], Interval]

FLOAT64 = 2.0**-53
FLOAT32 = 2.0**-24
_FUNCTION = 16
"""Roundings of a function such as e^x, and of what libraries compute it from."""
ANY: Interval = (-math.inf, math.inf)
"""Nothing is known."""


class Arithmetic:
    """The cells' intervals, and the unit roundoff that every operation may be off by."""

    def __init__(self, cell: Bounds, roundoff: float = FLOAT64) -> None:
        self.cell = cell
        self.roundoff = roundoff
        self._known: dict[int, tuple[Expression, Interval]] = {}

    def interval(self, expression: Expression) -> Interval:
        """The interval of an expression; a part that stands in several places is computed once."""
        known = self._known.get(id(expression))
        if known is None:
            known = self._known[id(expression)] = expression, _RULES[type(expression)](expression, self)
        return known[1]

    def widened(self, low: float, high: float, roundings: int = 1) -> Interval:
        """An interval made wider by so many roundings of its ends."""
        if math.isnan(low) or math.isnan(high):
            return ANY
        below, above = (abs(end) * roundings * self.roundoff for end in (low, high))
        return low - below if math.isfinite(low) else low, high + above if math.isfinite(high) else high


def _number(node: nodes.Number, within: Arithmetic) -> Interval:
    """A constant; a coarser arithmetic than ours may have had to round it."""
    value = float(node.value)
    if within.roundoff > FLOAT64 and value * 2**24 % 1 != 0:
        return within.widened(value, value)
    return value, value


def _sum(node: nodes.Sum, within: Arithmetic) -> Interval:
    parts = [within.interval(term) for term in node.terms]
    if not all(math.isfinite(end) for part in parts for end in part):
        return within.widened(sum(low for low, _ in parts), sum(high for _, high in parts))
    margin = within.roundoff * len(parts) * math.fsum(max(abs(low), abs(high)) for low, high in parts)
    return math.fsum(low for low, _ in parts) - margin, math.fsum(high for _, high in parts) + margin


def _difference(node: nodes.Difference, within: Arithmetic) -> Interval:
    if node.left == node.right:
        return 0.0, 0.0
    left, right = within.interval(node.left), within.interval(node.right)
    return within.widened(left[0] - right[1], left[1] - right[0])


def _times(left: Interval, right: Interval) -> Interval:
    """The product of two intervals; 0 times anything is 0."""
    ends = [0.0 if 0 in (a, b) else a * b for a in left for b in right]
    return min(ends), max(ends)


def _product(node: nodes.Product, within: Arithmetic) -> Interval:
    result = within.interval(node.factors[0])
    for factor in node.factors[1:]:
        result = within.widened(*_times(result, within.interval(factor)))
    return result


def _quotient(node: nodes.Quotient, within: Arithmetic) -> Interval:
    top, bottom = within.interval(node.numerator), within.interval(node.denominator)
    if bottom[0] <= 0 <= bottom[1]:
        return ANY
    ends = [a / b if math.isfinite(a) or math.isfinite(b) else math.nan for a in top for b in bottom]
    return ANY if any(map(math.isnan, ends)) else within.widened(min(ends), max(ends))


def _power(node: nodes.Power, within: Arithmetic) -> Interval:
    low, high = within.interval(node.base)
    exponent = evaluate.evaluate(node.exponent, _no_cells)
    if exponent < 0 and low <= 0 <= high:
        return ANY
    if low < 0 and exponent == 2:
        ends = (low * low, high * high)
        return within.widened(0.0 if low <= 0 <= high else min(ends), max(ends), 2)
    if low < 0 and not float(exponent).is_integer():
        return ANY
    ends = (_raised(low, exponent), _raised(high, exponent))
    if low < 0 and exponent % 2 == 0:
        return within.widened(0.0 if low <= 0 <= high else min(ends), max(ends), _FUNCTION)
    return within.widened(min(ends), max(ends), _FUNCTION)


def _raised(base: float, exponent: float) -> float:
    try:
        return float(base**exponent)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _no_cells(cell: nodes.Cell) -> float:
    raise ValueError("an exponent is a constant")


def _where(node: nodes.Where, within: Arithmetic) -> Interval:
    """The branch that the condition chooses; where it may be either way, what both hold."""
    then, otherwise = within.interval(node.then), within.interval(node.otherwise)
    low, high = within.interval(node.condition)
    if not low <= 0 <= high:
        return then
    return otherwise if low == high else (min(then[0], otherwise[0]), max(then[1], otherwise[1]))


def _call(node: nodes.Call, within: Arithmetic) -> Interval:
    arguments = [within.interval(argument) for argument in node.arguments]
    return FUNCTIONS[node.function](within, *arguments)


def _rising(name: str) -> Callable[..., Interval]:
    """A function that rises everywhere: its ends are the ends."""
    function = evaluate.FUNCTIONS[name]

    def bounds(within: Arithmetic, argument: Interval) -> Interval:
        return within.widened(function(argument[0]), function(argument[1]), _FUNCTION)

    return bounds


def _sqrt(within: Arithmetic, argument: Interval) -> Interval:
    return within.widened(math.sqrt(max(argument[0], 0.0)), math.sqrt(max(argument[1], 0.0)), 2)


def _log(within: Arithmetic, argument: Interval) -> Interval:
    low, high = (evaluate.FUNCTIONS["log"](max(end, 0.0)) for end in argument)
    return within.widened(low, high, _FUNCTION)


def _cos(within: Arithmetic, argument: Interval) -> Interval:
    low, high = argument
    if not math.isfinite(high - low) or high - low >= 2 * math.pi:
        return -1.0, 1.0
    ends = sorted((math.cos(low), math.cos(high)))
    turns = range(math.floor(low / math.pi), math.ceil(high / math.pi) + 1)
    inside = [turn for turn in turns if low <= turn * math.pi <= high]
    top = 1.0 if any(turn % 2 == 0 for turn in inside) else ends[1]
    bottom = -1.0 if any(turn % 2 for turn in inside) else ends[0]
    slack = _FUNCTION * within.roundoff * (1 + max(abs(low), abs(high)))  # the argument itself is rounded
    return max(bottom - slack, -1.0), min(top + slack, 1.0)


def _sin(within: Arithmetic, argument: Interval) -> Interval:
    return _cos(within, (argument[0] - math.pi / 2, argument[1] - math.pi / 2))


def _max(within: Arithmetic, *arguments: Interval) -> Interval:
    return max(low for low, _ in arguments), max(high for _, high in arguments)


def _abs(within: Arithmetic, argument: Interval) -> Interval:
    low, high = sorted(map(abs, argument))
    return (0.0 if argument[0] <= 0 <= argument[1] else low), high


def _equal(within: Arithmetic, left: Interval, right: Interval) -> Interval:
    is_possible = left[0] <= right[1] and right[0] <= left[1]
    is_certain = is_possible and left[0] == left[1] == right[0] == right[1]
    return float(is_certain), float(is_possible)


def _step(within: Arithmetic, argument: Interval) -> Interval:
    return float(argument[0] > 0), float(argument[1] > 0)


def _argmax(within: Arithmetic, *pairs: Interval) -> Interval:
    labels, values = pairs[::2], pairs[1::2]
    certain = max(low for low, _ in values)
    possible = [label for label, value in zip(labels, values, strict=True) if not value[1] < certain]
    return min(low for low, _ in possible), max(high for _, high in possible)


FUNCTIONS: dict[str, Callable[..., Interval]] = {
    "exp": _rising("exp"),
    "log": _log,
    "sqrt": _sqrt,
    "sin": _sin,
    "cos": _cos,
    "tanh": _rising("tanh"),
    "erf": _rising("erf"),
    "abs": _abs,
    "max": _max,
    "step": _step,
    "equal": _equal,
    "argmax": _argmax,
}

_RULES: dict[type[Expression], Callable[..., Interval]] = {
    nodes.Number: _number,
    nodes.Cell: lambda node, within: within.cell(node),
    nodes.Sum: _sum,
    nodes.Difference: _difference,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Negative: lambda node, within: tuple(-end for end in reversed(within.interval(node.argument))),
    nodes.Power: _power,
    nodes.Call: _call,
    nodes.Where: _where,
}
