"""RMS normalization, as small steps and as the one function it is: no mean, no shift. Zhang, Sennrich 2019, eq. 4."""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    sqrt,
    square,
    total,
)
from walkthrough.operations.backward import column_sum_of_products, times_row
from walkthrough.operations.definition import Array, Backward, InnerGradient, InputGradient, Operation, Shape

A, B, C = Operand(0), Operand(1), Operand(2)


def _mean_square(i: int, width: int) -> Expression:
    return Sum(tuple(square(Cell(0, i, k)) for k in range(width))) / Number(width)


def _root(mean_square: Expression, epsilon: float, name: Expression) -> Expression:
    return sqrt(mean_square + name) if epsilon else sqrt(mean_square)


mean_square = Operation(
    name="mean_square",
    shapes="n×d → n×1",
    forward=lambda x: np.square(x).sum(axis=1, keepdims=True) / x.shape[1],
    cell=lambda i, j, x: _mean_square(i, x[1]),
    formula=lambda inputs: Call("sum", (square(A),)) / Named("d"),
    names=lambda x: {"d": x[1]},
)

root_of_mean_square = Operation(  # epsilon stands under the root
    name="root_of_mean_square",
    shapes="n×1 → n×1",
    forward=lambda x, epsilon: np.sqrt(x + epsilon),
    cell=lambda i, j, x, epsilon: _root(Cell(0, i, 0), epsilon, Number(epsilon)),
    formula=lambda inputs, epsilon: _root(A, epsilon, Named("ε")),
    names=lambda x, epsilon: {"ε": epsilon},
    example={"epsilon": 0.1},
    domain=(0.1, 3.0),
)


def _gradient(gradient: Array, x: Array, root: Array) -> Array:
    blended = np.einsum("ij,ij->i", gradient, x)[:, None]
    shares: Array = gradient / root - x * (blended / (x.shape[1] * root**3))
    return shares


def _gradient_cell(i: int, j: int, gradient: Shape, x: Shape, root: Shape) -> Expression:
    blended = total(Cell(0, i, k) * Cell(1, i, k) for k in range(x[1]))
    pull = Cell(1, i, j) * blended / (Number(x[1]) * Power(Cell(2, i, 0), Number(3)))
    return Cell(0, i, j) / Cell(2, i, 0) - pull


rms_norm_gradient = Operation(  # back through mean square, root and division at once
    name="rms_norm_gradient",
    shapes="n×d, n×d, n×1 → n×d",
    forward=_gradient,
    cell=_gradient_cell,
    formula=lambda inputs: (
        A / C - Call("times", (B, Call("sum", (Call("times", (A, B)),)))) / Product((Named("d"), Power(C, Number(3))))
    ),
    names=lambda gradient, *inside: {"d": gradient[1]},
    domain=(0.5, 3.0),
)

_TIMES_GAMMA = InnerGradient("scaled", "γ", "Gradient times γ", "The gradient that reaches the normalized vectors.")


def _rms_norm_gradient(b: Backward) -> tuple[InputGradient, ...]:
    """The gradient of the norm's input, and of γ where it is given."""
    shares: list[InputGradient] = []
    inner: Any = b.gradient
    for gamma in b.inputs[1:]:
        shares.append(InputGradient(column_sum_of_products, (b.gradient, b.parts["normalized"])))
        inner = InputGradient(times_row, (b.gradient, gamma), kind=_TIMES_GAMMA)
    return InputGradient(rms_norm_gradient, (inner, b.inputs[0], b.parts["rms"])), *shares


def _rms_norm(x: Array, *gamma: Array, epsilon: float) -> Array:
    normalized: Array = x / np.sqrt(np.square(x).sum(axis=1, keepdims=True) / x.shape[1] + epsilon)
    return normalized * gamma[0] if gamma else normalized


def _rms_norm_cell(i: int, j: int, x: Shape, *gamma: Shape, epsilon: float) -> Expression:
    normalized = Cell(0, i, j) / _root(_mean_square(i, x[1]), epsilon, Number(epsilon))
    return normalized * Cell(1, 0, j) if gamma else normalized


rms_norm = Operation(  # the whole of mean square, root, division and γ
    name="rms_norm",
    shapes="n×d, 1×d → n×d",
    forward=_rms_norm,
    cell=_rms_norm_cell,
    formula=lambda inputs, epsilon: Call("RMSNorm", (A,)),
    gradient=_rms_norm_gradient,
    example={"epsilon": 0.1},
)
