"""The arg-max of each row: what a model predicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    loop,
    loop_over,
    maximum,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, Operation, Shape


def _best(probabilities: Array, ids: Sequence[int]) -> Array:
    """Columns: the id of the largest number of each row, and that number; unknown where the row is."""
    best = probabilities.argmax(axis=1)
    largest = probabilities.max(axis=1)
    chosen = np.where(np.isnan(largest), np.nan, np.asarray(ids, dtype=np.float64)[best])
    return np.column_stack([chosen, largest])


def _cell(i: int, j: int, probabilities: Shape, ids: Sequence[int]) -> Expression:
    if j == 1:
        return maximum(loop(probabilities[1], lambda k: Cell(0, i, k)))
    return Call("argmax", tuple(loop_over(enumerate(ids), lambda k, label: (Number(label), Cell(0, i, k)))))


prediction = Operation(
    name="prediction",
    shapes="n×v → n×2",
    copies=True,
    forward=_best,
    cell=_cell,
    formula=lambda inputs, ids: Call("argmax", (A,)),
    code=lambda probabilities, ids: Call("join", (Call("best", (whole_numbers(ids), A)), Call("rowmax", (A,)))),
    example={"ids": (3, 1, 4)},
)
