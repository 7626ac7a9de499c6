"""Evaluation follows float64 arithmetic, to its very ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Difference,
    Expression,
    Negative,
    Number,
    Power,
    Product,
    Sum,
    exp,
)

ENDS = (0.0, -0.0, 1.0, -2.5, 3.0, 1e-320, 709.7825, -746.0, 1e200, -1e200, math.inf, -math.inf, math.nan)


def value(expression: Expression) -> float:
    return evaluate(expression, lambda cell: math.nan)


def test_cells_are_asked_for() -> None:
    asked = Cell(1, 2, 3) * Cell(0, 4, 5) + Number(1)
    assert evaluate(asked, lambda cell: 10.0 * cell.operand + cell.row + cell.column) == (10 + 5) * 9 + 1


@pytest.mark.parametrize("left", ENDS)
@pytest.mark.parametrize("right", ENDS)
def test_two_numbers_give_what_numpy_gives(left: float, right: float) -> None:
    a, b = Number(left), Number(right)
    with np.errstate(all="ignore"):
        x, y = np.float64(left), np.float64(right)
        wanted = [x + y, x - y, x * y, x / y, np.maximum(x, y)]
    found = [value(node) for node in (a + b, a - b, a * b, a / b, Call("max", (a, b)))]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("x", ENDS)
def test_one_number_gives_what_numpy_gives(x: float) -> None:
    with np.errstate(all="ignore"):
        wanted = [function(np.float64(x)) for function in (np.exp, np.log, np.sqrt, np.sin, np.cos, np.tanh)]
        powers = [np.power(np.float64(x), exponent) for exponent in (2.0, 3.0)]
    found = [value(Call(name, (Number(x),))) for name in ("exp", "log", "sqrt", "sin", "cos", "tanh")]
    np.testing.assert_allclose(found, wanted, rtol=4e-16)
    found = [value(Power(Number(x), Number(exponent))) for exponent in (2, 3)]
    np.testing.assert_allclose(found, powers, rtol=4e-16)
    assert value(Negative(Number(x))) == -x or math.isnan(x)


@pytest.mark.parametrize(("base", "exponent", "power"), [(0, -1, math.inf), (-4, 0.5, math.nan), (1e4, 0.5, 100)])
def test_powers_have_no_errors(base: float, exponent: float, power: float) -> None:
    assert value(Power(Number(base), Number(exponent))) == pytest.approx(power, nan_ok=True)


def test_long_sums_are_exact_where_they_can_be_and_infinite_where_they_are() -> None:
    assert value(Sum(tuple(Number(0.1) for _ in range(10)))) == 1.0
    assert value(Sum(())) == 0
    assert value(Sum((Number(1e308), Number(1e308)))) == math.inf
    assert value(Sum((Number(math.inf), Number(1.0)))) == math.inf
    assert math.isnan(value(Sum((Number(math.inf), Number(-math.inf)))))


def test_functions_of_their_own() -> None:
    assert value(exp(Number(0)) * Number(3)) == 3
    assert value(Call("erf", (Number(0.5),))) == math.erf(0.5)
    assert [value(Call("step", (Number(x),))) for x in (-1, 0, 0.1)] == [0, 0, 1]
    assert math.isnan(value(Call("step", (Number(math.nan),))))
    assert value(Product((Number(2), Number(3), Difference(Number(1), Number(5))))) == -24


def test_argmax_names_the_label_of_the_first_largest() -> None:
    def best(*numbers: float) -> float:
        return value(Call("argmax", tuple(Number(x) for pair in zip((7, 4, 9), numbers, strict=True) for x in pair)))

    assert best(0.2, 0.5, 0.3) == 4
    assert best(0.4, 0.2, 0.4) == 7
    assert best(-math.inf, -math.inf, -3) == 9
    assert math.isnan(best(0.2, math.nan, 0.9))
