"""A cell follows from the formula over matrices."""

from __future__ import annotations

import pytest

from tests.operations.drawing import written_out
from walkthrough.expressions.tree.lower import lower
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Difference,
    Expression,
    Named,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    Transposed,
    sqrt,
    square,
)

A, B, C = Operand(0), Operand(1), Operand(2)


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        (A + B, Sum((Cell(0, 1, 0), Cell(1, 1, 0)))),
        (Product((A, B)), Sum((Cell(0, 1, 0) * Cell(1, 0, 0), Cell(0, 1, 1) * Cell(1, 1, 0)))),
        (Product((A, Transposed(B))), Sum((Cell(0, 1, 0) * Cell(1, 0, 0), Cell(0, 1, 1) * Cell(1, 0, 1)))),
        (
            Sum((Product((A, B)), C)),
            Sum((Cell(0, 1, 0) * Cell(1, 0, 0), Cell(0, 1, 1) * Cell(1, 1, 0), Cell(2, 0, 0))),
        ),
        (Call("times", (A, C)), Cell(0, 1, 0) * Cell(2, 0, 0)),
        (Product((A, sqrt(Named("d_k")))), Cell(0, 1, 0) * sqrt(Number(4))),
        (Call("sum", (square(A),)) / Named("d_k"), Sum((square(Cell(0, 1, 0)), square(Cell(0, 1, 1)))) / Number(4)),
        (Call("colsum", (A,)), Sum((Cell(0, 0, 0), Cell(0, 1, 0)))),
        (A - Call("rowmax", (A,)), Cell(0, 1, 0) - Call("max", (Cell(0, 1, 0), Cell(0, 1, 1)))),
        (A / (Named("d_k") - Number(1)), Cell(0, 1, 0) / Number(3)),
        (A * (Number(1) - Number(0.25)), Cell(0, 1, 0) * Difference(Number(1), Number(0.25))),
        (Power(Transposed(A), Number(3)), Power(Cell(0, 0, 1), Number(3))),
    ],
)  # fmt: skip
def test_the_number_of_a_formula(formula: Expression, wanted: Expression) -> None:
    shapes, repeated = [(2, 2), (2, 2), (1, 2)], [(False, False), (False, False), (True, False)]
    assert written_out(lower(formula, (1, 0), shapes, repeated, {"d_k": 4})) == wanted


def test_a_formula_in_words_gives_no_number() -> None:
    with pytest.raises(LookupError, match=r"'words'.*needs a cell"):
        lower(Call("words", (Named("the best of "), A)), (0, 0), [(2, 2)], [(False, False)], {})
