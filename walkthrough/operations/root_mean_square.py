"""RMS normalization, as small steps and as the one function it is: no mean, no shift. Zhang, Sennrich 2019, eq. 4."""

from __future__ import annotations

from collections.abc import Callable
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
    loop,
    sqrt,
    square,
    total,
)
from walkthrough.operations.backward import column_sum_of_products, times_row
from walkthrough.operations.definition import Array, Backward, InnerGradient, InputGradient, Operation, Shape

A, B, C = Operand(0), Operand(1), Operand(2)


def _mean_square(i: int, width: int) -> Expression:
    return Sum(tuple(loop(width, lambda k: square(Cell(0, i, k))))) / Number(width)


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
    blended = total(loop(x[1], lambda k: Cell(0, i, k) * Cell(1, i, k)))
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

scale_by_one_plus = Operation(  # γ counted from 1: transformers' GemmaRMSNorm
    name="scale_by_one_plus",
    shapes="n×d, 1×d → n×d",
    forward=lambda x, gamma: x * (1 + gamma),
    cell=lambda i, j, x, gamma: Cell(0, i, j) * (Number(1) + Cell(1, 0, j)),
    formula=lambda inputs: Call("times", (A, Number(1) + B)),
)


def _rms_norm(name: str, scale: Operation, factor: Callable[[Expression], Expression], written: str) -> Operation:
    """A whole norm: each row by the root of its mean square, times what γ stands for, where it is given."""
    scaled = InnerGradient(
        "scaled", "γ", f"Gradient times {written}", "The gradient that reaches the normalized vectors."
    )

    def forward(x: Array, *gamma: Array, epsilon: float) -> Array:
        normalized: Array = x / np.sqrt(np.square(x).sum(axis=1, keepdims=True) / x.shape[1] + epsilon)
        return scale.forward(normalized, gamma[0]) if gamma else normalized

    def cell(i: int, j: int, x: Shape, *gamma: Shape, epsilon: float) -> Expression:
        normalized = Cell(0, i, j) / _root(_mean_square(i, x[1]), epsilon, Number(epsilon))
        return normalized * factor(Cell(1, 0, j)) if gamma else normalized

    def gradient(b: Backward) -> tuple[InputGradient, ...]:
        inner: Any = b.gradient
        of_gamma = []
        for gamma in b.inputs[1:]:
            of_gamma.append(InputGradient(column_sum_of_products, (b.gradient, b.parts["normalized"])))
            inner = InputGradient(scale, (b.gradient, gamma), kind=scaled)
        return InputGradient(rms_norm_gradient, (inner, b.inputs[0], b.parts["rms"])), *of_gamma

    return Operation(
        name=name,
        shapes="n×d, 1×d → n×d",
        forward=forward,
        cell=cell,
        formula=lambda inputs, epsilon: Call("RMSNorm", (A,)),
        gradient=gradient,
        example={"epsilon": 0.1},
    )


rms_norm = _rms_norm("rms_norm", times_row, lambda gamma: gamma, "γ")
rms_norm_plus_one = _rms_norm("rms_norm_plus_one", scale_by_one_plus, lambda gamma: Number(1) + gamma, "1 + γ")
