"""Attention followed through layers: the mean of the heads, and half of it beside the way past the attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    Sum,
    Where,
    onehot,
)
from walkthrough.operations.definition import Operation, Shape

A = Operand(0)

mean_of_all = Operation(
    name="mean_of_all",
    shapes="n×m, n×m, … → n×m",
    forward=lambda *arrays: sum(arrays[1:], arrays[0]) / len(arrays),
    formula=lambda inputs: Sum(tuple(map(Operand, range(inputs)))) / Number(inputs),
)


def _mixed_cell(i: Any, j: Any, x: Shape) -> Expression:
    itself = Where(Call("equal", (Number(i), Number(j))), Number(1), Number(0))
    return (Cell(0, i, j) + itself) / Number(2)


mix_with_identity = Operation(  # half through the attention, half past it: Abnar and Zuidema 2020, §3
    name="mix_with_identity",
    shapes="n×n → n×n",
    forward=lambda x: (x + np.eye(len(x))) / 2,
    cell=_mixed_cell,
    formula=lambda inputs: (A + Named("I")) / Number(2),
    code=lambda x: (A + onehot(range(x[0]), x[0])) / Number(2),
)
