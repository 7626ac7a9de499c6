"""Dropout: Srivastava et al. 2014."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Number
from walkthrough.operations.definition import A, B, InputGradient, Operation

drop: Operation = Operation(  # scaled in training, so that nothing changes outside of it
    name="drop",
    shapes="n×m, n×m → n×m",
    forward=lambda x, keep, rate: x * keep / (1 - rate),
    formula=lambda inputs, rate: Call("times", (A, B)) / (Number(1) - Number(rate)),
    gradient=lambda b: (InputGradient(drop, (b.gradient, b.inputs[1]), b.settings), None),
    example={"rate": 0.25},
)
