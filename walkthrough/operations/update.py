"""The update of a parameter by its gradient."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Cell, Number, Operand
from walkthrough.operations.definition import Array, Operation

A, B = Operand(0), Operand(1)


def _stepped(old: Array, gradient: Array, rate: float) -> Array:
    result = gradient * -rate
    result += old
    return result


gradient_step = Operation(  # gradient descent
    name="gradient_step",
    shapes="n×m, n×m → n×m",
    forward=_stepped,
    cell=lambda i, j, old, gradient, rate: Cell(0, i, j) - Number(rate) * Cell(1, i, j),
    formula=lambda inputs, rate: A - Number(rate) * B,
    example={"rate": 0.1},
)

velocity = Operation(  # what a step moves along with momentum: torch.optim.SGD, without dampening
    name="velocity",
    shapes="n×m, n×m → n×m",
    forward=lambda before, gradient, momentum: momentum * before + gradient,
    cell=lambda i, j, before, gradient, momentum: Number(momentum) * Cell(0, i, j) + Cell(1, i, j),
    formula=lambda inputs, momentum: Number(momentum) * A + B,
    example={"momentum": 0.9},
)
