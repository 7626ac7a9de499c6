"""The clamped gate of gpt-oss: numbers cut at a limit, and a product with one more.

transformers' GptOssExperts._apply_gate.
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Where, phrase
from walkthrough.operations.definition import A, B, InputGradient, Operation
from walkthrough.operations.matrix import multiply


def _step(x: Expression) -> Expression:
    return Call("step", (x,))


def _cut(x: Expression, limit: float, both: bool) -> Expression:
    """An unknown number stays unknown: it is what is cut where its size is no number."""
    above = Where(_step(Number(limit) - x), x, Number(limit))
    return Where(_step(x + Number(limit)), above, Number(-limit)) if both else above


def _kept(x: Expression, limit: float, both: bool) -> tuple[Expression, ...]:
    """1 where the number is not cut, else 0; on either side."""
    below = Number(1) - Number(1) * _step(x - Number(limit))
    return (below, Number(1) - Number(1) * _step(Number(-limit) - x)) if both else (below,)


clamp_gradient = Operation(  # a number that is cut has none
    name="clamp_gradient",
    shapes="n×m, n×m → n×m",
    copies=True,
    formula=lambda inputs, limit, both: Call("times", (B, *_kept(A, limit, both))),
    example={"limit": 1.0, "both": True},
)


def _within(limit: float, both: bool) -> Expression:
    return Call("words", (A, phrase("within" if both else "up_to", limit=float(limit), same=float(limit))))


clamp = Operation(
    name="clamp",
    shapes="n×m → n×m",
    copies=True,
    forward=lambda x, limit, both: np.clip(x, -limit if both else None, limit),
    formula=lambda inputs, limit, both: _within(limit, both),
    cell=lambda i, j, x, limit, both: _cut(Cell(0, i, j), limit, both),
    gradient=lambda b: (InputGradient(clamp_gradient, (b.inputs[0], b.gradient), b.settings),),
    example={"limit": 1.0, "both": True},
)


times_plus_one: Operation = Operation(
    name="times_plus_one",
    shapes="n×m, n×m → n×m",
    forward=lambda a, b: a * (b + 1),
    formula=lambda inputs: Call("times", (A, B + Number(1))),
    gradient=lambda b: (
        InputGradient(times_plus_one, (b.gradient, b.inputs[1])),
        InputGradient(multiply, (b.gradient, b.inputs[0])),
    ),
)
