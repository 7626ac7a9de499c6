"""Points within intervals, and the values of expressions there with 50 digits: what bounds must hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from mpmath import mp, mpf

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Power
from walkthrough.expressions.tree.walk import parts

mp.dps = 50
Values = Callable[[Cell], mpf]


def precise(node: Expression, cell: Values) -> mpf:
    """The value of an expression with 50 digits; nan where it has none."""
    if isinstance(node, Number):
        return mpf(node.value)
    if isinstance(node, Cell):
        return cell(node)
    if isinstance(node, nodes.Where):
        condition = precise(node.condition, cell)
        return mp.nan if mp.isnan(condition) else precise(node.then if condition else node.otherwise, cell)
    numbers = [precise(part, cell) for part in parts(node)]
    if any(map(mp.isnan, numbers)):
        return mp.nan
    try:
        return _PRECISE[type(node)](node, numbers)
    except (ZeroDivisionError, ValueError, OverflowError):
        return mp.nan


def _real(number: Any) -> mpf:
    if isinstance(number, mpf):
        return number
    raise ValueError("not a real number")


_FUNCTIONS: dict[str, Callable[..., mpf]] = {
    "exp": mp.exp,
    "log": lambda x: mp.log(x) if x > 0 else mp.nan,
    "sqrt": lambda x: mp.sqrt(x) if x >= 0 else mp.nan,
    "sin": mp.sin,
    "cos": mp.cos,
    "tanh": mp.tanh,
    "erf": mp.erf,
    "abs": abs,
    "round": lambda x: mp.nint(mp.nint(x * 10**12) / 10**12),
    "max": lambda *values: max(values),
    "equal": lambda left, right: mpf(left == right),
    "step": lambda x: mpf(x > 0),
    "argmax": lambda *pairs: pairs[2 * max(range(len(pairs) // 2), key=lambda at: (pairs[2 * at + 1], -at))],
}
_PRECISE: dict[type[Expression], Callable[[Any, list[mpf]], mpf]] = {
    nodes.Sum: lambda node, parts: mp.fsum(parts),
    nodes.Difference: lambda node, parts: parts[0] - parts[1],
    nodes.Product: lambda node, parts: mp.fprod(parts),
    nodes.Quotient: lambda node, parts: parts[0] / parts[1] if parts[1] else mp.nan,
    nodes.Negative: lambda node, parts: -parts[0],
    Power: lambda node, parts: _real(parts[0] ** parts[1]) if parts[0] or parts[1] > 0 else mp.nan,
    Call: lambda node, parts: _FUNCTIONS[node.function](*parts),
}


class Box:
    """Intervals of cells, and points in them: corners, middles and anywhere."""

    def __init__(self, seed: int, centre: Callable[[Cell], float], widest: float) -> None:
        self.random = random.Random(seed)
        self.centre = centre
        self.widest = widest
        self.known: dict[Cell, tuple[float, float]] = {}

    def __call__(self, cell: Cell) -> tuple[float, float]:
        if cell not in self.known:
            middle, radius = self.centre(cell), self.widest * self.random.choice([0.0, 0.01, 0.3, 1.0])
            self.known[cell] = middle - radius, middle + radius
        return self.known[cell]

    def point(self) -> Values:
        """Some point of the box."""
        chosen: dict[Cell, mpf] = {}

        def value(cell: Cell) -> mpf:
            if cell not in chosen:
                low, high = map(mpf, self(cell))
                share = mpf(self.random.choice([0.0, 1.0, 0.5, self.random.random()]))
                chosen[cell] = low + (high - low) * share
            return chosen[cell]

        return value
