"""A long sum shortened still adds up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.explaining.shorten import REST, shorten
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Sum, square
from walkthrough.languages.catalogue import ENGLISH

ROW = tuple(Cell(0, 0, at) for at in range(6))
CHOICES = tuple(part for at, cell in enumerate(ROW) for part in (Number(at), cell))
VALUES = [0.5, -8.0, 0.25, 3.0, -0.125, 4.0]


def value(cell: Cell) -> float:
    return VALUES[cell.column]


@pytest.mark.parametrize(
    ("expression", "most", "text"),
    [
        (Sum(ROW), 3, "b + f + 3.625 [4 smaller terms]"),
        (Sum(ROW), 6, "a + b + c + d + e + f"),
        (Sum(ROW), 1, "−0.375 [6 smaller terms]"),
        (Sum(ROW) / Number(6), 2, "(b + 7.625 [5 smaller terms]) / 6"),
        (Number(1) / Sum(ROW), 2, "1 / (b + 7.625 [5 smaller terms])"),
        (Sum(tuple(square(cell) for cell in ROW[:4])), 2, "b² + 9.3125 [3 smaller terms]"),
        (ROW[0] - ROW[1], 1, "a − b"),
        (Call("max", ROW), 3, "max(d, f, 0.5 [4 smaller terms])"),
        (ROW[0] - Call("max", ROW), 2, "a − max(f, 3 [5 smaller terms])"),
        (Call("argmax", CHOICES), 6, "argmax(0: a, 1: b, 2: c, 3: d, 4: e, 5: f)"),
        (Call("argmax", CHOICES), 3, "argmax(3: d, 5: f) [4 smaller terms]"),
    ],
    ids=str,
)
def test_the_largest_terms_stay_in_their_order(expression: Expression, most: int, text: str) -> None:
    number = "{:g}".format
    rests: list[float] = []
    short = shorten(expression, value, most, rests)

    def written(cell: Cell) -> str:
        return number(rests[cell.row]).replace("-", "−") if cell.operand == REST else "abcdef"[cell.column]

    assert to_text(short, Writer(cell=written, number=number, phrase=ENGLISH.phrase)) == text


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=6), st.integers(1, 7))
def test_the_rest_is_what_is_missing(numbers: list[float], most: int) -> None:
    whole = Sum(tuple(map(Number, numbers)))
    rests: list[float] = []
    short = shorten(whole, value, most, rests)
    assert isinstance(short, Sum)
    assert len(short.terms) == min(most, len(numbers))
    assert evaluate(short, lambda cell: rests[cell.row]) == pytest.approx(sum(numbers), rel=1e-9, abs=1e-9)
