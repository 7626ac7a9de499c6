"""Experts in groups: how well each group suits a token, and which experts are in the chosen groups.

DeepSeek-V3 (2024), §2.1.2. A choice has no slope, nor has what it goes by alone.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, maximum, phrase
from walkthrough.operations.definition import A, Array, Operation, Shape


def _two_largest(x: Array, size: int) -> Array:
    sums = [np.sort(x[:, at : at + size], axis=1)[:, -2:].sum(axis=1) for at in range(0, x.shape[1], size)]
    return np.column_stack(sums)


def _two_largest_cell(i: int, j: int, x: Shape, size: int) -> Expression:
    """The largest sum of two is that of the two largest; of a single number it is this one."""
    first = int(j) * size
    pairs = list(combinations(range(first, min(first + size, x[1])), 2))
    return maximum(Cell(0, i, one) + Cell(0, i, other) for one, other in pairs) if pairs else Cell(0, i, first)


two_largest = Operation(
    name="two_largest",
    shapes="n×m → n×g",
    sizes=lambda shapes, size: {"g": -(-shapes[0][1] // size)},
    forward=_two_largest,
    cell=_two_largest_cell,
    formula=lambda inputs, size: Call("words", (phrase("two_largest_of_groups_of", size=size), A)),
    gradient=lambda b: (None,),
    example={"size": 2},
)
