"""Drawing the next token: keeping the likeliest, adding up, and the first that lies beyond the number drawn.

What is among the largest is said by counting those that are larger: no number is looked at to write a cell.
Top-k: Fan et al. 2018, §5; top-p: Holtzman et al. 2020, §3.1.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.fold.arrays import step
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Sum,
    Where,
    loop,
    loop_over,
    phrase,
    total,
)
from walkthrough.operations.definition import A, Array, B, C, Operation, Shape


def _above(argument: Expression) -> Expression:
    return Call("step", (argument,))


def _largest(scores: Array, count: int, otherwise: float = -np.inf) -> Array:
    last = scores[-1]
    larger = np.array([step(last - own).sum() for own in last])
    return np.where(larger >= count, otherwise, last)[None, :]


def _largest_cell(i: int, j: int, scores: Shape, count: int, otherwise: float = -np.inf) -> Expression:
    row = scores[0] - 1
    larger = Sum(tuple(loop(scores[1], lambda k: Number(1) * _above(Cell(0, row, k) - Cell(0, row, j)))))
    return Where(_above(Number(count) - larger), Cell(0, row, j), Number(otherwise))


keep_largest = Operation(  # of the last row those that have fewer than `count` larger ones; otherwise: −∞, or 0
    name="keep_largest",
    shapes="n×v → 1×v",
    copies=True,
    forward=_largest,
    cell=_largest_cell,
    formula=lambda inputs, count, otherwise=-np.inf: Call(
        "words", (phrase("largest_of_last_row_of", count=count), A, phrase("else"), Number(otherwise))
    ),
    example={"count": 2},
)


def _hide_unlikely(scores: Array, shares: Array, least: float, otherwise: float = -np.inf) -> Array:
    row = shares[0]
    before = np.array([(step(row - own) * row).sum() for own in row])
    return np.where(least - before <= 0, otherwise, scores[0])[None, :]


def _likely_cell(i: int, j: int, scores: Shape, shares: Shape, least: float, otherwise: float = -np.inf) -> Expression:
    before = Sum(tuple(loop(shares[1], lambda k: _above(Cell(1, 0, k) - Cell(1, 0, j)) * Cell(1, 0, k))))
    return Where(_above(Number(least) - before), Cell(0, 0, j), Number(otherwise))


keep_likely = Operation(  # the likeliest, until their probabilities add up to `least`
    name="keep_likely",
    shapes="1×v, 1×v → 1×v",
    copies=True,
    forward=_hide_unlikely,
    cell=_likely_cell,
    formula=lambda inputs, least, otherwise=-np.inf: Call(
        "words",
        (A, phrase("likeliest_until"), B, phrase("adds_up_to"), Number(least), phrase("else"), Number(otherwise)),
    ),
    example={"least": 0.7},
    domain=(0.0, 1.0),
)

running_sum = Operation(
    name="running_sum",
    shapes="n×m → n×m",
    forward=lambda x: np.cumsum(x, axis=1),
    cell=lambda i, j, x: total(loop(j + 1, lambda k: Cell(0, i, k))),
    formula=lambda inputs: Call("words", (phrase("sums_of"), A, phrase("from_left"))),
)


def _choose(cumulative: Array, shares: Array, draw: Array, ids: Sequence[int]) -> Array:
    sums = cumulative[0]
    beyond = step(sums - draw[0, 0]) + (sums == sums[-1]) != 0
    is_first = beyond & ~np.concatenate([[False], beyond[:-1]])
    labels = np.asarray(ids, dtype=np.float64)
    return np.array([[np.where(is_first, labels, 0.0).sum(), np.where(is_first, shares[0], 0.0).sum()]])


def _is_beyond(at: int, count: int) -> Expression:
    """Whether a sum exceeds the draw; where rounding leaves none that does, the whole sum counts as one."""
    whole = Call("equal", (Cell(0, 0, at), Cell(0, 0, count - 1)))
    return Sum((Number(1) * _above(Cell(0, 0, at) - Cell(2, 0, 0)), whole))


def _chosen_cell(i: int, j: int, cumulative: Shape, shares: Shape, draw: Shape, ids: Sequence[int]) -> Expression:
    count, zero = cumulative[1], Number(0)

    def own(at: int, label: int) -> Expression:
        return Cell(1, 0, at) if j == 1 else Number(label)

    def later(at: int, label: int) -> Expression:
        """What a token adds to the sum: itself, where its own sum is beyond the draw and the one before it is not."""
        return Where(_is_beyond(at, count), Where(_is_beyond(at - 1, count), zero, own(at, label)), zero)

    first = Where(_is_beyond(0, count), own(0, ids[0]), zero)
    return Sum((first, *loop_over([(at, 0 if j == 1 else ids[at]) for at in range(1, count)], later)))


first_beyond = Operation(  # the first token whose cumulative probability exceeds the draw, and its probability
    name="first_beyond",
    shapes="1×v, 1×v, 1×1 → 1×2",
    forward=_choose,
    cell=_chosen_cell,
    formula=lambda inputs, ids: Call("words", (phrase("first_word_with"), A, phrase("above"), C)),
    example={"ids": (3, 1, 4)},
    domain=(0.0, 1.0),
)
