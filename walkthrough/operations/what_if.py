"""A step with other numbers than it has calculated: zeros, the mean, those of another model, or one number.

Ablation and patching: Meng et al. 2022; Wang et al. 2023.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Expression,
    Named,
    Number,
    Product,
    Transposed,
    Where,
    onehot,
    phrase,
    total,
)
from walkthrough.operations.definition import Array, Operation, Shape
from walkthrough.operations.matrix import add

Change = tuple[Any, ...]
"""What is done to the numbers of a step: ("0",), ("mean",), ("from", the name of another scenario, its numbers by row)
or ("cell", row, column, number, how the cell is written)."""
Settings = tuple[tuple[str, Any], ...]


def is_constant(changes: Sequence[Change]) -> bool:
    """Whether nothing is left of what a step has calculated."""
    return changes[-1][0] in ("0", "from")


def _changed(x: Array, change: Change) -> Array:
    match change:
        case ("0",):
            return np.zeros_like(x)
        case ("mean",):
            return np.repeat(x.mean(axis=0, keepdims=True), len(x), axis=0)
        case ("from", _, numbers):
            return np.array(numbers, dtype=np.float64)
    _, row, column, number, _ = change
    x = x.copy()
    x[row, column] = number
    return x


def _forward(*arrays: Array, of: Operation, given: Settings, shape: Shape, changes: Sequence[Change]) -> Array:
    result = of.forward(*arrays, **dict(given))
    for change in changes:
        result = _changed(result, change)
    return result


def _cell(
    i: Any, j: Any, *shapes: Shape, of: Operation, given: Settings, shape: Shape, changes: Sequence[Change]
) -> Expression:
    if not changes:
        return of.expression(i, j, shapes, dict(given))

    def before(row: Any, column: Any) -> Expression:
        return _cell(row, column, *shapes, of=of, given=given, shape=shape, changes=changes[:-1])

    match changes[-1]:
        case ("0",):
            return Number(0)
        case ("mean",):
            return total([before(row, j) for row in range(shape[0])]) / Number(shape[0])
        case ("from", _, numbers):
            return Number(numbers[i][j])
    _, row, column, number, _ = changes[-1]
    return Number(number) if i == row and j == column else before(i, j)


def _formula(inputs: int, of: Operation, given: Settings, shape: Shape, changes: Sequence[Change]) -> Expression:
    if not changes:
        return of.formula(inputs, **dict(given))
    before = _formula(inputs, of, given, shape, changes[:-1])
    match changes[-1]:
        case ("0",):
            return Number(0)
        case ("mean",):
            return Call("words", (phrase("mean_of_rows_of"), before))
        case ("from", name, _):
            return Call("words", (Named(name),))
    _, _, _, _, written = changes[-1]
    return Call("words", (before, phrase("but", cell=written)))


def _code(*shapes: Shape, of: Operation, given: Settings, shape: Shape, changes: Sequence[Change]) -> Expression | None:
    rows, columns = shape
    match changes[-1:]:
        case ():
            return of.line(shapes, dict(given))
        case (("0",),):
            return Call("repeat", (Call("zeros", (Number(columns),)), Number(rows)))
        case (("from", _, numbers),):
            return Call("table", (Number(columns), *(Number(one) for row in numbers for one in row)))
    before = _code(*shapes, of=of, given=given, shape=shape, changes=changes[:-1])
    if before is None:
        return None
    if changes[-1] == ("mean",):
        return Call("repeat", (Call("colsum", (before,)) / Number(rows), Number(rows)))
    _, row, column, number, _ = changes[-1]
    place = Product((Transposed(onehot([row], rows)), onehot([column], columns)))
    return Where(Call("equal", (place, Number(1))), Number(number), before)


what_if = Operation(
    name="what_if",
    shapes="*×*, *×*, … → n×m",
    sizes=lambda shapes, of, given, shape, changes: {"n": shape[0], "m": shape[1]},
    forward=_forward,
    cell=_cell,
    formula=_formula,
    names=lambda *shapes, of, given, shape, changes: of.names(*shapes, **dict(given)) if of.names else {},
    code=_code,
    example={"of": add, "given": (), "shape": (3, 3), "changes": (("mean",), ("cell", 1, 2, 0.5, "x = 0.5"))},
)


def replace_step(of: Operation, settings: Any, shape: Shape, changes: Sequence[Change]) -> dict[str, Any]:
    """The settings of the operation that takes the place of another one."""
    given = tuple((name, tuple(one) if isinstance(one, list) else one) for name, one in settings.items())
    return {"of": of, "given": given, "shape": shape, "changes": tuple(changes)}
