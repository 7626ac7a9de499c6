"""Weights in few bits: whole numbers times a scale, absmax or with a zero point. Jacob et al. 2018, §2.1.

What has a scale in common is a share: the tensor, a row, a column, or so many neighbouring numbers of a row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from walkthrough.expressions.fold.arrays import nearest
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Where, loop, loop_cells, maximum, phrase
from walkthrough.operations.definition import A, Array, B, C, Operation, Shape

_EXAMPLE = {"share": "row", "size": None, "bits": 4}
_NAMES = {"tensor": "all", "row": "row", "column": "column", "group": "group"}


def _shares(w: Array, share: str, size: int | None) -> Array:
    """The numbers of each share, along the last axis: r×c×k."""
    w = np.asarray(w)  # of a large file it is not one
    rows, columns = w.shape
    if share == "tensor":
        return w.reshape(1, 1, -1)
    if share == "row":
        return w[:, None, :]
    return w.T[None, :, :] if share == "column" else w.reshape(rows, columns // (size or 1), -1)


def _sizes(shapes: list[Shape], share: str, size: int | None) -> dict[str, int]:
    rows, columns = shapes[0]
    wide = {"tensor": 1, "row": 1, "column": columns, "group": columns // (size or 1)}[share]
    return {"r": 1 if share in ("tensor", "column") else rows, "c": wide}


def _of_each(
    i: int, j: int, w: Shape, share: str, size: int | None, of: Callable[[Expression], Expression]
) -> tuple[Expression, ...]:
    """What is made of each number of a share."""
    rows, columns = w
    if share == "column":
        return tuple(loop(rows, lambda row: of(Cell(0, row, j))))
    if share == "tensor":
        return tuple(loop_cells(0, w, of))
    start, count = (j * size, size) if share == "group" and size else (0, columns)
    return tuple(loop(count, lambda column: of(Cell(0, i, start + column))))


def _spread(w: Array, values: Array, share: str, size: int | None) -> Array:
    """What a share has in common, for each of its numbers."""
    return np.repeat(values, size or 1, axis=1) if share == "group" else np.broadcast_to(values, w.shape)


def _of_share(operand: int, i: int, j: int, share: str, size: int | None) -> Cell:
    row = 0 if share in ("tensor", "column") else i
    return Cell(operand, row, {"tensor": 0, "row": 0, "column": j}.get(share, j // (size or 1)))


def _scale(
    name: str,
    phrase_of: str,
    steps: Callable[[int], int],
    reach: Callable[[Array], Array],
    reach_of: Callable[[Callable[..., tuple[Expression, ...]]], Expression],
) -> Operation:
    """How far the numbers of each share reach, divided into steps; 1 where that would be 0.

    reach, reach_of: of the last axis; and as an expression, from what is made of each number
    """

    def forward(w: Array, share: str, size: int | None, bits: int) -> Array:
        scale = reach(_shares(w, share, size)) / steps(bits)
        return np.where(scale == 0, 1.0, scale)

    def cell(i: int, j: int, w: Shape, share: str, size: int | None, bits: int) -> Expression:
        scale = reach_of(lambda of: _of_each(i, j, w, share, size, of)) / Number(steps(bits))
        return Where(scale, scale, Number(1))

    return Operation(
        name=name,
        shapes="n×m → r×c",
        sizes=lambda shapes, share, size, bits: _sizes(shapes, share, size),
        forward=forward,
        cell=cell,
        formula=lambda inputs, share, size, bits: (
            Call("words", (phrase(f"{phrase_of}_{_NAMES[share]}"), A)) / Number(steps(bits))
        ),
        example=_EXAMPLE,
    )


def _size(x: Expression) -> Expression:
    return Call("abs", (x,))


def _above(x: Expression) -> Expression:
    return x


def _below(x: Expression) -> Expression:
    return -x


def _farthest(numbers: tuple[Expression, ...]) -> Expression:
    """How far a share goes above 0, or below it."""
    return maximum((Number(0), *numbers))


def _lowest(shares: Array) -> Array:
    """The lowest number of each share, or 0."""
    lowest: Array = np.minimum(shares.min(axis=-1), 0)
    return lowest


absmax_scale = _scale(
    "absmax_scale",
    "largest_size_of",
    lambda bits: 2 ** (bits - 1) - 1,
    lambda shares: np.abs(shares).max(axis=-1),
    lambda each: maximum(each(_size)),
)
range_scale = _scale(
    "range_scale",
    "both_ends_of",
    lambda bits: 2**bits - 1,
    lambda shares: np.maximum(shares.max(axis=-1), 0) - _lowest(shares),
    lambda each: _farthest(each(_above)) + _farthest(each(_below)),
)


def _zero(bits: int, depth: Expression, scale: Expression) -> Expression:
    """depth: how far below 0 the share goes."""
    return Call("round", (depth / scale,)) - Number(2 ** (bits - 1))


zero_point = Operation(
    name="zero_point",
    shapes="n×m, r×c → r×c",
    forward=lambda w, s, share, size, bits: -(2 ** (bits - 1)) - nearest(_lowest(_shares(w, share, size)) / s),
    cell=lambda i, j, w, s, share, size, bits: _zero(
        bits, _farthest(_of_each(i, j, w, share, size, _below)), Cell(1, i, j)
    ),
    formula=lambda inputs, share, size, bits: _zero(bits, Call("words", (phrase(f"lowest_of_{_NAMES[share]}"), A)), B),
    example=_EXAMPLE,
    domain=(0.5, 3.0),
)


def _limits(bits: int) -> tuple[int, int]:
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _cut(x: Expression, bits: int) -> Expression:
    """A number within the limits, which are written only where one of them takes its place; unknown, it stays so."""
    low, high = map(Number, _limits(bits))
    return Where(_is_not_above(low, x), Where(_is_not_above(x, high), x, high), low)


def _is_not_above(x: Expression, y: Expression) -> Expression:
    return Number(1) - Number(1) * Call("step", (x - y,))


def _quantize(w: Array, s: Array, *z: Array, share: str, size: int | None, bits: int) -> Array:
    whole = nearest(w / _spread(w, s, share, size))
    return np.clip(whole + _spread(w, z[0], share, size), *_limits(bits)) if z else whole


def _quantized_cell(
    i: int, j: int, w: Shape, s: Shape, *z: Shape, share: str, size: int | None, bits: int
) -> Expression:
    whole = Call("round", (Cell(0, i, j) / _of_share(1, i, j, share, size),))
    return _cut(whole + _of_share(2, i, j, share, size), bits) if z else whole


def _write_quantized(inputs: int, share: str, size: int | None, bits: int) -> Expression:
    whole = Call("round", (A / B,))
    low, high = _limits(bits)
    return Call("words", (whole + C, phrase("within", limit=-low, same=high))) if inputs == 3 else whole


quantize = Operation(  # with a zero point or without
    name="quantize",
    shapes="n×m, *×*, *×* → n×m",
    forward=_quantize,
    cell=_quantized_cell,
    formula=_write_quantized,
    example=_EXAMPLE,
    domain=(0.5, 3.0),
)


def _dequantize(q: Array, s: Array, *z: Array, share: str, size: int | None) -> Array:
    steps: Array = q - _spread(q, z[0], share, size) if z else q
    return steps * _spread(q, s, share, size)


def _dequantized_cell(i: int, j: int, q: Shape, s: Shape, *z: Shape, share: str, size: int | None) -> Expression:
    steps = Cell(0, i, j) - _of_share(2, i, j, share, size) if z else Cell(0, i, j)
    return steps * _of_share(1, i, j, share, size)


dequantize = Operation(
    name="dequantize",
    shapes="n×m, *×*, *×* → n×m",
    forward=_dequantize,
    cell=_dequantized_cell,
    formula=lambda inputs, share, size: Call("times", (A - C if inputs == 3 else A, B)),
    example={"share": "row", "size": None},
)
