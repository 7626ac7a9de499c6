"""The shapes of a formula, as people write them."""

from __future__ import annotations

import pytest

from walkthrough.expressions.tree.nodes import (
    Call,
    Expression,
    Named,
    Number,
    Operand,
    Product,
    Sum,
    Transposed,
    sqrt,
    square,
)
from walkthrough.expressions.tree.shapes import Shape, shape_text, to_shapes

A, B, C = map(Operand, range(3))


@pytest.mark.parametrize(
    ("expression", "shapes", "result", "text"),
    [
        (Product((A, Transposed(B))), [(4, 2), (5, 2)], (4, 5), "(4×2)·(2×5) → 4×5"),
        (Sum((Product((A, B)), C)), [(4, 2), (2, 3), (1, 3)], (4, 3), "(4×2)·(2×3) + (1×3) → 4×3"),
        (A - B, [(4, 2), (4, 1)], (4, 2), "(4×2) − (4×1) → 4×2"),
        (A / B, [(4, 2), (4, 1)], (4, 2), "(4×2) / (4×1) → 4×2"),
        (A / sqrt(Named("d_k")), [(4, 2)], (4, 2), "4×2"),
        (-A * Number(2), [(4, 2)], (4, 2), "4×2"),
        (Call("sum", (square(A),)) / Named("d"), [(4, 2)], (4, 1), "(4×2) → 4×1"),
        (A - Call("rowmax", (A,)), [(4, 2)], (4, 2), "(4×2) − (4×2) → 4×2"),
        (Call("times", (A, B)) + C, [(4, 2), (1, 2), (1, 2)], (4, 2), "(4×2) ⊙ (1×2) + (1×2) → 4×2"),
        (Call("join", (A, B)), [(4, 2), (4, 3)], (4, 5), "(4×2), (4×3) → 4×5"),
        (Number(2), [], (3, 4), "3×4"),
    ],
    ids=str,
)
def test_shapes_are_written_like_the_formula(
    expression: Expression, shapes: list[Shape], result: Shape, text: str
) -> None:
    assert to_shapes(expression, shapes, result) == text


def test_rows_come_first() -> None:
    assert shape_text((4, 2)) == "4×2"
