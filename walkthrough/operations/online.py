"""Softmax and the weighted average in one go over blocks of keys, without ever holding a whole row of weights.

Milakov and Gimelshein 2018; as Algorithm 1 of FlashAttention-2, Dao 2024.
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Product,
    Where,
    exp,
    loop,
    maximum,
    total,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, B, C, D, Operation, Shape
from walkthrough.operations.wording import Span, of_columns, of_rows, slice_columns

_NONE = Number(-np.inf)
"""The maximum of a block in which everything is hidden."""


def _write_highest(x: Expression, is_first: bool) -> Expression:
    highest = Call("rowmax", (x,))
    return highest if is_first else maximum((B, highest))


block_maximum = Operation(  # the largest score so far
    name="block_maximum",
    copies=True,
    shapes="n×m, n×1 → n×1",
    formula=lambda inputs, block: of_columns(_write_highest(A, inputs == 1), block),
    code=lambda x, *before, block: _write_highest(slice_columns(A, block), not before),
    example={"block": (1, 3)},
)


def _write_exp(exponent: Expression) -> Expression:
    """0 where nothing has been seen yet: −∞ − (−∞) is no number."""
    return Where(Call("equal", (B, _NONE)), Number(0), exp(exponent))


block_factor = Operation(  # what the sums so far are multiplied by, as their maximum has grown
    name="block_factor",
    shapes="n×1, n×1 → n×1",
    formula=lambda inputs: exp(A - B),
    code=lambda before, highest: _write_exp(A - B),
)

block_exp = Operation(
    name="block_exp",
    shapes="n×m, n×1 → n×b",
    sizes=lambda shapes, block: {"b": block[1] - block[0]},
    formula=lambda inputs, block: of_columns(exp(A - B), block),
    code=lambda x, highest, block: _write_exp(slice_columns(A, block) - B),
    example={"block": (1, 3)},
)

block_sum = Operation(  # of the exponentials so far
    name="block_sum",
    shapes="n×b, n×1, n×1 → n×1",
    forward=lambda powers, *before: powers.sum(axis=1, keepdims=True) + (before[0] * before[1] if before else 0.0),
    formula=lambda inputs: Call("times", (B, C)) + Call("sum", (A,)) if inputs == 3 else Call("sum", (A,)),
)


def _average(powers: Array, values: Array, *before: Array, block: Span) -> Array:
    added: Array = powers @ values[slice(*block)]
    return before[0] * before[1] + added if before else added


def _average_cell(i: int, j: int, powers: Shape, values: Shape, *before: Shape, block: Span) -> Expression:
    added = total(loop(block[1] - block[0], lambda k: Cell(0, i, k) * Cell(1, k + block[0], j)))
    return Cell(2, i, j) * Cell(3, i, 0) + added if len(before) == 2 else added


def _write_average(values: Expression, inputs: int) -> Expression:
    added = Product((A, values))
    return Call("times", (C, D)) + added if inputs == 4 else added


block_output = Operation(  # the values so far, weighted by the exponentials
    name="block_output",
    shapes="n×b, m×d, n×d, n×1 → n×d",
    by_part=True,
    forward=_average,
    cell=_average_cell,
    formula=lambda inputs, block: of_rows(_write_average(B, inputs), block),
    code=lambda *shapes, block: _write_average(Call("rows", (B, whole_numbers(range(*block)))), len(shapes)),
    example={"block": (0, 3)},
)


def blocks_of(keys: int, size: int) -> list[Span]:
    """Where each block of so many keys begins and ends."""
    return [(start, min(start + size, keys)) for start in range(0, keys, size)]
