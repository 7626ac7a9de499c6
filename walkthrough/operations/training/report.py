"""What a training reports of itself: no step of the model reads it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Operand,
    loop_cells,
    loop_over,
    maximum,
    phrase,
    total,
)
from walkthrough.operations.definition import Array, Operation, Shape
from walkthrough.operations.training.loss import Targets, at_targets
from walkthrough.operations.wording import first_to_last


def _kept(targets: Sequence[Targets]) -> list[tuple[int, int, int]]:
    """Matrix, row and column of every target, from 0."""
    return [
        (at, row, target)
        for at, of_one in enumerate(targets)
        for row, target in enumerate(of_one)
        if target is not None
    ]


def _mean_at(*probabilities: Array, targets: Sequence[Targets]) -> Array:
    kept = [probabilities[at][row, target] for at, row, target in _kept(targets)]
    return np.array([[np.mean(kept) if kept else np.nan]])


def _mean_at_cell(i: int, j: int, *probabilities: Shape, targets: Sequence[Targets]) -> Expression:
    kept = _kept(targets)
    terms = [
        term
        for at, those in groupby(kept, key=itemgetter(0))
        for term in loop_over([place[1:] for place in those], lambda row, target, at=at: Cell(at, row, target))
    ]
    return total(terms) / Number(len(kept))


def _mean_at_code(*probabilities: Shape, targets: Sequence[Targets]) -> Expression:
    kept = _kept(targets)
    parts = [
        at_targets(Operand(at), targets[at], [row for _, row, _ in those])
        for at, those in groupby(kept, key=itemgetter(0))
    ]
    stacked = parts[0] if len(parts) == 1 else Call("stack", tuple(parts))
    return Call("colsum", (stacked,)) / Number(len(kept))


mean_at_targets = Operation(
    name="mean_at_targets",
    shapes="*×*, *×*, … → 1×1",
    forward=_mean_at,
    cell=_mean_at_cell,
    formula=lambda inputs, targets: Call("words", (phrase("mean_of"), *first_to_last(inputs), phrase("at_targets"))),
    code=_mean_at_code,
    example={"targets": ((0, 1, 0), (1, None))},
)


def _largest(*arrays: Array) -> Array:
    return np.array([[np.max([end for array in arrays for end in (array.max(), -array.min())])]])


def _largest_cell(i: int, j: int, *shapes: Shape) -> Expression:
    def size(x: Expression) -> Expression:
        return Call("abs", (x,))

    return maximum(one for operand, shape in enumerate(shapes) for one in loop_cells(operand, shape, size))


largest_size = Operation(
    name="largest_size",
    shapes="*×*, *×*, … → 1×1",
    copies=True,
    forward=_largest,
    cell=_largest_cell,
    formula=lambda inputs: phrase("largest_of_gradients"),
    code=lambda *shapes: Call("largest", tuple(map(Operand, range(len(shapes))))),
)

table_of = Operation(  # single numbers, `width` in a row
    name="table_of",
    shapes="1×1, 1×1, … → n×m",
    copies=True,
    sizes=lambda shapes, width: {"n": len(shapes) // width, "m": width},
    forward=lambda *numbers, width: np.array([float(number[0, 0]) for number in numbers]).reshape(-1, width),
    cell=lambda i, j, *numbers, width: Cell(i * width + j, 0, 0),
    formula=lambda inputs, width: phrase("numbers_of_steps"),
    code=lambda *shapes, width: Call("table", (Number(width), *map(Operand, range(len(shapes))))),
    example={"width": 1},
)
