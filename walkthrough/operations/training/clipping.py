"""Gradients are clipped to a global norm: Pascanu et al. 2013, as torch.nn.utils.clip_grad_norm_."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Number,
    loop,
    loop_cells,
    maximum,
    phrase,
    sqrt,
    square,
    total,
)
from walkthrough.operations.definition import A, Operation

GUARD = 1e-6
"""Added to the norm against division by zero, as PyTorch does."""


sums_of_squares = Operation(  # a row for each gradient
    name="sums_of_squares",
    shapes="*×*, *×*, … → p×1",
    sizes=lambda shapes: {"p": len(shapes)},
    forward=lambda *gradients: np.array([[np.square(gradient).sum()] for gradient in gradients]),
    cell=lambda i, j, *shapes: total(loop_cells(i, shapes[i], square)),
    formula=lambda inputs: phrase("sums_of_squares"),
)

global_norm = Operation(
    name="global_norm",
    shapes="p×1 → 1×1",
    forward=lambda squares: np.sqrt(squares.sum(axis=0, keepdims=True)),
    cell=lambda i, j, squares: sqrt(total(loop(squares[0], lambda k: Cell(0, k, 0)))),
    formula=lambda inputs: sqrt(Call("sum", (A,))),
    code=lambda squares: sqrt(Call("colsum", (A,))),
    domain=(0.0, 3.0),
)

clip_factor = Operation(  # min(1, clip / (norm + 1e-6))
    name="clip_factor",
    shapes="1×1 → 1×1",
    forward=lambda norm, clip: clip / np.maximum(clip, norm + GUARD),
    formula=lambda inputs, clip: Number(clip) / maximum((Number(clip), A + Number(GUARD))),
    example={"clip": 1.0},
    domain=(0.0, 3.0),
)
