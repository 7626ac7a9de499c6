"""Multiplying and dividing a matrix by one number."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Named, Number, Product, sqrt
from walkthrough.operations.definition import A, InputGradient, Operation

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
