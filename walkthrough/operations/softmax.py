"""Softmax: as the small steps a person takes, and as the one function it is. Masks belong to its scores."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    Sum,
    Where,
    exp,
    loop,
)
from walkthrough.operations.backward import keep_visible
from walkthrough.operations.definition import PASSED, Array, InputGradient, Operation, Shape

A, B = Operand(0), Operand(1)
_HIDDEN = -np.inf


def _mask(scores: Array, visible: Array, value: float) -> Array:
    """Hidden scores become −∞ whether known or not; a finite value is added instead."""
    return np.where(visible != 0, scores, value if value == _HIDDEN else scores + value)


mask = Operation(  # Vaswani et al. 2017, §3.2.3: illegal connections are set to −∞
    name="mask",
    shapes="n×m, n×m → n×m",
    copies=True,
    forward=_mask,
    formula=lambda inputs, value: Call(
        "words",
        (
            A,
            Named(" where "),
            B,
            Named(" is 1, else "),
            Number(value) if value == _HIDDEN else A + Number(value),
        ),
    ),
    code=lambda scores, visible, value: Where(B, A, Number(value) if value == _HIDDEN else A + Number(value)),
    gradient=lambda b: (
        InputGradient(keep_visible, (b.gradient, b.inputs[1])) if b.settings["value"] == _HIDDEN else PASSED,
        None,
    ),
    example={"value": -1e4},
)

subtract_row_maximum = Operation(
    name="subtract_row_maximum",
    shapes="n×m → n×m",
    forward=lambda x: x - x.max(axis=1, keepdims=True),
    formula=lambda inputs: A - Call("rowmax", (A,)),
)

exponential = Operation(
    name="exp",
    shapes="n×m → n×m",
    forward=lambda x: np.exp(x),
    formula=lambda inputs: exp(A),
)

row_sum = Operation(
    name="row_sum",
    shapes="n×m → n×1",
    forward=lambda x: x.sum(axis=1, keepdims=True),
    formula=lambda inputs: Call("sum", (A,)),
)

divide_rows = Operation(  # each row by its own number
    name="divide_rows",
    shapes="n×m, n×1 → n×m",
    forward=lambda x, divisor: x / divisor,
    formula=lambda inputs: A / B,
    domain=(0.5, 3.0),
)


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return np.where(x == _HIDDEN, 0.0, powers / powers.sum(axis=1, keepdims=True))


def _softmax_cell(i: int, j: int, x: Shape) -> Expression:
    """1 / Σ e^(x_k − x_j): no number is both above and below the line; a hidden score has no share.

    e^(x_j − x_j) stands for 1: an unknown score has an unknown share, even of a row of its own.
    """
    own = Cell(0, i, j)
    share = Number(1) / Sum(tuple(loop(x[1], lambda k: exp(Cell(0, i, k) - own))))
    return Where(Call("equal", (own, Number(_HIDDEN))), Number(0), share)


def _softmax_code(powers: Expression) -> Expression:
    return powers / Call("sum", (powers,))


softmax_gradient = (
    Operation(  # the rule of a row: each weight times (its gradient − the weighted mean of all gradients)
        name="softmax_gradient",
        shapes="n×m, n×m → n×m",
        forward=lambda weights, gradient: weights * (gradient - np.einsum("ij,ij->i", weights, gradient)[:, None]),
        formula=lambda inputs: Call("times", (A, B - Call("sum", (Call("times", (A, B)),)))),
    )
)

softmax = Operation(  # the whole of exp, row_sum and divide_rows
    name="softmax",
    shapes="n×m → n×m",
    forward=_softmax,
    cell=_softmax_cell,
    formula=lambda inputs: Call("softmax", (A,)),
    code=lambda x: _softmax_code(exp(A - Call("rowmax", (A,)))),
    gradient=lambda b: (InputGradient(softmax_gradient, (b.result, b.gradient)),),
)
