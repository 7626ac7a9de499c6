"""Attention with linear biases: far keys count less, by a slope a head. Press et al. 2022, §3."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Named, Number, Operand
from walkthrough.operations.definition import PASSED, Array, Operation

A = Operand(0)


def _add_slope(scores: Array, slope: float, first: int) -> Array:
    n, m = scores.shape
    distances = np.abs(np.arange(first, first + n)[:, None] - np.arange(m))
    return scores - slope * distances


distance_bias = Operation(  # positions as rows and columns are counted, from 1; `first`: of the first row, from 0
    name="distance_bias",
    shapes="n×m → n×m",
    forward=_add_slope,
    cell=lambda i, j, scores, slope, first: (
        Cell(0, i, j) - Number(slope) * Call("abs", (Number(first + i + 1) - Number(j + 1),))
    ),
    formula=lambda inputs, slope, first: A - Number(slope) * Call("abs", (Named("i") - Named("j"),)),
    gradient=lambda b: (PASSED,),
    example={"slope": 0.25, "first": 0},
)


def slopes_of(heads: int) -> list[float]:
    """The paper's slopes: 2^(−8h/H) for H heads, a power of two; else those of the next smaller one, then every other
    of the next larger one."""
    below = 2 ** (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * head / below) for head in range(1, below + 1)]
    between = [2.0 ** (-8 * head / (2 * below)) for head in range(1, 2 * below + 1, 2)]
    return slopes + between[: heads - below]
