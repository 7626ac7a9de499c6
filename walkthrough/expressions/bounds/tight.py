"""Narrow intervals for expressions in which one cell stands several times.

Plain interval arithmetic forgets that the same number stands above and below a line: softmax and layer norm come out
1.1 to 3.4 times too wide. Slopes remember it: where an expression only rises (or only falls) in a cell over its whole
interval, its ends lie at the cell's ends; for the other cells the mean value form holds, f(m) + slope·(x − m). What is
still too wide is cut in two, as often as there is patience for.
Moore, Kearfott and Cloud, Introduction to Interval Analysis, 2009, ch. 6 and 11.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

from walkthrough.expressions.bounds.intervals import (
    ANY,
    FLOAT64,
    Arithmetic,
    Bounds,
    Interval,
    intersection,
    is_chosen,
    times,
)
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Cell, Expression, Number
from walkthrough.expressions.tree.walk import children

Slopes = dict[Cell, Interval]
Box = dict[Cell, Interval]
_NEAR = 0.02
"""Share of the way from the middle to an end that the end may be too far out."""


@dataclass(slots=True)
class Patience:
    """How many evaluations of parts of expressions are left; a larger expression is cut less often."""

    parts: int = 500_000


def tight_interval(
    expression: Expression,
    cell: Bounds,
    roundoff: float = FLOAT64,
    cuts: int = 0,
    wanted: Interval | None = None,
    patience: Patience | None = None,
) -> Interval:
    """The interval of an expression, as narrow as slopes and so many cuts make it.

    The roundings of a coarser arithmetic than float64 come on top.
    wanted: it is only asked whether the two meet, and no further is cut than that takes
    """
    order: list[Expression] = []
    _collect(expression, order, set())
    box = {leaf: cell(leaf) for leaf in order if isinstance(leaf, Cell)}
    patience = patience or Patience()
    patience.parts -= len(order)
    naive = Arithmetic(box.__getitem__).interval(expression)
    margin = 0.0
    if roundoff > FLOAT64:
        margin = _margin(naive, Arithmetic(box.__getitem__, roundoff).interval(expression))
    low, high = wanted or (math.nan, math.nan)
    first, second = (_Search(one, len(order), cuts, patience) for one in (expression, nodes.Negative(expression)))
    highest, lowest = first.highest(box, low - margin), -second.highest(box, -high - margin)
    narrow = intersection(naive, (lowest, highest))
    return (narrow[0] - margin, narrow[1] + margin) if math.isfinite(margin) else ANY


def _margin(naive: Interval, coarse: Interval) -> float:
    """What a coarser arithmetic may be off by: twice as much as it widens the plain interval at either end."""
    ends = [2 * (near - far) for near, far in ((naive[0], coarse[0]), (coarse[1], naive[1])) if near != far]
    return math.inf if any(map(math.isnan, ends)) else max(ends, default=0.0)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the box: no value in it lies above `high`; the widest of its cells, if one is left to be cut."""

    box: Box
    high: float
    widest: Cell | None


@dataclass(frozen=True, slots=True)
class _Search:
    """Looks for the highest value of an expression of this size, by so many cuts while there is patience."""

    expression: Expression
    size: int
    cuts: int
    patience: Patience

    def highest(self, box: Box, enough: float) -> float:
        """What no value exceeds; cut no further once it is known on which side of `enough` it lies."""
        first = self._part(box)
        number = itertools.count()
        parts = [(-first.high, next(number), first)]
        middle = reached = self._at_middle(box)
        for _ in range(self.cuts):
            top = parts[0][2]
            reached = max(reached, self._at_middle(top.box))
            decided = reached >= enough or top.high < enough or self.patience.parts <= 0
            if decided or top.widest is None or top.high - reached <= _NEAR * (top.high - middle):
                break
            heapq.heappop(parts)
            low, high = top.box[top.widest]
            for half in ((low, (low + high) / 2), ((low + high) / 2, high)):
                part = self._part({**top.box, top.widest: half})
                heapq.heappush(parts, (-min(part.high, top.high), next(number), part))
        return -parts[0][0]

    def _at_middle(self, box: Box) -> float:
        """A value that is reached."""
        self.patience.parts -= self.size
        return Arithmetic(_middle(box)).interval(self.expression)[0]

    def _part(self, box: Box) -> _Part:
        """A part of the box, with each cell in which the expression is monotone at the end that makes it largest."""
        expression, high = self.expression, math.inf
        while True:
            self.patience.parts -= 4 * self.size  # forwards, backwards, and in the middle
            within = Arithmetic(box.__getitem__)
            high = min(high, within.interval(expression)[1])
            slopes = _slopes(expression, within)
            if any(not math.isfinite(end) for slope in slopes.values() for end in slope):
                return _Part(box, high, None)
            fixed = {leaf: end for leaf, slope in slopes.items() if (end := _end(box[leaf], slope)) != box[leaf]}
            if not fixed:
                break
            box = {**box, **fixed}
        influence = {leaf: max(map(abs, slope)) * _width(box[leaf]) / 2 for leaf, slope in slopes.items()}
        by_mean = Arithmetic(_middle(box)).interval(expression)[1] + math.fsum(influence.values())
        by_mean += 64 * FLOAT64 * abs(by_mean)
        widest = max(influence, key=influence.__getitem__, default=None)
        return _Part(box, min(high, by_mean), widest if widest is not None and influence[widest] > 0 else None)


def _end(interval: Interval, slope: Interval) -> Interval:
    """The end of a cell's interval at which the expression is largest; the whole interval where it may be inside."""
    low, high = interval
    return (high, high) if slope[0] >= 0 else (low, low) if slope[1] <= 0 else interval


def _width(interval: Interval) -> float:
    """0 for a single number, a hidden score too."""
    return interval[1] - interval[0] if interval[0] != interval[1] else 0.0


def _middle(box: Box) -> Bounds:
    def middle(leaf: Cell) -> Interval:
        low, high = box[leaf]
        return (low + high) / 2, (low + high) / 2

    return middle


def _slopes(expression: Expression, within: Arithmetic) -> Slopes:
    """The derivative by every cell, over the whole of the cells' intervals; backwards through the shared parts."""
    order: list[Expression] = []
    _collect(expression, order, set())
    adjoints: dict[int, Interval] = {id(expression): (1.0, 1.0)}
    slopes: Slopes = {}
    for node in reversed(order):
        adjoint = adjoints.get(id(node), (0.0, 0.0))
        if isinstance(node, Cell):
            slopes[node] = _plus(slopes.get(node, (0.0, 0.0)), adjoint)
            continue
        for child, partial in _PARTIALS[type(node)](node, within):
            adjoints[id(child)] = _plus(adjoints.get(id(child), (0.0, 0.0)), times(adjoint, partial))
    return slopes


def _collect(node: Expression, order: list[Expression], seen: set[int]) -> None:
    """Every part once, each behind the parts it is made of."""
    if id(node) in seen:
        return
    seen.add(id(node))
    for child in children(node):
        _collect(child, order, seen)
    order.append(node)


def _plus(first: Interval, second: Interval) -> Interval:
    return first[0] + second[0], first[1] + second[1]


Partials = list[tuple[Expression, Interval]]


def _product(node: nodes.Product, within: Arithmetic) -> Partials:
    partials = []
    for at, factor in enumerate(node.factors):
        others: Interval = (1.0, 1.0)
        for number, other in enumerate(node.factors):
            if number != at:
                others = times(others, within.interval(other))
        partials.append((factor, others))
    return partials


def _quotient(node: nodes.Quotient, within: Arithmetic) -> Partials:
    one = within.interval(Number(1) / node.denominator)
    whole = within.interval(node)
    return [(node.numerator, one), (node.denominator, times((-one[1], -one[0]), whole))]


def _power(node: nodes.Power, within: Arithmetic) -> Partials:
    exponent = within.interval(node.exponent)[0]
    below = within.interval(nodes.Power(node.base, Number(exponent - 1)))
    return [(node.base, times((exponent, exponent), below))]


def _call(node: nodes.Call, within: Arithmetic) -> Partials:
    if node.function == "max":
        return [(argument, (0.0, 1.0)) for argument in node.arguments]
    if node.function == "abs":
        return [(node.arguments[0], (-1.0, 1.0))]
    rule = _FUNCTION_SLOPES.get(node.function)
    if rule is None:
        return [(argument, ANY) for argument in node.arguments]
    return [(node.arguments[0], within.interval(rule(node.arguments[0])))]


_FUNCTION_SLOPES: dict[str, Callable[[Expression], Expression]] = {
    "exp": nodes.exp,
    "log": lambda x: Number(1) / x,
    "sqrt": lambda x: Number(0.5) / nodes.sqrt(x),
    "sin": lambda x: nodes.Call("cos", (x,)),
    "cos": lambda x: -nodes.Call("sin", (x,)),
    "tanh": lambda x: Number(1) - nodes.square(nodes.Call("tanh", (x,))),
    "erf": lambda x: Number(2 / math.sqrt(math.pi)) * nodes.exp(-nodes.square(x)),
}


def _where(node: nodes.Where, within: Arithmetic) -> Partials:
    """The slopes of the branch taken; none are known where it may be either."""
    chosen = is_chosen(node, within)
    if chosen is None:
        return [(part, ANY) for part in children(node)]
    return [(node.then if chosen else node.otherwise, _ONE)]


def _difference(node: nodes.Difference, within: Arithmetic) -> Partials:
    return [] if node.left == node.right else [(node.left, _ONE), (node.right, (-1.0, -1.0))]


_ONE: Interval = (1.0, 1.0)
_PARTIALS: dict[type[Expression], Callable[..., Partials]] = {
    nodes.Number: lambda node, within: [],
    nodes.Sum: lambda node, within: [(term, _ONE) for term in node.terms],
    nodes.Difference: _difference,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Negative: lambda node, within: [(node.argument, (-1.0, -1.0))],
    nodes.Power: _power,
    nodes.Call: _call,
    nodes.Where: _where,
}
