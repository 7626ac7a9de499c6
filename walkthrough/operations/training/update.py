"""The update of a parameter by its gradient."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Number, Operand
from walkthrough.operations.definition import Array, Operation

A, B = Operand(0), Operand(1)


def _step(old: Array, gradient: Array, rate: float) -> Array:
    result = gradient * -rate
    result += old
    return result


gradient_step = Operation(  # gradient descent
    name="gradient_step",
    shapes="n×m, n×m → n×m",
    forward=_step,
    formula=lambda inputs, rate: A - Number(rate) * B,
    example={"rate": 0.1},
)

velocity = Operation(  # what a step moves along with momentum: torch.optim.SGD, without dampening
    name="velocity",
    shapes="n×m, n×m → n×m",
    forward=lambda before, gradient, momentum: momentum * before + gradient,
    formula=lambda inputs, momentum: Number(momentum) * A + B,
    example={"momentum": 0.9},
)
