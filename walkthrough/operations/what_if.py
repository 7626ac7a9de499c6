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


def is_constant(change: Change) -> bool:
    """Whether nothing is left of what a step has calculated."""
    return change[0] in ("0", "from")


def _forward(*arrays: Array, of: Operation, given: Settings, shape: Shape, change: Change) -> Array:
    x = of.forward(*arrays, **dict(given))
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


def _cell(i: Any, j: Any, *shapes: Shape, of: Operation, given: Settings, shape: Shape, change: Change) -> Expression:
    def before(row: Any, column: Any) -> Expression:
        return of.expression(row, column, shapes, dict(given))

    match change:
        case ("0",):
            return Number(0)
        case ("mean",):
            return total([before(row, j) for row in range(shape[0])]) / Number(shape[0])
        case ("from", _, numbers):
            return Number(numbers[i][j])
    _, row, column, number, _ = change
    return Number(number) if i == row and j == column else before(i, j)


def _formula(inputs: int, of: Operation, given: Settings, shape: Shape, change: Change) -> Expression:
    match change:
        case ("0",):
            return Number(0)
        case ("from", name, _):
            return Call("words", (Named(name),))
    before = of.formula(inputs, **dict(given))
    if change == ("mean",):
        return Call("words", (phrase("mean_of_rows_of"), before))
    return Call("words", (before, phrase("but", cell=change[-1])))


def _code(*shapes: Shape, of: Operation, given: Settings, shape: Shape, change: Change) -> Expression | None:
    rows, columns = shape
    match change:
        case ("0",):
            return Call("repeat", (Call("zeros", (Number(columns),)), Number(rows)))
        case ("from", _, numbers):
            return Call("table", (Number(columns), *(Number(one) for row in numbers for one in row)))
    before = of.line(shapes, dict(given))
    if before is None:
        return None
    if change == ("mean",):
        return Call("repeat", (Call("colsum", (before,)) / Number(rows), Number(rows)))
    _, row, column, number, _ = change
    place = Product((Transposed(onehot([row], rows)), onehot([column], columns)))
    return Where(Call("equal", (place, Number(1))), Number(number), before)


what_if = Operation(  # another operation, whose result is changed
    name="what_if",
    shapes="*×*, *×*, … → n×m",
    sizes=lambda shapes, of, given, shape, change: {"n": shape[0], "m": shape[1]},
    forward=_forward,
    cell=_cell,
    formula=_formula,
    names=lambda *shapes, of, given, shape, change: of.names(*shapes, **dict(given)) if of.names else {},
    code=_code,
    example={"of": add, "given": (), "shape": (3, 3), "change": ("cell", 1, 2, 0.5, "x = 0.5")},
)


def replace_step(of: Operation, settings: Any, shape: Shape, changes: Sequence[Change]) -> dict[str, Any]:
    """The settings of the operation that takes the place of another one, with one change after the other."""
    for change in changes:
        given = tuple((name, tuple(one) if isinstance(one, list) else one) for name, one in settings.items())
        of, settings = what_if, {"of": of, "given": given, "shape": shape, "change": change}
    return dict(settings)
