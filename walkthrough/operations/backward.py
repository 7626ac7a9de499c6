"""What only the backward pass needs: transposed products, sums over rows, and putting gradients where they belong.

These operations are linear in the gradient; nothing is trained through them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Product,
    Transposed,
    Where,
    loop_over,
    onehot,
    phrase,
    total,
)
from walkthrough.operations.definition import A, Array, B, InputGradient, Operation, Shape

column_sum = Operation(  # the gradient of a bias, which every row has used
    name="column_sum",
    shapes="n×m → 1×m",
    forward=lambda x: x.sum(axis=0, keepdims=True),
    formula=lambda inputs: Call("words", (phrase("column_sums_of"), A)),
    code=lambda x: Call("colsum", (A,)),
)

column_sum_of_products = Operation(
    name="column_sum_of_products",
    shapes="n×m, n×m → 1×m",
    forward=lambda a, b: np.einsum("ij,ij->j", a, b)[None, :],
    formula=lambda inputs: Call("words", (phrase("column_sums_of"), Call("times", (A, B)))),
    code=lambda a, b: Call("colsum", (Call("times", (A, B)),)),
)

negative: Operation = Operation(
    name="negative",
    shapes="n×m → n×m",
    copies=True,
    forward=lambda x: -x,
    formula=lambda inputs: -A,
    gradient=lambda b: (InputGradient(negative, (b.gradient,)),),
)


place_columns = Operation(  # back to the whole matrix that they are a part of; 0 beside them
    name="place_columns",
    shapes="n×k → n×m",
    copies=True,
    sizes=lambda shapes, start, count: {"m": count},
    cell=lambda i, j, gradient, start, count: Cell(0, i, j - start) if 0 <= j - start < gradient[1] else Number(0),
    formula=lambda inputs, start, count: Call("words", (A, phrase("from_column", first=start + 1))),
    example={"start": 1, "count": 6},
)

take_columns = Operation(
    name="take_columns",
    shapes="n×m → n×k",
    copies=True,
    sizes=lambda shapes, start, stop: {"k": stop - start},
    forward=lambda x, start, stop: x[:, start:stop],
    cell=lambda i, j, x, start, stop: Cell(0, i, start + j),
    formula=lambda inputs, start, stop: Call(
        "words", (phrase("columns_of" if stop > start + 1 else "column_of", first=start + 1, last=stop), A)
    ),
    gradient=lambda b: (
        InputGradient(place_columns, (b.gradient,), {"start": b.settings["start"], "count": b.inputs[0].shape[1]}),
    ),
    example={"start": 0, "stop": 1},
)


def _added_to_rows(gradient: Array, indices: Sequence[int], count: int) -> Array:
    result = np.zeros((count, gradient.shape[1]))
    np.add.at(result, list(indices), gradient)
    return result


def _row_cell(i: int, j: int, gradient: Shape, indices: Sequence[int], count: int) -> Expression:
    used = [(at,) for at, index in enumerate(indices) if index == i]
    return total(loop_over(used, lambda at: Cell(0, at, j))) if used else Number(0)


add_to_rows = Operation(  # the gradient of a table: each row gets those of the positions that looked it up
    name="add_to_rows",
    shapes="n×d → v×d",
    sizes=lambda shapes, indices, count: {"v": count},
    forward=_added_to_rows,
    cell=_row_cell,
    formula=lambda inputs, indices, count: Call("words", (A, phrase("added_to_rows"))),
    code=lambda gradient, indices, count: Product((Transposed(onehot(indices, count)), A)),
    example={"indices": (1, 0, 1), "count": 3},
)

keep_visible = Operation(  # a hidden score cannot be blamed for anything
    name="keep_visible",
    shapes="n×m, n×m → n×m",
    copies=True,
    forward=lambda gradient, visible: np.where(visible != 0, gradient, 0.0),
    formula=lambda inputs: Call("words", (A, phrase("where"), B, phrase("is_1_else_0"))),
    code=lambda gradient, visible: Where(B, A, Number(0)),
)

repeat_columns = Operation(  # the gradient of a sum of rows; what is said of a group of columns, for each of them
    name="repeat_columns",
    shapes="n×g → n×m",
    copies=True,
    sizes=lambda shapes, size: {"m": shapes[0][1] * size},
    forward=lambda x, size: np.repeat(x, size, axis=1),
    cell=lambda i, j, x, size: Cell(0, i, int(j) // size if x[1] > 1 else 0),
    formula=lambda inputs, size: Call("words", (A, phrase("each_column_times", size=size))),
    gradient=lambda b: (None,),
    example={"size": 2},
)
