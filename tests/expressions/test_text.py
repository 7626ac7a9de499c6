"""A line of text reads back as the arithmetic it was written from."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.calculator import calculated
from tests.expressions.drawing import expressions, value_of
from walkthrough.expressions.evaluate import evaluate
from walkthrough.expressions.nodes import (
    Call,
    Cell,
    Difference,
    Expression,
    Named,
    Negative,
    Number,
    Operand,
    Power,
    Product,
    Quotient,
    Sum,
    Transposed,
    exp,
    sqrt,
    square,
)
from walkthrough.expressions.text import Writer, to_text
from walkthrough.notation import typeset


def digits(number: float) -> str:
    return typeset(f"{number:.9g}")


WITH_NUMBERS = Writer(cell=lambda cell: digits(value_of(cell)), number=digits)


@settings(deadline=None)
@given(expressions())
def test_a_pocket_calculator_gets_the_same(expression: Expression) -> None:
    line = to_text(expression, WITH_NUMBERS)
    assert calculated(line) == pytest.approx(evaluate(expression, value_of), rel=1e-6, abs=1e-9), line


x, y, z = (Cell(0, 0, at) for at in range(3))
A, B, C = map(Operand, range(3))
minus = Number(-5)


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        (x * minus + minus * y, "x×(−5) − 5×y"),
        (Sum(()), "0"),
        (Sum((x, Sum((y, z)))), "x + (y + z)"),
        (Sum((x, y - z)), "x + (y − z)"),
        (x - (y - z), "x − (y − z)"),
        (x - y - z, "x − y − z"),
        (x - minus, "x − (−5)"),
        (Sum((x, Negative(y * z))), "x − y×z"),
        (-(x + y), "−(x + y)"),
        (Negative(-x), "−(−x)"),
        (x / (y * z), "x / (y×z)"),
        (x / (y / z), "x / (y / z)"),
        (x / y / z, "x / y / z"),
        ((x + y) / sqrt(Number(2)), "(x + y) / √2"),
        (square(x + y), "(x + y)²"),
        (square(minus), "(−5)²"),
        (square(square(x)), "(x²)²"),
        (square(exp(x)), "(e^x)²"),
        (square(sqrt(x)), "(√x)²"),
        (sqrt(square(x)), "√(x²)"),
        (sqrt(sqrt(x)), "√(√x)"),
        (exp(x - y), "e^(x − y)"),
        (exp(minus), "e^(−5)"),
        (Power(Number(10000), Number(2) / Number(12)), "10000^(2 / 12)"),
        (Power(x, Number(12)), "x¹²"),
        (Power(x, minus), "x^(−5)"),
        (Power(x, Number(0.5)), "x^0.5"),
        (x / Number(1e-5), "x / (1×10^(−5))"),
        (exp(Number(1e-5)), "e^(1×10^(−5))"),
        (square(Number(1e9)), "(1×10^9)²"),
        (x * Number(1e9) + Number(1e-5), "x×(1×10^9) + 1×10^(−5)"),
        (Call("log", (x / y,)), "ln(x / y)"),
        (Call("max", (Number(0), x, y)), "max(0, x, y)"),
        (Call("argmax", (Number(3), x, Number(1), y)), "argmax(#3: x, #1: y)"),
        (Product((A, Transposed(B))), "A·Bᵀ"),
        (Sum((Product((A, B)), C)), "A·B + C"),
        (Product((A + B, C)), "(A + B)·C"),
        (Transposed(A + B), "(A + B)ᵀ"),
        (Call("times", (A, B)) + C, "A ⊙ B + C"),
        (Call("times", (A + B, C)), "(A + B) ⊙ C"),
        (Call("sum", (square(A),)) / (Named("d") - Number(1)), "Σ (A²) / (d − 1)"),
        (A - Call("rowmax", (A,)), "A − row max(A)"),
        (Call("join", (A, B)), "(A, B)"),
        (Call("words", (A, Named(" where "), B)), "A where B"),
        (Call("softmax", (A,)), "softmax(A)"),
    ],
    ids=str,
)
def test_brackets_stand_where_they_are_needed(expression: Expression, line: str) -> None:
    writer = Writer(
        cell=lambda cell: "xyz"[cell.column],
        operand="ABC".__getitem__,
        number=lambda number: typeset(f"{number:.5g}"),
        label="#{:g}".format,
    )
    assert to_text(expression, writer) == line


def test_left_alone_the_leaves_say_where_they_are() -> None:
    assert to_text(Quotient(Cell(0, 1, 2), Operand(1)), Writer()) == "[1, 2] / A1"
    assert to_text(Difference(Number(2.5), Number(1)), Writer()) == "2.5 − 1"
