"""The update of a parameter by its gradient, and what an optimizer carries from step to step for it.

Momentum: Polyak 1964. Adam: Kingma and Ba 2015, algorithm 1. AdamW: Loshchilov and Hutter 2019, algorithm 2.
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Expression, Number, Power, sqrt, square
from walkthrough.operations.definition import A, Array, B, C, Operation


def _rate(scheduled: Array | None, rate: float) -> Array | float:
    """The learning rate: of a schedule a recorded number, otherwise the file's own."""
    return rate if scheduled is None else scheduled


def _step(old: Array, gradient: Array, scheduled: Array | None = None, rate: float = 0.0) -> Array:
    result = gradient * -_rate(scheduled, rate)
    result += old
    return result


gradient_step = Operation(  # gradient descent
    name="gradient_step",
    shapes="n×m, n×m, 1×1 → n×m",
    forward=_step,
    formula=lambda inputs, rate=0.0: A - (Number(rate) * B if inputs == 2 else Call("times", (C, B))),
    example={"rate": 0.1},
)

decay = Operation(  # weight decay apart from the gradient, as torch.optim.AdamW
    name="decay",
    shapes="n×m, 1×1 → n×m",
    forward=lambda old, scheduled=None, decay=0.0, rate=0.0: (1 - _rate(scheduled, rate) * decay) * old,
    formula=lambda inputs, decay, rate=0.0: Call(
        "times", (Number(1) - (Number(rate) if inputs == 1 else B) * Number(decay), A)
    ),
    example={"rate": 0.1, "decay": 0.5},
)

velocity = Operation(  # what a step moves along with momentum: torch.optim.SGD, without dampening
    name="velocity",
    shapes="n×m, n×m → n×m",
    forward=lambda before, gradient, momentum: momentum * before + gradient,
    formula=lambda inputs, momentum: Number(momentum) * A + B,
    example={"momentum": 0.9},
)


def _moment(gradient: Array, before: Array | None = None, *, beta: float, power: int) -> Array:
    share = (1 - beta) * (np.square(gradient) if power == 2 else gradient)
    return share if before is None else beta * before + share


def _write_moment(inputs: int, beta: float, power: int) -> Expression:
    share = (Number(1) - Number(beta)) * (square(A) if power == 2 else A)
    return share if inputs == 1 else Number(beta) * B + share


moment = Operation(  # the first or second of a gradient, and what it was before; before the first step that is 0
    name="moment",
    shapes="n×m, n×m → n×m",
    forward=_moment,
    formula=_write_moment,
    example={"beta": 0.75, "power": 2},
)

correct_moment = Operation(  # without its bias towards the 0 that it began with
    name="correct_moment",
    shapes="n×m → n×m",
    forward=lambda moment, beta, step: moment / (1 - beta**step),
    formula=lambda inputs, beta, step: A / (Number(1) - Power(Number(beta), Number(step))),
    example={"beta": 0.9, "step": 3},
)

direction = Operation(  # of first and second moment, corrected
    name="direction",
    shapes="n×m, n×m → n×m",
    forward=lambda first, second, epsilon: first / (np.sqrt(second) + epsilon),
    formula=lambda inputs, epsilon: A / (sqrt(B) + Number(epsilon)),
    example={"epsilon": 0.01},
    domain=(0.1, 3.0),
)
