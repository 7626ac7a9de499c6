"""Attention with linear biases: far keys count less, by a slope a head. Press et al. 2022, §3."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Named, Number
from walkthrough.operations.definition import PASSED, A, Array, Operation
from walkthrough.operations.positions.places import position_of


def _add_slope(scores: Array, slope: float, rows: Sequence[int], columns: Sequence[int]) -> Array:
    distances = np.abs(np.array(rows)[:, None] - np.array(columns))
    return np.asarray(scores - slope * distances)


distance_bias = Operation(  # rows, columns: where each stands
    name="distance_bias",
    shapes="n×m → n×m",
    forward=_add_slope,
    cell=lambda i, j, scores, slope, rows, columns: (
        Cell(0, i, j) - Number(slope) * Call("abs", (Number(position_of(rows, i)) - Number(position_of(columns, j)),))
    ),
    formula=lambda inputs, slope, rows, columns: A - Number(slope) * Call("abs", (Named("i") - Named("j"),)),
    gradient=lambda b: (PASSED,),
    example={"slope": 0.25, "rows": (1, 2, 3), "columns": (1, 2, 3)},
)


def slopes_of(heads: int) -> list[float]:
    """The paper's slopes: 2^(−8h/H) for H heads, a power of two; else those of the next smaller one, then every other
    of the next larger one."""
    below = 2 ** (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * head / below) for head in range(1, below + 1)]
    between = [2.0 ** (-8 * head / (2 * below)) for head in range(1, 2 * below + 1, 2)]
    return slopes + between[: heads - below]
