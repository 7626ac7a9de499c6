"""Multiplying and dividing a matrix by one number, and capping it."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number, Product, sqrt, square
from walkthrough.operations.definition import A, B, InputGradient, Operation

scale_by_root: Operation = Operation(  # embeddings are multiplied by √d_model: Vaswani et al. 2017, §3.4
    name="scale_by_root",
    shapes="n×m → n×m",
    forward=lambda x, root_of, name: x * np.sqrt(root_of),
    formula=lambda inputs, root_of, name: Product((A, sqrt(Named(name)))),
    names=lambda x, root_of, name: {name: root_of},
    gradient=lambda b: (InputGradient(scale_by_root, (b.gradient,), b.settings),),
    example={"root_of": 5.0, "name": "d_model"},
)

scale_by: Operation = Operation(
    name="scale_by",
    shapes="n×m → n×m",
    forward=lambda x, factor: x * factor,
    formula=lambda inputs, factor: Product((A, Number(factor))),
    gradient=lambda b: (InputGradient(scale_by, (b.gradient,), b.settings),),
    example={"factor": 1.5},
)

divide_by_root: Operation = Operation(  # scores are divided by √d_k: Vaswani et al. 2017, §3.2.1
    name="divide_by_root",
    shapes="n×m → n×m",
    forward=lambda x, root_of, name="": x / np.sqrt(root_of),
    formula=lambda inputs, root_of, name="": A / sqrt(Named(name) if name else Number(root_of)),
    names=lambda x, root_of, name="": {name: root_of} if name else {},
    gradient=lambda b: (InputGradient(divide_by_root, (b.gradient,), b.settings),),
    example={"root_of": 3.0, "name": "d_k"},
)

divide_by: Operation = Operation(
    name="divide_by",
    shapes="n×m → n×m",
    forward=lambda x, divisor: x / divisor,
    formula=lambda inputs, divisor: A / Number(divisor),
    gradient=lambda b: (InputGradient(divide_by, (b.gradient,), b.settings),),
    example={"divisor": 2.5},
)


def _squash(x: Expression, cap: float) -> Expression:
    return Call("tanh", (x / Number(cap),))


soft_cap_gradient = Operation(
    name="soft_cap_gradient",
    shapes="n×m, n×m → n×m",
    forward=lambda x, gradient, cap: gradient * (1 - np.square(np.tanh(x / cap))),
    formula=lambda inputs, cap: Call("times", (B, Number(1) - square(_squash(A, cap)))),
    example={"cap": 2.0},
)

soft_cap = Operation(  # between −c and c, nearly as they are where they are small: Gemma 2, §2
    name="soft_cap",
    shapes="n×m → n×m",
    forward=lambda x, cap: cap * np.tanh(x / cap),
    formula=lambda inputs, cap: Number(cap) * _squash(A, cap),
    gradient=lambda b: (InputGradient(soft_cap_gradient, (b.inputs[0], b.gradient), b.settings),),
    example={"cap": 2.0},
)
