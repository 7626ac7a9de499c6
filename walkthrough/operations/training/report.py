"""What a training reports of itself: no step of the model reads it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    loop,
    loop_over,
    maximum,
    total,
)
from walkthrough.operations.definition import Array, Operation, Shape
from walkthrough.operations.training.loss import Targets, at_targets

A = Operand(0)


def _mean_at(probabilities: Array, targets: Targets) -> Array:
    kept = [probabilities[row, target] for row, target in enumerate(targets) if target is not None]
    return np.array([[np.mean(kept) if kept else np.nan]])


def _mean_at_cell(i: int, j: int, probabilities: Shape, targets: Targets) -> Expression:
    kept = [(row, target) for row, target in enumerate(targets) if target is not None]
    return total(loop_over(kept, lambda row, target: Cell(0, row, target))) / Number(len(kept))


def _mean_at_code(probabilities: Shape, targets: Targets) -> Expression:
    kept = [row for row, target in enumerate(targets) if target is not None]
    return Call("colsum", (at_targets(A, targets, kept),)) / Number(len(kept))


mean_at_targets = Operation(
    name="mean_at_targets",
    shapes="n×v → 1×1",
    forward=_mean_at,
    cell=_mean_at_cell,
    formula=lambda inputs, targets: Call("words", (Named("mean of "), A, Named(" at the targets"))),
    code=_mean_at_code,
    example={"targets": (0, 1, 0)},
)


def _largest(*arrays: Array) -> Array:
    return np.array([[np.max([end for array in arrays for end in (array.max(), -array.min())])]])


def _sizes(operand: int, shape: Shape) -> Iterator[Expression]:
    """The absolute values of all numbers of an operand."""
    rows, columns = shape

    def in_row(row: int) -> tuple[Expression, ...]:
        return tuple(loop(columns, lambda column: Call("abs", (Cell(operand, row, column),))))

    return loop_over([(row,) for row in range(rows)], in_row)


def _largest_cell(i: int, j: int, *shapes: Shape) -> Expression:
    return maximum(size for operand, shape in enumerate(shapes) for size in _sizes(operand, shape))


largest_size = Operation(
    name="largest_size",
    shapes="*×*, *×*, … → 1×1",
    copies=True,
    forward=_largest,
    cell=_largest_cell,
    formula=lambda inputs: Named("largest absolute value in all gradients"),
    code=lambda *shapes: Call("largest", tuple(map(Operand, range(len(shapes))))),
)

table_of = Operation(  # single numbers, `width` in a row
    name="table_of",
    shapes="1×1, 1×1, … → n×m",
    copies=True,
    sizes=lambda shapes, width: {"n": len(shapes) // width, "m": width},
    forward=lambda *numbers, width: np.array([float(number[0, 0]) for number in numbers]).reshape(-1, width),
    cell=lambda i, j, *numbers, width: Cell(i * width + j, 0, 0),
    formula=lambda inputs, width: Named("the numbers of each step, one row per step"),
    code=lambda *shapes, width: Call("table", (Number(width), *map(Operand, range(len(shapes))))),
    example={"width": 1},
)
