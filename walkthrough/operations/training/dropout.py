"""Dropout: Srivastava et al. 2014."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Number, Operand
from walkthrough.operations.definition import InputGradient, Operation

A, B = Operand(0), Operand(1)

drop: Operation = Operation(  # scaled in training, so that nothing changes outside of it
    name="drop",
    shapes="n×m, n×m → n×m",
    forward=lambda x, keep, rate: x * keep / (1 - rate),
    formula=lambda inputs, rate: Call("times", (A, B)) / (Number(1) - Number(rate)),
    gradient=lambda b: (InputGradient(drop, (b.gradient, b.inputs[1]), b.settings), None),
    example={"rate": 0.25},
)
