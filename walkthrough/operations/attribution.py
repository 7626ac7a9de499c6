"""A sum taken apart: the vectors that are added up, through the norm that reads them, to the logits that each pushes.

Direct logit attribution, Elhage et al. 2021: what follows the sum is linear once the deviation of the norm is fixed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Operand,
    Product,
    Transposed,
    loop,
    onehot,
    phrase,
    total,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, B, C, Operation, Shape
from walkthrough.operations.normalization import mean
from walkthrough.operations.wording import listed, slice_columns

Part = tuple[int, int, int, int]
"""The input that a part is a row of, the row, the input it is multiplied by (−1: none), and where its share of that
begins: its rows, or columns where weights are out×in; without such an input the columns that the part itself takes."""


def _part_cell(part: Part, j: Any, shapes: Sequence[Shape], out_in: bool) -> Expression:
    at, row, weight, start = part
    wide = shapes[at][1]
    if weight >= 0:

        def term(k: Any) -> Expression:
            return Cell(at, row, k) * (Cell(weight, j, start + k) if out_in else Cell(weight, start + k, j))

        return total(loop(wide, term))
    return Cell(at, row, j - start) if start <= j < start + wide else Number(0)


def _parts_cell(i: Any, j: Any, *shapes: Shape, taken: Sequence[Part], width: int, out_in: bool) -> Expression:
    for number, part in enumerate(taken):
        if i < number + 1:
            return _part_cell(part, j, shapes, out_in)
    raise IndexError(f"row {i} is beyond the last part")


def _write_part(part: Part, shapes: Sequence[Shape], width: int, out_in: bool) -> Expression:
    at, row, weight, start = part
    wide = shapes[at][1]
    x = Call("rows", (Operand(at), whole_numbers([row])))
    if weight >= 0 and out_in:
        return Product((x, Transposed(slice_columns(Operand(weight), (start, start + wide)))))
    if weight >= 0:
        return Product((x, Call("rows", (Operand(weight), whole_numbers(range(start, start + wide))))))
    return x if wide == width else Product((x, onehot(range(start, start + wide), width)))


take_parts = Operation(  # of one position: rows as they are, and shares of a head times their part of a matrix
    name="take_parts",
    shapes="*×*, *×*, … → p×d",
    sizes=lambda shapes, taken, width, out_in: {"p": len(taken), "d": width},
    cell=_parts_cell,
    formula=lambda inputs, taken, width, out_in: Call("words", (phrase("row_for_each_part"), *listed(range(inputs)))),
    code=lambda *shapes, taken, width, out_in: Call(
        "stack", tuple(_write_part(part, shapes, width, out_in) for part in taken)
    ),
    example={"taken": ((0, 1, -1, 0), (1, 2, 0, 0)), "width": 3, "out_in": False},
)

center_rows = Operation(
    name="center_rows",
    shapes="p×d → p×d",
    forward=lambda x: x - x.mean(axis=1, keepdims=True),
    formula=lambda inputs: A - mean(A),
    names=lambda x: {"d": x[1]},
)


def _write_scaled(x: Expression, deviation: Expression, inputs: int, plus_one: bool) -> Expression:
    gamma = Number(1) + C if plus_one else C
    return Call("times", (x / deviation, gamma)) if inputs == 3 else x / deviation


def _scaled_cell(i: Any, j: Any, x: Shape, deviation: Shape, *gamma: Shape, row: int, plus_one: bool) -> Expression:
    scaled = Cell(0, i, j) / Cell(1, row, 0)
    if not gamma:
        return scaled
    return scaled * (Number(1) + Cell(2, 0, j) if plus_one else Cell(2, 0, j))


scale_parts = Operation(  # all by the deviation of one row, as the norm of their sum does
    name="scale_parts",
    shapes="p×d, n×1, 1×d → p×d",
    cell=_scaled_cell,
    formula=lambda inputs, row, plus_one: _write_scaled(A, B, inputs, plus_one),
    example={"row": 0, "plus_one": False},
    domain=(0.5, 3.0),
)


def _push(x: Array, w: Array, *more: Array, adds: Sequence[str], out_in: bool) -> Array:
    """Rows times the weight, then the rows that are added, then the sum of all.

    adds: what is added: beta, which is multiplied by the weight too, and b, which is not
    """
    w = w.T if out_in else w
    rows = [x @ w, *(one @ w if name == "beta" else one for name, one in zip(adds, more, strict=False))]
    return np.vstack([*rows, sum(row.sum(axis=0, keepdims=True) for row in rows)])


def _pushed_cell(i: Any, j: Any, x: Shape, w: Shape, *more: Shape, adds: Sequence[str], out_in: bool) -> Expression:
    def pushed(at: int, row: Any) -> Iterator[Expression]:
        return loop(x[1], lambda k: Cell(at, row, k) * (Cell(1, j, k) if out_in else Cell(1, k, j)))

    if i < x[0]:
        return total(pushed(0, i))
    names = enumerate(adds[: len(more)], 2)
    added = [total(pushed(at, 0)) if name == "beta" else Cell(at, 0, j) for at, name in names]
    for at, one in enumerate(added, 1):
        if i < x[0] + at:
            return one
    return total((*loop(x[0], lambda row: total(pushed(0, row))), *added))


def _write_pushed(x: Expression, out_in: bool) -> Expression:
    return Product((x, Transposed(B) if out_in else B))


def _pushed_code(x: Shape, w: Shape, *more: Shape, adds: Sequence[str], out_in: bool) -> Expression:
    names = enumerate(adds[: len(more)], 2)
    added = [_write_pushed(Operand(at), out_in) if name == "beta" else Operand(at) for at, name in names]
    rows = _write_pushed(A, out_in)
    rows = Call("stack", (rows, *added)) if added else rows
    return Call("stack", (rows, Call("colsum", (rows,))))


logits_of_parts = Operation(  # what each part pushes the logits by
    name="logits_of_parts",
    shapes="p×d, *×*, 1×*, 1×* → q×v",
    sizes=lambda shapes, adds, out_in: {"q": shapes[0][0] + len(shapes) - 1, "v": shapes[1][0 if out_in else 1]},
    forward=_push,
    cell=_pushed_cell,
    formula=lambda inputs, adds, out_in: Call("words", (_write_pushed(A, out_in), phrase("and_sum"))),
    code=_pushed_code,
    example={"adds": ("beta", "b"), "out_in": False},
)
