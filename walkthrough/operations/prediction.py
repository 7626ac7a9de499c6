"""The arg-max of each row: what a model predicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Operand, maximum, whole_numbers
from walkthrough.operations.definition import Array, Operation, Shape


def _best(probabilities: Array, ids: Sequence[int]) -> Array:
    """Columns: the id of the largest number of each row, and that number; unknown where the row is."""
    best = probabilities.argmax(axis=1)
    largest = probabilities.max(axis=1)
    chosen = np.where(np.isnan(largest), np.nan, np.asarray(ids, dtype=np.float64)[best])
    return np.column_stack([chosen, largest])


def _cell(i: int, j: int, probabilities: Shape, ids: Sequence[int]) -> Expression:
    cells = [Cell(0, i, k) for k in range(probabilities[1])]
    if j == 1:
        return maximum(cells)
    return Call(
        "argmax", tuple(part for number, cell in zip(ids, cells, strict=True) for part in (Number(number), cell))
    )


prediction = Operation(
    name="prediction",
    shapes="n×v → n×2",
    forward=_best,
    cell=_cell,
    formula=lambda inputs, ids: Call("argmax", (Operand(0),)),
    code=lambda probabilities, ids: Call(
        "join", (Call("best", (whole_numbers(ids), Operand(0))), Call("rowmax", (Operand(0),)))
    ),
    example={"ids": (3, 1, 4)},
)
