"""Products of matrices, sums of matrices, and putting matrices together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Operand,
    Product,
    Sum,
    Transposed,
    phrase,
    whole_numbers,
)
from walkthrough.operations.backward import add_to_rows, column_sum, column_sum_of_products, negative, take_columns
from walkthrough.operations.definition import PASSED, A, Array, B, Backward, C, InputGradient, Operation, Shape
from walkthrough.operations.wording import listed

matrix_product: Operation = Operation(
    name="matrix_product",
    shapes="n×k, k×m → n×m",
    drawn_as="product",
    forward=lambda a, b: a @ b,
    formula=lambda inputs: Product((A, B)),
    gradient=lambda b: (
        InputGradient(product_transposed, (b.gradient, b.inputs[1])),
        InputGradient(transposed_product, (b.inputs[0], b.gradient)),
    ),
)

product_transposed: Operation = Operation(  # rows of both, as Q·Kᵀ: Vaswani et al. 2017, eq. 1
    name="product_transposed",
    shapes="n×k, m×k → n×m",
    drawn_as="product",
    forward=lambda a, b: a @ b.T,
    formula=lambda inputs: Product((A, Transposed(B))),
    gradient=lambda b: (
        InputGradient(matrix_product, (b.gradient, b.inputs[1])),
        InputGradient(transposed_product, (b.gradient, b.inputs[0])),
    ),
)

transposed_product: Operation = Operation(  # the gradient of a weight, and what a key writes into a state: kᵀ·v
    name="transposed_product",
    shapes="n×k, n×m → k×m",
    drawn_as="product",
    forward=lambda a, b: a.T @ b,
    formula=lambda inputs: Product((Transposed(A), B)),
    gradient=lambda b: (
        InputGradient(product_transposed, (b.inputs[1], b.gradient)),
        InputGradient(matrix_product, (b.inputs[0], b.gradient)),
    ),
)


def _add_bias(product: Array, bias: tuple[Array, ...]) -> Array:
    if bias:
        product += bias[0]
    return product


def _sum_of_rows(b: Backward) -> InputGradient:
    """The gradient of one row that has been used for all rows."""
    return InputGradient(column_sum, (b.gradient,))


def _with_bias(name: str, shapes: str, product: Operation) -> Operation:
    """A product, and a row that is added where it is given."""

    def gradient(b: Backward) -> tuple[InputGradient | None, ...]:
        assert product.gradient is not None
        return (*product.gradient(b), _sum_of_rows(b))[: len(b.inputs)]

    return Operation(
        name=name,
        shapes=shapes,
        drawn_as="product",
        forward=lambda x, w, *b: _add_bias(product.forward(x, w), b),
        formula=lambda inputs: Sum((product.formula(2), C)) if inputs == 3 else product.formula(2),
        gradient=gradient,
    )


linear = _with_bias("linear", "n×k, k×m, 1×m → n×m", matrix_product)  # y = x·W + b, W is in×out
linear_out_in = _with_bias(  # y = W·x + b for each row x, W is out×in, as PyTorch keeps Linear.weight
    "linear_out_in", "n×k, m×k, 1×m → n×m", product_transposed
)


def _add(*arrays: Array) -> Array:
    result = arrays[0] + arrays[1]
    for array in arrays[2:]:
        result += array
    return result


def _is_row(b: Backward, given: Any) -> bool:
    """Whether one row has been used for all rows."""
    return bool(given.shape[0] != b.gradient.shape[0])


add = Operation(
    name="add",
    shapes="n×m, n|1×m, … → n×m",
    drawn_as="sum",
    forward=_add,
    formula=lambda inputs: Sum(tuple(map(Operand, range(inputs)))),
    gradient=lambda b: tuple(_sum_of_rows(b) if _is_row(b, one) else PASSED for one in b.inputs),
)


subtract = Operation(
    name="subtract",
    shapes="n×m, n×m → n×m",
    drawn_as="sum",
    forward=lambda a, b: a - b,
    formula=lambda inputs: A - B,
    gradient=lambda b: (PASSED, InputGradient(negative, (b.gradient,))),
)


multiply: Operation = Operation(  # cell by cell, as a gate does: Shazeer 2020, eq. 5
    name="multiply",
    shapes="n×m, n|1×m → n×m",
    forward=lambda a, b: a * b,
    formula=lambda inputs: Call("times", (A, B)),
    gradient=lambda b: (
        InputGradient(multiply, (b.gradient, b.inputs[1])),
        InputGradient(column_sum_of_products if _is_row(b, b.inputs[1]) else multiply, (b.gradient, b.inputs[0])),
    ),
)


def _find_part(at: int, sizes: Iterable[int]) -> tuple[int, int]:
    """Which of several matrices side by side, or one below the other, has a column or row, and the place there."""
    for index, size in enumerate(sizes):
        if at < size:
            return index, at
        at -= size
    raise IndexError(f"{at} is beyond the last matrix")


def _spans(sizes: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Where each of them begins and ends in the whole."""
    return pairwise(accumulate(sizes, initial=0))


def _joined_cell(i: int, j: int, *shapes: Shape) -> Expression:
    index, column = _find_part(j, (columns for _, columns in shapes))
    return Cell(index, i, column)


def _side_by_side(count: int) -> Expression:
    return Call("join", tuple(map(Operand, range(count))))


def _joined_gradient(b: Backward) -> tuple[InputGradient, ...]:
    """Each head gets its own columns back."""
    spans = _spans(value.shape[1] for value in b.inputs)
    return tuple(InputGradient(take_columns, (b.gradient,), {"start": start, "stop": stop}) for start, stop in spans)


concatenate = Operation(  # the heads side by side: Vaswani et al. 2017, §3.2.2
    name="concatenate",
    shapes="n×*, n×*, … → n×c",
    copies=True,
    sizes=lambda shapes: {"c": sum(columns for _, columns in shapes)},
    forward=lambda *arrays: np.concatenate(arrays, axis=1),
    cell=_joined_cell,
    formula=lambda inputs: _side_by_side(inputs),
    code=lambda *shapes: _side_by_side(len(shapes)),
    gradient=_joined_gradient,
)

select_rows = Operation(  # an embedding lookup: one row of the table for each token
    name="select_rows",
    shapes="v×d → n×d",
    copies=True,
    sizes=lambda shapes, indices: {"n": len(indices)},
    forward=lambda table, indices: table[list(indices)],
    cell=lambda i, j, table, indices: Cell(0, indices[i], j),
    formula=lambda inputs, indices: Call("words", (phrase("selected_rows_of"), A)),
    code=lambda table, indices: Call("rows", (A, whole_numbers(indices))),
    gradient=lambda b: (
        InputGradient(add_to_rows, (b.gradient,), {"indices": b.settings["indices"], "count": b.inputs[0].shape[0]}),
    ),
    example={"indices": (1, 0, 1)},
)

repeat_row = Operation(
    name="repeat_row",
    shapes="1×d → n×d",
    copies=True,
    sizes=lambda shapes, count: {"n": count},
    forward=lambda row, count: np.repeat(row, count, axis=0),
    cell=lambda i, j, row, count: Cell(0, 0, j),
    formula=lambda inputs, count: Call("words", (A, phrase("for_each_position"))),
    code=lambda row, count: Call("repeat", (A, Number(count))),
    gradient=lambda b: (InputGradient(column_sum, (b.gradient,)),),
    example={"count": 3},
)


def _stacked_cell(i: int, j: int, *shapes: Shape) -> Expression:
    index, row = _find_part(i, (rows for rows, _ in shapes))
    return Cell(index, row, j)


def _stacked_gradient(b: Backward) -> tuple[InputGradient, ...]:
    """Each matrix gets its own rows back."""
    rows = (tuple(range(*span)) for span in _spans(value.shape[0] for value in b.inputs))
    return tuple(InputGradient(select_rows, (b.gradient,), {"indices": indices}) for indices in rows)


append_rows = Operation(  # what was kept of earlier passes, and the new rows below it; or a row for each token
    name="append_rows",
    shapes="*×d, *×d, … → l×d",
    copies=True,
    sizes=lambda shapes: {"l": sum(rows for rows, _ in shapes)},
    forward=lambda *arrays: np.concatenate(arrays),
    cell=_stacked_cell,
    formula=lambda inputs: Call("words", (A, phrase("with"), *listed(range(1, inputs)), phrase("below"))),
    code=lambda *shapes: Call("stack", tuple(map(Operand, range(len(shapes))))),
    gradient=_stacked_gradient,
)

last_rows = Operation(  # the last row of each input, one under the other
    name="last_rows",
    shapes="*×m, *×m, … → l×m",
    copies=True,
    sizes=lambda shapes: {"l": len(shapes)},
    forward=lambda *arrays: np.concatenate([array[-1:] for array in arrays]),
    cell=lambda i, j, *shapes: Cell(i, shapes[i][0] - 1, j),
    formula=lambda inputs: phrase("last_row_of_passes"),
    code=lambda *shapes: Call("stack", tuple(Call("lastrow", (Operand(at),)) for at in range(len(shapes)))),
)
