"""Weights in few bits: whole numbers times a scale, absmax or with a zero point. Jacob et al. 2018, §2.1.

What has a scale in common is a share: the tensor, a row, a column, or so many neighbouring numbers of a row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from walkthrough.expressions.fold.arrays import nearest
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Operand,
    Transposed,
    Where,
    loop,
    loop_over,
    maximum,
    phrase,
)
from walkthrough.operations.definition import Array, Operation, Shape

A, B, C = Operand(0), Operand(1), Operand(2)
_EXAMPLE = {"share": "row", "size": None}
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

        def in_row(row: int) -> tuple[Expression, ...]:
            return tuple(loop(columns, lambda column: of(Cell(0, row, column))))

        return tuple(loop_over([(row,) for row in range(rows)], in_row))
    start, count = (j * size, size) if share == "group" and size else (0, columns)
    return tuple(loop(count, lambda column: of(Cell(0, i, start + column))))


def _highest_code(w: Shape, share: str, size: int | None, of: Callable[[Expression], Expression]) -> Expression:
    if share == "group" and size:
        groups = (Call("columns", (A, Number(at), Number(at + size))) for at in range(0, w[1], size))
        return Call("join", tuple(Call("rowmax", (of(group),)) for group in groups))
    columns = Transposed(Call("rowmax", (Transposed(of(A)),)))
    if share == "column":
        return columns
    return Call("rowmax", (of(A) if share == "row" else columns,))


def _spread(w: Array, values: Array, share: str, size: int | None) -> Array:
    """What a share has in common, for each of its numbers."""
    return np.repeat(values, size or 1, axis=1) if share == "group" else np.broadcast_to(values, w.shape)


def _of_share(operand: int, i: int, j: int, share: str, size: int | None) -> Cell:
    row = 0 if share in ("tensor", "column") else i
    return Cell(operand, row, {"tensor": 0, "row": 0, "column": j}.get(share, j // (size or 1)))


def _by_share(w: Shape, share: str, size: int | None, made: Callable[..., Expression], count: int) -> Expression:
    """What is made of the numbers and of what their shares have in common; of groups one beside the other."""
    if share != "group" or not size:
        return made(*map(Operand, range(count)))
    groups = []
    for at in range(w[1] // size):
        common = (Call("columns", (Operand(one), Number(at), Number(at + 1))) for one in range(1, count))
        groups.append(made(Call("columns", (A, Number(at * size), Number((at + 1) * size))), *common))
    return Call("join", tuple(groups))


def _size(x: Expression) -> Expression:
    return Call("abs", (x,))


def _or_one(x: Expression, divisor: int) -> Expression:
    """A scale; 1 where it would be 0."""
    scale = x / Number(divisor)
    return Where(scale, scale, Number(1))


def _absmax(w: Array, share: str, size: int | None, bits: int) -> Array:
    scale = np.abs(_shares(w, share, size)).max(axis=-1) / (2 ** (bits - 1) - 1)
    return np.where(scale == 0, 1.0, scale)


absmax_scale = Operation(
    name="absmax_scale",
    shapes="n×m → r×c",
    sizes=lambda shapes, share, size, bits: _sizes(shapes, share, size),
    forward=_absmax,
    cell=lambda i, j, w, share, size, bits: _or_one(
        maximum(_of_each(i, j, w, share, size, _size)), 2 ** (bits - 1) - 1
    ),
    formula=lambda inputs, share, size, bits: (
        Call("words", (phrase(f"largest_size_of_{_NAMES[share]}"), A)) / Number(2 ** (bits - 1) - 1)
    ),
    code=lambda w, share, size, bits: _or_one(_highest_code(w, share, size, _size), 2 ** (bits - 1) - 1),
    example={**_EXAMPLE, "bits": 4},
)


def _ends(w: Array, share: str, size: int | None) -> tuple[Array, Array]:
    shares = _shares(w, share, size)
    return np.minimum(shares.min(axis=-1), 0), np.maximum(shares.max(axis=-1), 0)


def _range_scale(w: Array, share: str, size: int | None, bits: int) -> Array:
    low, high = _ends(w, share, size)
    scale = (high - low) / (2**bits - 1)
    return np.where(scale == 0, 1.0, scale)


def _above(x: Expression) -> Expression:
    return x


def _below(x: Expression) -> Expression:
    return -x


def _farthest(w: Shape, share: str, size: int | None, of: Callable[[Expression], Expression]) -> Expression:
    """How far each share goes above 0, or below it, as a program has it."""
    return maximum((Number(0), _highest_code(w, share, size, of)))


range_scale = Operation(
    name="range_scale",
    shapes="n×m → r×c",
    sizes=lambda shapes, share, size, bits: _sizes(shapes, share, size),
    forward=_range_scale,
    cell=lambda i, j, w, share, size, bits: _or_one(
        maximum((Number(0), *_of_each(i, j, w, share, size, _above)))
        + maximum((Number(0), *_of_each(i, j, w, share, size, _below))),
        2**bits - 1,
    ),
    formula=lambda inputs, share, size, bits: (
        Call("words", (phrase(f"both_ends_of_{_NAMES[share]}"), A)) / Number(2**bits - 1)
    ),
    code=lambda w, share, size, bits: _or_one(
        _farthest(w, share, size, _above) + _farthest(w, share, size, _below), 2**bits - 1
    ),
    example={**_EXAMPLE, "bits": 4},
)


def _zero(bits: int, depth: Expression, scale: Expression) -> Expression:
    """depth: how far below 0 the share goes."""
    return Call("round", (depth / scale,)) - Number(2 ** (bits - 1))


zero_point = Operation(
    name="zero_point",
    shapes="n×m, r×c → r×c",
    forward=lambda w, s, share, size, bits: -(2 ** (bits - 1)) - nearest(_ends(w, share, size)[0] / s),
    cell=lambda i, j, w, s, share, size, bits: _zero(
        bits, maximum((Number(0), *_of_each(i, j, w, share, size, _below))), Cell(1, i, j)
    ),
    formula=lambda inputs, share, size, bits: _zero(bits, Call("words", (phrase(f"lowest_of_{_NAMES[share]}"), A)), B),
    code=lambda w, s, share, size, bits: _zero(bits, _farthest(w, share, size, _below), B),
    example={**_EXAMPLE, "bits": 4},
    domain=(0.5, 3.0),
)

quantize = Operation(
    name="quantize",
    shapes="n×m, *×* → n×m",
    forward=lambda w, s, share, size: nearest(w / _spread(w, s, share, size)),
    cell=lambda i, j, w, s, share, size: Call("round", (Cell(0, i, j) / _of_share(1, i, j, share, size),)),
    formula=lambda inputs, share, size: Call("round", (A / B,)),
    example=_EXAMPLE,
    domain=(0.5, 3.0),
)


def _from_zero(w: Expression, s: Expression, z: Expression) -> Expression:
    return Call("round", (w / s,)) + z


def _limits(bits: int) -> tuple[int, int]:
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _cut(x: Expression, bits: int) -> Expression:
    """A number within the limits, which are written only where one of them takes its place; unknown, it stays so."""
    low, high = map(Number, _limits(bits))
    return Where(_is_not_above(low, x), Where(_is_not_above(x, high), x, high), low)


def _is_not_above(x: Expression, y: Expression) -> Expression:
    return Number(1) - Call("step", (x - y,))


def _cut_code(x: Expression, bits: int) -> Expression:
    low, high = _limits(bits)
    return maximum((Number(low), -maximum((Number(-high), -x))))


def _quantize_from(w: Array, s: Array, z: Array, share: str, size: int | None, bits: int) -> Array:
    whole = nearest(w / _spread(w, s, share, size)) + _spread(w, z, share, size)
    return np.clip(whole, *_limits(bits))


quantize_from_zero_point = Operation(
    name="quantize_from_zero_point",
    shapes="n×m, *×*, *×* → n×m",
    forward=_quantize_from,
    cell=lambda i, j, w, s, z, share, size, bits: _cut(
        _from_zero(Cell(0, i, j), _of_share(1, i, j, share, size), _of_share(2, i, j, share, size)), bits
    ),
    formula=lambda inputs, share, size, bits: Call(
        "words", (_from_zero(A, B, C), phrase("within", limit=-_limits(bits)[0], same=_limits(bits)[1]))
    ),
    code=lambda w, s, z, share, size, bits: _by_share(
        w, share, size, lambda a, b, c: _cut_code(_from_zero(a, b, c), bits), 3
    ),
    example={**_EXAMPLE, "bits": 4},
    domain=(0.5, 3.0),
)

dequantize = Operation(
    name="dequantize",
    shapes="n×m, *×* → n×m",
    forward=lambda q, s, share, size: q * _spread(q, s, share, size),
    cell=lambda i, j, q, s, share, size: Cell(0, i, j) * _of_share(1, i, j, share, size),
    formula=lambda inputs, share, size: Call("times", (A, B)),
    example=_EXAMPLE,
)

dequantize_from_zero_point = Operation(
    name="dequantize_from_zero_point",
    shapes="n×m, *×*, *×* → n×m",
    forward=lambda q, s, z, share, size: (q - _spread(q, z, share, size)) * _spread(q, s, share, size),
    cell=lambda i, j, q, s, z, share, size: (
        (Cell(0, i, j) - _of_share(2, i, j, share, size)) * _of_share(1, i, j, share, size)
    ),
    formula=lambda inputs, share, size: Call("times", (A - C, B)),
    example=_EXAMPLE,
)
