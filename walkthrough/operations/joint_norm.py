"""RMS norm over the features of several matrices side by side: one divisor for all heads, as OLMo 2 has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Expression,
    Named,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    square,
)
from walkthrough.operations.backward import column_sum_of_products
from walkthrough.operations.definition import Array, Backward, Composite, InnerGradient, InputGradient, Operation, Shape
from walkthrough.operations.spans import Span, name_columns, of_columns, take_columns

A, B, C, D = map(Operand, range(4))


def _width(shapes: tuple[Shape, ...]) -> int:
    return sum(columns for _, columns in shapes)


def _mean_square(*arrays: Array) -> Array:
    squares: Array = sum(np.square(array).sum(axis=1, keepdims=True) for array in arrays) / _width(
        tuple(array.shape for array in arrays)
    )
    return squares


def _write_mean_square(count: int, first: int = 0) -> Expression:
    sums = tuple(Call("sum", (square(Operand(at)),)) for at in range(first, first + count))
    return (Sum(sums) if count > 1 else sums[0]) / Named("d")


mean_square_of_all = Operation(
    name="mean_square_of_all",
    shapes="n×*, n×*, … → n×1",
    forward=_mean_square,
    formula=_write_mean_square,
    names=lambda *shapes: {"d": _width(shapes)},
)


scale_by_columns: Operation = Operation(  # by as many numbers of a longer row
    name="scale_by_columns",
    shapes="n×d, 1×g → n×d",
    forward=lambda x, row, columns, plus_one: x * (row[:, slice(*columns)] + plus_one),
    formula=lambda inputs, columns, plus_one: of_columns(Call("times", (A, _one_plus(B, plus_one))), columns),
    code=lambda x, row, columns, plus_one: Call("times", (A, _one_plus(take_columns(B, columns), plus_one))),
    example={"columns": (0, 3), "plus_one": False},
)


def _one_plus(factor: Expression, plus_one: bool) -> Expression:
    return Number(1) + factor if plus_one else factor


def _placed(a: Array, b: Array, columns: Span, width: int) -> Array:
    result = np.zeros((1, width))
    result[:, slice(*columns)] = column_sum_of_products.forward(a, b)
    return result


def _placed_cell(i: int, j: int, a: Shape, b: Shape, columns: Span, width: int) -> Expression:
    if not columns[0] <= j < columns[1]:
        return Number(0)
    return column_sum_of_products.expression(i, j - columns[0], (a, b), {})


place_column_sums = Operation(  # the gradient of a part of a longer row, 0 beside it
    name="place_column_sums",
    shapes="n×d, n×d → 1×g",
    sizes=lambda shapes, columns, width: {"g": width},
    forward=_placed,
    cell=_placed_cell,
    formula=lambda inputs, columns, width: Call(
        "words", (Named("column sums of "), Call("times", (A, B)), name_columns(columns), Named(", else 0"))
    ),
    code=lambda a, b, columns, width: Call("join", tuple(_placed_code(columns, width))),
    example={"columns": (0, 3), "width": 4},
)


def _placed_code(columns: Span, width: int) -> Iterator[Expression]:
    """The sums with as many zeros as there are before and after them."""
    first, last = columns
    if first:
        yield Call("zeros", (Number(first),))
    yield Call("colsum", (Call("times", (A, B)),))
    if last < width:
        yield Call("zeros", (Number(width - last),))


def _pull(divisor: Expression) -> Expression:
    """How far the gradient of a row goes along with what is normed, over d·r³."""
    return Call("sum", (Call("times", (A, B)),)) / Product((Named("d"), Power(divisor, Number(3))))


def _pulls(gradient: Array, x: Array, rms: Array, width: int) -> Array:
    pulls: Array = np.einsum("ij,ij->i", gradient, x)[:, None] / (width * rms**3)
    return pulls


joint_norm_gradient = Operation(  # of the matrix whose result the gradient is of
    name="joint_norm_gradient",
    shapes="n×d, n×d, n×1 → n×d",
    forward=lambda gradient, x, rms, width: gradient / rms - x * _pulls(gradient, x, rms, width),
    formula=lambda inputs, width: A / C - Call("times", (B, _pull(C))),
    names=lambda *shapes, width: {"d": width},
    example={"width": 6},
    domain=(0.5, 3.0),
)

other_norm_gradient = Operation(  # of a matrix beside it, which had its part in the divisor
    name="other_norm_gradient",
    shapes="n×d, n×d, n×1, n×m → n×m",
    forward=lambda gradient, x, rms, other, width: -other * _pulls(gradient, x, rms, width),
    formula=lambda inputs, width: -Call("times", (D, _pull(C))),
    names=lambda *shapes, width: {"d": width},
    example={"width": 6},
    domain=(0.5, 3.0),
)


def _joint(name: str, has_gamma: bool) -> Operation:
    """The whole of mean square, root, division and, with a γ for the columns of all, of its part of γ.

    Settings: at, which of the matrices it is the result of; columns, its columns among those of all; epsilon; plus_one.
    """

    def forward(*given: Array, epsilon: float, at: int, columns: Span, plus_one: bool) -> Array:
        xs = given[has_gamma:]
        normalized: Array = xs[at] / np.sqrt(_mean_square(*xs) + epsilon)
        return scale_by_columns.forward(normalized, given[0], columns, plus_one) if has_gamma else normalized

    def gradient(b: Backward) -> tuple[InputGradient, ...]:
        xs, at, columns = b.inputs[has_gamma:], b.settings["at"], b.settings["columns"]
        width = {"width": sum(x.shape[1] for x in xs)}
        inner: Any = b.gradient
        shares = []
        if has_gamma:
            kept = {"columns": columns, "plus_one": b.settings["plus_one"]}
            inner = InputGradient(scale_by_columns, (b.gradient, b.inputs[0]), kept, kind=_TIMES_GAMMA)
            placed = {"columns": columns, "width": b.inputs[0].shape[1]}
            shares.append(InputGradient(place_column_sums, (b.gradient, b.parts["normalized"]), placed))
        inside = inner, xs[at], b.parts["rms"]
        for number, x in enumerate(xs):
            own = number == at
            operation = joint_norm_gradient if own else other_norm_gradient
            shares.append(InputGradient(operation, inside if own else (*inside, x), width))
        return tuple(shares)

    return Composite(name, forward, gradient, drawn_as="norm")


_TIMES_GAMMA = InnerGradient("scaled", "γ", "Gradient times γ", "The gradient that reaches the normalized vectors.")

joint_norm, joint_norm_with_gamma = _joint("joint_norm", has_gamma=False), _joint("joint_norm_with_gamma", True)
