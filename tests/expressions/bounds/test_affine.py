"""An affine form holds what its operands can give, point by point, of every operation; and remembers what repeats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from tests.examples import some
from tests.expressions.bounds.points import Box, precise
from tests.expressions.drawing import expressions
from tests.operations.drawing import examples
from walkthrough.expressions.bounds.affine import AffineArithmetic
from walkthrough.expressions.bounds.forms import BFLOAT16, FLOAT16, FLOAT32, FLOAT64, Forms
from walkthrough.expressions.bounds.matrices import forms_of
from walkthrough.expressions.fold.folding import Folded, fold
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Power, Sum, Where, exp, sqrt, square
from walkthrough.expressions.tree.walk import cells
from walkthrough.operations import OPERATIONS
from walkthrough.operations.definition import Operation


def formed(several: Sequence[Expression], box: Box, roundoff: float = FLOAT64) -> tuple[list[Cell], Forms]:
    """The forms of expressions whose cells vary independently, each by a symbol of its own; and the cells."""
    leaves, forms = matrix_of(fold(lambda i, j: several[int(i)], len(several), 1), several, box, roundoff)
    return leaves, forms[:, 0]


def matrix_of(pieces: Folded, several: Sequence[Expression], box: Box, roundoff: float) -> tuple[list[Cell], Forms]:
    """The forms of a folded matrix, from what its cells read; and that."""
    leaves = list(dict.fromkeys(leaf for one in several for leaf in cells(one)))
    shapes = [[0, 0] for _ in range(max((leaf.operand for leaf in leaves), default=-1) + 1)]
    for leaf in leaves:
        rows, columns = shapes[leaf.operand]
        shapes[leaf.operand] = [max(rows, leaf.row + 1), max(columns, leaf.column + 1)]
    operands = [_empty((rows, columns), len(leaves)) for rows, columns in shapes]
    for at, leaf in enumerate(leaves):
        form, place = operands[leaf.operand], (leaf.row, leaf.column)
        assert form.coefficients is not None
        low, high = form.low[place], form.high[place] = box(leaf)
        form.centre[place], form.coefficients[(*place, at)], form.rest[place] = (
            (low + high) / 2,
            (high - low) / 2,
            1e-15,
        )
    shape = max(piece.rows[-1] for piece in pieces) + 1, max(piece.columns[-1] for piece in pieces) + 1
    found = forms_of(pieces, shape, operands, AffineArithmetic(roundoff))
    if found.coefficients is None:
        found.coefficients = np.zeros((*shape, len(leaves)))
    return leaves, found


def _empty(shape: tuple[int, int], symbols: int) -> Forms:
    centre, rest, low, high = (np.zeros(shape) for _ in range(4))
    return Forms(centre, np.zeros((*shape, symbols)), rest, low, high)


def holds(several: Sequence[Expression], box: Box, points: int) -> None:
    """Points of the box lie in the intervals, and where the forms say that they do."""
    leaves, forms = formed(several, box)
    hold(several, box, leaves, forms, formed(several, box, FLOAT32)[1], points)


def hold(
    several: Sequence[Expression], box: Box, leaves: Sequence[Cell], forms: Forms, coarse: Forms, points: int
) -> None:
    """As `holds`, of forms that are there. coarse: those of single precision"""
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
@settings(max_examples=some(3, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_expression(expression: Expression, seed: int, widest: float) -> None:
    holds([expression], Box(seed, lambda cell: cell.row - cell.column / 2, widest), 8)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_every_operation(operation: Operation) -> None:
    for seed, example in enumerate(examples(operation, some(1, 8))):
        arrays = example.arrays
        widest = (5e-2, 1e-6, 0.5, 5e-4)[(seed + len(operation.name)) % 4]
        box = Box(seed, lambda cell: float(arrays[cell.operand][cell.row, cell.column]), widest)  # noqa: B023
        several = list(chain(*example.expressions()))
        pieces = operation.fold(example.shapes, example.settings)
        leaves, forms = matrix_of(pieces, several, box, FLOAT64)
        _, coarse = matrix_of(pieces, several, box, FLOAT32)
        assert forms.coefficients is not None
        forms.coefficients = forms.coefficients.reshape(len(several), -1)
        for one in (forms, coarse):
            one.centre, one.rest, one.low, one.high = (x.ravel() for x in (one.centre, one.rest, one.low, one.high))
        hold(several, box, leaves, forms, coarse, some(1, 2))


X, Y = Cell(0, 0, 0), Cell(0, 0, 1)
ANY = -math.inf, math.inf


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
        (Where(X, Number(2), Number(5)), (0.0, 0.0), (5.0, 5.0)),
        (Where(X, Number(2), Number(5)), (0.5, 1.0), (2.0, 2.0)),
        (Where(X, Number(2), Number(5)), (-0.5, 1.0), (2.0, 5.0)),
        (X * Number(0), ANY, (0.0, 0.0)),
        (exp(X), (1000.0, 1001.0), (math.inf, math.inf)),
        (exp(X), (-1.0, 1000.0), (math.exp(-1), math.inf)),
    ],
)
def test_ranges(expression: Expression, operand: tuple[float, float], wanted: tuple[float, float]) -> None:
    _, forms = formed([expression], Fixed(*operand))
    np.testing.assert_allclose((forms.low[0], forms.high[0]), wanted, rtol=1e-12, atol=1e-12)
    assert forms.low[0] <= wanted[0]
    assert wanted[1] <= forms.high[0]


def test_a_coarser_arithmetic_is_allowed_its_roundings() -> None:
    _, tenth = formed([Number(0.1) * X, Number(0.5)], Fixed(1.0, 1.0), FLOAT32)
    assert tenth.low[0] <= np.float32(0.1) * np.float32(1) <= tenth.high[0]
    assert (tenth.low[0], tenth.high[0]) == pytest.approx((0.1, 0.1), rel=3e-7)
    assert tenth.low[1] == tenth.high[1] == 0.5


def test_a_sum_is_off_by_roundings_of_its_terms_not_of_what_is_left_of_them() -> None:
    """1e16 + 1 − 1e16 is 0 or 2 in float64, whatever is added first."""
    big, small = Cell(0, 0, 0), Cell(0, 0, 1)

    class Far(Fixed):
        def __call__(self, cell: Cell) -> tuple[float, float]:
            return (1e16, 1e16) if cell == big else (1.0, 1.0)

    box = Far(0.0, 0.0)
    for expression in (Sum((big, small, -big)), (big + small) - big, Sum((big * small, small * small, -(big * small)))):
        _, forms = formed([expression], box)
        assert forms.low[0] <= 0
        assert forms.high[0] >= 2
        assert forms.high[0] - forms.low[0] < 30


def test_whole_numbers_are_counted_to_the_last_bit() -> None:
    """How many are larger: three numbers, of which it is certain."""
    larger = Sum(tuple(Number(1) * Call("step", (Cell(0, 0, at) - Y,)) for at in range(3)))

    class Apart(Fixed):
        def __call__(self, cell: Cell) -> tuple[float, float]:
            return cell.column - 0.1, cell.column + 0.1

    _, forms = formed([larger, Call("step", (Number(1) - larger,)), Call("equal", (Y, Y))], Apart(0.0, 0.0))
    assert forms.low.tolist() == forms.high.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("apart", "wanted"), [(0.5, (5.0, 5.0)), (0.01, (3.0, 5.0))])
def test_a_label_that_may_be_the_largest_is_one_of_those_chosen(apart: float, wanted: tuple[float, float]) -> None:
    """What the numbers have in common does not decide: 1 + x and 1.5 + x, with x between 0 and 1."""
    chosen = Call("argmax", (Number(3), Number(1) + X, Number(5), Number(1 + apart) + X - Number(0.02) * Y))
    _, forms = formed([chosen], Fixed(0.0, 1.0))
    assert (forms.low[0], forms.high[0]) == wanted


def test_cells_of_different_structure_are_told_apart() -> None:
    several = [X, Number(2), X + Y, X + Number(1), square(Y), X + X]
    _, forms = formed(several, Fixed(3.0, 3.0))
    assert forms.centre.tolist() == pytest.approx([3, 2, 6, 4, 9, 6])


@pytest.mark.parametrize(
    ("roundoff", "expression", "number"),
    [
        (BFLOAT16, Power(Number(43), Number(0.8691881154312449)), 26.5),  # its exponent is 0.87109375
        (FLOAT16, Number(1) / Number(3) + Number(1e-8), 0.333251953125),
        (FLOAT16, Number(1e-8) * Number(1), 0.0),  # there is no such small number
        (FLOAT16, Number(1e-5) * Number(1), 1.0013580322265625e-05),  # and of these but few
    ],
)
def test_constants_are_those_of_the_authors_arithmetic(roundoff: float, expression: Expression, number: float) -> None:
    _, found = formed([expression], lambda cell: (0.0, 0.0), roundoff)
    assert found.low[0] <= number <= found.high[0]
    assert found.high[0] - found.low[0] < 0.15 * number + 1e-6
