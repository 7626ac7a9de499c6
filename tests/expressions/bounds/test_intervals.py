"""An interval holds every value that its operands can give, of every operation; narrow ones do, and lose little."""

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
from tests.operations.drawing import forward, inputs
from walkthrough.expressions.bounds.intervals import ANY, FLOAT32, Arithmetic, Interval, intersection
from walkthrough.expressions.bounds.tight import tight_interval
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
    """Points of the box lie in the interval, in the narrow one, and in the one of single precision."""
    plain = Arithmetic(box).interval(expression)
    narrow = tight_interval(expression, box)
    coarse = tight_interval(expression, box, FLOAT32)
    assert plain[0] <= narrow[0] <= narrow[1] <= plain[1]
    assert coarse[0] <= narrow[0]
    assert narrow[1] <= coarse[1]
    for _ in range(points):
        number = precise(expression, box.point())
        assert holds(narrow, number), f"{mp.nstr(number, 20)} is not in {narrow}: {expression}"


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
        agree(
            operation.cell(
                chooser.randrange(rows), chooser.randrange(columns), *(array.shape for array in arrays), **more
            ),
            box,
            points=6,
        )


def reached(expression: Expression, box: Box) -> Interval:
    """The true range, found by going uphill and downhill from corner to corner."""
    cells = list(box.known)
    ends = []
    for sign in (1, -1):
        best = -mp.inf
        for _ in range(6):
            at = {cell: mpf(box.random.choice(box.known[cell])) for cell in cells}
            found, better = sign * precise(expression, at.__getitem__), True
            while better:
                better = False
                for cell in cells:
                    old = at[cell]
                    for share in (0, 0.25, 0.5, 0.75, 1):
                        at[cell] = mpf(box.known[cell][0]) * (1 - share) + mpf(box.known[cell][1]) * share
                        now = sign * precise(expression, at.__getitem__)
                        if now > found + mpf(10) ** -20:
                            found, old, better = now, at[cell], True
                    at[cell] = old
            best = max(best, found)
        ends.append(sign * best)
    return float(ends[1]), float(ends[0])


@pytest.mark.parametrize("width", some([3, 4], [3, 4, 6]))
@pytest.mark.parametrize("radius", [0.0005, 0.005])
@pytest.mark.parametrize("name", ["softmax", "layer_norm", "layer_norm with gamma and beta"])
def test_softmax_and_layer_norm_are_as_narrow_as_they_can_be(name: str, width: int, radius: float) -> None:
    operation = OPERATIONS[name.split()[0]]
    gains = name.endswith("beta")
    given_settings = {"epsilon": 1e-5, "on_std": False, "sample": False, "parts": "gamma beta" if gains else ""}
    for seed in range(some(1, 3)):
        rng = np.random.default_rng(seed)
        arrays = [rng.normal(size=(1, width)) for _ in range(3 if gains else 1)]
        box = Box(seed, lambda cell: float(arrays[cell.operand][cell.row, cell.column]), radius)  # noqa: B023
        box.random = random.Random(seed)
        for at, array in enumerate(arrays):
            box.known |= {Cell(at, 0, j): (x - radius, x + radius) for j, x in enumerate(array[0].tolist())}
        more = {} if name == "softmax" else given_settings
        expression = operation.cell(0, seed % width, *(array.shape for array in arrays), **more)
        low, high = tight_interval(expression, box, cuts=1000)
        true = reached(expression, box)
        assert low <= true[0] + 1e-12
        assert true[1] - 1e-12 <= high
        assert high - low <= 1.05 * (true[1] - true[0]) + 1e-12


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


def test_what_stands_twice_is_remembered() -> None:
    assert tight_interval(X - X, lambda cell: (0.0, 1.0), cuts=1000) == pytest.approx((0, 0), abs=1e-12)
    assert tight_interval(X / (X + Number(1)), lambda cell: (1.0, 3.0), cuts=1000) == pytest.approx(
        (0.5, 0.75), abs=0.02
    )


def test_a_coarser_arithmetic_is_allowed_its_roundings() -> None:
    tenth = Arithmetic(lambda cell: (1.0, 1.0), FLOAT32).interval(Number(0.1) * X)
    assert tenth[0] <= np.float32(0.1) * np.float32(1) <= tenth[1]
    assert tenth == pytest.approx((0.1, 0.1), rel=3e-7)
    assert Arithmetic(lambda cell: (1.0, 1.0), FLOAT32).interval(Number(0.5)) == (0.5, 0.5)


def test_intersections() -> None:
    assert intersection((0, 2), (1, 3)) == (1, 2)
    assert intersection((0, 1), (2, 3)) == (0, 1)
