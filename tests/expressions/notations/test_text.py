"""A line of text reads back as the arithmetic it was written from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings

from tests.calculator import calculated, structure
from tests.examples import some
from tests.expressions.drawing import expressions, value_of
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import (
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
    Where,
    exp,
    sqrt,
    square,
)
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.notation import typeset


def digits(number: float) -> str:
    return typeset(f"{number:.9g}")


WITH_NUMBERS = Writer(cell=lambda cell: digits(value_of(cell)), number=digits, phrase=ENGLISH.phrase)


@settings(max_examples=some(12, 100), deadline=None)
@given(expressions())
def test_a_pocket_calculator_gets_the_same(expression: Expression) -> None:
    line = to_text(expression, WITH_NUMBERS)
    assert calculated(line) == pytest.approx(evaluate(expression, value_of), rel=1e-6, abs=1e-9), line


def without_a_pair(line: str) -> Iterator[str]:
    """The line with each pair of brackets left out in turn, but for those that a function's name stands before."""
    opened: list[int] = []
    for at, character in enumerate(line):
        if character == "(":
            opened.append(at)
        elif character == ")":
            begin = opened.pop()
            if begin == 0 or not line[begin - 1].isalpha():
                yield line[:begin] + " " + line[begin + 1 : at] + " " + line[at + 1 :]


@settings(max_examples=some(12, 100), deadline=None)
@given(expressions())
def test_without_any_pair_of_brackets_it_would_be_read_otherwise(expression: Expression) -> None:
    line = to_text(expression, WITH_NUMBERS)
    for shorter in without_a_pair(line):
        try:
            found = structure(shorter)
        except SyntaxError:
            continue
        assert found != structure(line), f"{line}: {shorter}"


def test_a_pair_of_brackets_too_many_is_seen() -> None:
    assert structure("1 + (2×3)") == structure(next(without_a_pair("1 + (2×3)")))
    assert structure("(1 + 2)×3") != structure(next(without_a_pair("(1 + 2)×3")))


x, y, z = (Cell(0, 0, at) for at in range(3))
A, B, C = map(Operand, range(3))
minus = Number(-5)


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        (x * minus + minus * y, "x×(−5) − 5×y"),
        (Sum(()), "0"),
        (Sum((x, Sum((y, z)))), "x + (y + z)"),
        (Sum((Sum((x, y)), z)), "x + y + z"),
        (Where(x, y, z - minus), "y where x ≠ 0, else z − (−5)"),
        (Where(Call("equal", (x, minus)), y, z) + x, "(y where x = −5, else z) + x"),
        (Call("max", (Where(x, minus, y), z)), "max((−5 where x ≠ 0, else y), z)"),
        (Call("abs", (minus,)), "abs(−5)"),
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
        (Product((A, sqrt(Named("d")))), "A×√d"),
        (Product((Number(2), A, B)), "2×A·B"),
        (Product((Number(2) / Named("d"), Named("i"))), "2 / d×i"),
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
        phrase=ENGLISH.phrase,
        cell=lambda cell: "xyz"[cell.column],
        operand="ABC".__getitem__,
        number=lambda number: typeset(f"{number:.5g}"),
        label="#{:g}".format,
    )
    assert to_text(expression, writer) == line


def test_left_alone_the_leaves_say_where_they_are() -> None:
    assert to_text(Quotient(Cell(0, 1, 2), Operand(1)), Writer()) == "[1, 2] / A1"
    assert to_text(Difference(Number(2.5), Number(1)), Writer()) == "2.5 − 1"
