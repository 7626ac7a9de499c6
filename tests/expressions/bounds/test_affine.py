"""An affine form holds what its operands can give, point by point, of every operation; and remembers what repeats."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from tests.examples import some
from tests.expressions.bounds.test_intervals import Box, precise
from tests.expressions.drawing import expressions
from tests.operations.drawing import forward, inputs, written_out
from walkthrough.expressions.bounds.affine import Affine, Forms
from walkthrough.expressions.bounds.intervals import FLOAT32, FLOAT64
from walkthrough.expressions.fold.batches import batches
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, exp, sqrt, square
from walkthrough.expressions.tree.walk import cells
from walkthrough.operations import OPERATIONS
from walkthrough.operations.definition import Operation


def formed(several: Sequence[Expression], box: Box, roundoff: float = FLOAT64) -> tuple[list[Cell], Forms]:
    """The forms of expressions whose cells vary independently, each by a symbol of its own; and the cells."""
    leaves = list(dict.fromkeys(leaf for one in several for leaf in cells(one)))
    ends = np.array([box(leaf) for leaf in leaves], dtype=np.float64).reshape(-1, 2)
    centre, radius = ends.mean(axis=1), np.diff(ends, axis=1)[:, 0] / 2
    given_forms = Forms(centre, np.diag(radius), np.full(len(leaves), 1e-15), ends[:, 0], ends[:, 1])
    size = len(several)
    found = Forms(np.zeros(size), np.zeros((size, len(leaves))), np.zeros(size), np.zeros(size), np.zeros(size))
    for batch in batches(several, leaves.index):
        with np.errstate(all="ignore"):
            part = batch.evaluated(given_forms, Affine(roundoff))
        for name in ("centre", "rest", "low", "high"):
            getattr(found, name)[batch.places] = getattr(part, name)
        if part.coefficients is not None:
            assert found.coefficients is not None
            found.coefficients[batch.places] = part.coefficients
    return leaves, found


def holds(several: Sequence[Expression], box: Box, points: int) -> None:
    """Points of the box lie in the intervals, and where the forms say that they do."""
    leaves, forms = formed(several, box)
    _, coarse = formed(several, box, FLOAT32)
    assert forms.coefficients is not None
    for _ in range(points):
        point = box.point()
        share = {leaf: _share(box(leaf), point(leaf)) for leaf in leaves}
        for at, expression in enumerate(several):
            number = precise(expression, point)
            if mp.isnan(number):
                continue
            said = f"{mp.nstr(number, 20)}: {expression}"
            assert forms.low[at] <= number <= forms.high[at], said
            assert coarse.low[at] <= number <= coarse.high[at], said
            if np.isfinite(forms.rest[at]):
                line = mpf(forms.centre[at]) + mp.fsum(
                    mpf(slope) * share[leaf] for slope, leaf in zip(forms.coefficients[at], leaves, strict=True)
                )
                assert abs(number - line) <= forms.rest[at], said


def _share(ends: tuple[float, float], at: mpf) -> mpf:
    """Where between −1 and 1 a point lies."""
    low, high = map(mpf, ends)
    return mpf(0) if low == high else (2 * at - low - high) / (high - low)


@given(expressions(), st.integers(0, 2**32), st.sampled_from([0.0, 1e-9, 1e-3, 0.1, 2.0]))
@settings(max_examples=some(10, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_expression(expression: Expression, seed: int, widest: float) -> None:
    holds([expression], Box(seed, lambda cell: cell.row - cell.column / 2, widest), 8)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
@given(st.data())
@settings(max_examples=some(3, 8), deadline=None)
def test_every_operation(operation: Operation, data: st.DataObject) -> None:
    arrays, more = data.draw(inputs(operation))
    arrays = [np.round(array, 6) for array in arrays]  # nothing so small that its square is 0
    seed, widest = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from([1e-6, 5e-4, 5e-2, 0.5]))
    box = Box(seed, lambda cell: float(arrays[cell.operand][cell.row, cell.column]), widest)
    rows, columns = forward(operation, arrays, more).shape
    places = [(row, column) for row in range(rows) for column in range(columns)]
    some = random.Random(seed).sample(places, min(4, len(places)))
    shapes = [array.shape for array in arrays]
    holds([written_out(operation.cell(row, column, *shapes, **more)) for row, column in some], box, 4)


X, Y = Cell(0, 0, 0), Cell(0, 0, 1)


class Fixed(Box):
    """The same interval for each cell."""

    def __init__(self, low: float, high: float) -> None:
        super().__init__(0, lambda cell: 0.0, 0.0)
        self.ends = low, high

    def __call__(self, cell: Cell) -> tuple[float, float]:
        return self.ends


def width(expression: Expression, low: float, high: float) -> float:
    _, forms = formed([expression], Fixed(low, high))
    return float(forms.high[0] - forms.low[0])


def test_what_stands_twice_is_remembered() -> None:
    assert width(X - X, 0, 1) < 1e-12
    assert width((X + Y) - (X - Y), 0, 1) == pytest.approx(2)
    assert width(X / (X + Y), 1.00, 1.01) == pytest.approx(0.005, rel=0.02)
    assert width(exp(X) / (exp(X) + exp(Y)), 0.00, 0.01) == pytest.approx(0.005, rel=0.02)
    assert width(X * Number(2) - X, 0, 1) == pytest.approx(1)


@pytest.mark.parametrize(
    ("expression", "low", "high", "wanted"),
    [
        (square(X), -1.0, 2.0, (0, 4)),
        (sqrt(X), -1.0, 4.0, (0, 2)),
        (Number(1) / X, -1.0, 1.0, (-np.inf, np.inf)),
        (Number(1) / X, -4.0, -2.0, (-0.5, -0.25)),
        (Call("max", (X, Number(1))), 0.0, 0.5, (1, 1)),
        (Call("step", (X,)), -1.0, 1.0, (0, 1)),
        (exp(X), 1000.0, 1001.0, (np.inf, np.inf)),
        (exp(X), -1.0, 1000.0, (np.exp(-1), np.inf)),
    ],
)
def test_ranges(expression: Expression, low: float, high: float, wanted: tuple[float, float]) -> None:
    _, forms = formed([expression], Fixed(low, high))
    np.testing.assert_allclose([forms.low[0], forms.high[0]], wanted, rtol=0.35, atol=1e-12)
    assert forms.low[0] <= wanted[0]
    assert forms.high[0] >= wanted[1]


def test_cells_of_different_structure_are_told_apart() -> None:
    several = [X, Number(2), X + Y, X + Number(1), square(Y), X + X]
    _, forms = formed(several, Fixed(3.0, 3.0))
    assert forms.centre.tolist() == pytest.approx([3, 2, 6, 4, 9, 6])
