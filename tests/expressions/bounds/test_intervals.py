"""An interval holds every value that its operands can give, of every operation."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from tests.examples import some
from tests.expressions.drawing import expressions
from tests.operations.drawing import forward, inputs, written_out
from walkthrough.expressions.bounds.intervals import ANY, FLOAT32, FLOAT64, Arithmetic, Interval
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Power, exp, sqrt, square
from walkthrough.operations import OPERATIONS
from walkthrough.operations.definition import Operation

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
    parts = [precise(part, cell) for part in _parts(node)]
    if any(mp.isnan(part) for part in parts):
        return mp.nan
    try:
        return _PRECISE[type(node)](node, parts)
    except (ZeroDivisionError, ValueError, OverflowError):
        return mp.nan


def _parts(node: Expression) -> tuple[Expression, ...]:
    if isinstance(node, Power):
        return node.base, node.exponent
    if isinstance(node, nodes.Difference):
        return node.left, node.right
    if isinstance(node, nodes.Quotient):
        return node.numerator, node.denominator
    if isinstance(node, nodes.Negative):
        return (node.argument,)
    return node._parts()[-1]  # terms, factors or arguments


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
        self.known: dict[Cell, Interval] = {}

    def __call__(self, cell: Cell) -> Interval:
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


def holds(interval: Interval, number: mpf) -> bool:
    return bool(mp.isnan(number) or interval[0] <= number <= interval[1])


def agree(expression: Expression, box: Box, points: int = 12) -> None:
    """Points of the box lie in the interval, and it lies in the one of single precision."""
    plain, coarse = (Arithmetic(box, roundoff).interval(expression) for roundoff in (FLOAT64, FLOAT32))
    assert coarse[0] <= plain[0]
    assert plain[1] <= coarse[1]
    for _ in range(points):
        number = precise(expression, box.point())
        assert holds(plain, number), f"{mp.nstr(number, 20)} is not in {plain}: {expression}"


@settings(max_examples=some(30, 100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(expressions(), st.integers(0, 2**32), st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 2.0]))
def test_any_expression(expression: Expression, seed: int, widest: float) -> None:
    agree(expression, Box(seed, lambda cell: cell.row - cell.column / 2, widest))


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
@given(st.data())
@settings(max_examples=some(4, 12), deadline=None)
def test_every_operation(operation: Operation, data: st.DataObject) -> None:
    arrays, more = data.draw(inputs(operation))
    arrays = [np.round(array, 6) for array in arrays]  # nothing so small that its square is 0
    seed, widest = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from([1e-6, 5e-4, 5e-2, 0.5]))
    box = Box(seed, lambda cell: float(arrays[cell.operand][cell.row, cell.column]), widest)
    rows, columns = forward(operation, arrays, more).shape
    chooser = random.Random(seed)
    for _ in range(3):
        place = chooser.randrange(rows), chooser.randrange(columns)
        agree(written_out(operation.expression(*place, [array.shape for array in arrays], more)), box, points=6)


X = Cell(0, 0, 0)


@pytest.mark.parametrize(
    ("expression", "operand", "wanted"),
    [
        (square(X), (-1.0, 2.0), (0.0, 4.0)),
        (Power(X, Number(3)), (-1.0, 2.0), (-1.0, 8.0)),
        (Power(X, Number(4)), (-2.0, 1.0), (0.0, 16.0)),
        (Power(X, Number(0.5)), (4.0, 9.0), (2.0, 3.0)),
        (Power(X, Number(-1)), (2.0, 4.0), (0.25, 0.5)),
        (Power(X, Number(0.5)), (-1.0, 9.0), ANY),
        (Number(1) / X, (-1.0, 1.0), ANY),
        (Number(1) / X, (2.0, 4.0), (0.25, 0.5)),
        (exp(X), (-math.inf, 0.0), (0.0, 1.0)),
        (sqrt(X), (-1.0, 4.0), (0.0, 2.0)),
        (Call("log", (X,)), (0.0, 1.0), (-math.inf, 0.0)),
        (Call("cos", (X,)), (-1.0, 1.0), (math.cos(1), 1.0)),
        (Call("cos", (X,)), (3.0, 4.0), (-1.0, math.cos(4))),
        (Call("sin", (X,)), (0.0, 100.0), (-1.0, 1.0)),
        (Call("sin", (X,)), ANY, (-1.0, 1.0)),
        (Call("step", (X,)), (-1.0, 1.0), (0.0, 1.0)),
        (Call("max", (X, Number(1))), (0.0, 0.5), (1.0, 1.0)),
        (Call("argmax", (Number(7), X, Number(3), Number(1))), (0.0, 0.5), (3.0, 3.0)),
        (Call("argmax", (Number(7), X, Number(3), Number(1))), (0.5, 2.0), (3.0, 7.0)),
        (X - X, (0.0, 1.0), (0.0, 0.0)),
        (Power(X, Number(-2)), (-1.0, 3.0), ANY),
        (Call("abs", (X,)), (-2.0, 1.0), (0.0, 2.0)),
        (Call("abs", (X,)), (-2.0, -1.0), (1.0, 2.0)),
        (Call("equal", (X, Number(1))), (1.0, 1.0), (1.0, 1.0)),
        (Call("equal", (X, Number(1))), (0.0, 1.0), (0.0, 1.0)),
        (Call("equal", (X, Number(1))), (2.0, 3.0), (0.0, 0.0)),
        (nodes.Where(X, Number(2), Number(5)), (0.0, 0.0), (5.0, 5.0)),
        (nodes.Where(X, Number(2), Number(5)), (0.5, 1.0), (2.0, 2.0)),
        (nodes.Where(X, Number(2), Number(5)), (-0.5, 1.0), (2.0, 5.0)),
        (X * Number(0), ANY, (0.0, 0.0)),
    ],
)
def test_intervals(expression: Expression, operand: Interval, wanted: Interval) -> None:
    low, high = Arithmetic(lambda cell: operand).interval(expression)
    np.testing.assert_allclose((low, high), wanted, rtol=1e-13, atol=1e-13)
    assert low <= wanted[0]
    assert wanted[1] <= high


def test_a_coarser_arithmetic_is_allowed_its_roundings() -> None:
    tenth = Arithmetic(lambda cell: (1.0, 1.0), FLOAT32).interval(Number(0.1) * X)
    assert tenth[0] <= np.float32(0.1) * np.float32(1) <= tenth[1]
    assert tenth == pytest.approx((0.1, 0.1), rel=3e-7)
    assert Arithmetic(lambda cell: (1.0, 1.0), FLOAT32).interval(Number(0.5)) == (0.5, 0.5)
