"""What a head reads of one token and writes for another, as one matrix. Elhage et al. 2021."""

from __future__ import annotations

from typing import Any

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Operand,
    Product,
    Transposed,
    loop,
    total,
    whole_numbers,
)
from walkthrough.operations.definition import Operation, Shape
from walkthrough.operations.spans import Span, of_columns, of_rows, take_columns

A, B = Operand(0), Operand(1)


def _cell_by_rows(i: Any, j: Any, *shapes: Shape, span: Span) -> Expression:
    return total(loop(span[1] - span[0], lambda k: Cell(0, i, k) * Cell(1, span[0] + k, j)))


def _cell_by_columns(i: Any, j: Any, *shapes: Shape, span: Span) -> Expression:
    return total(loop(span[1] - span[0], lambda k: Cell(0, k, i) * Cell(1, j, span[0] + k)))


product_with_rows = Operation(  # W_V·W_O's rows of a head
    name="product_with_rows",
    shapes="n×k, m×d → n×d",
    by_part=True,
    forward=lambda a, b, span: a @ b[slice(*span)],
    cell=_cell_by_rows,
    formula=lambda inputs, span: of_rows(Product((A, B)), span),
    code=lambda a, b, span: Product((A, Call("rows", (B, whole_numbers(range(*span)))))),
    example={"span": (0, 3)},
)

transposed_product_with_columns = Operation(  # the same of weights that are out×in
    name="transposed_product_with_columns",
    shapes="k×n, d×m → n×d",
    forward=lambda a, b, span: a.T @ b[:, slice(*span)].T,
    cell=_cell_by_columns,
    formula=lambda inputs, span: of_columns(Product((Transposed(A), Transposed(B))), span),
    code=lambda a, b, span: Product((Transposed(A), Transposed(take_columns(B, span)))),
    example={"span": (0, 3)},
)

transpose = Operation(
    name="transpose",
    shapes="n×m → m×n",
    copies=True,
    forward=lambda x: x.T,
    cell=lambda i, j, x: Cell(0, j, i),
    formula=lambda inputs: Transposed(A),
)
