"""Byte pairs: pairs are counted, and the most frequent one is merged; later the same merges are made in another text.

Sennrich et al. 2016, §3.2. Using merges: of the pairs in a text that of the lowest rank is merged, until none has one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Transposed,
    Where,
    loop_over,
    maximum,
    phrase,
    total,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, B, Operation, Shape
from walkthrough.operations.wording import first_to_last

Places = Sequence[Sequence[tuple[int, int]]]
"""Of each pair the rows of the words that hold it, and how often each of them does."""
Ranks = Sequence[int | None]
"""Of each pair the number of its merge, from 1; None where there is none."""
Rows = Sequence[int | None]
"""Of each pair the row of its first symbol; None where a symbol has no id."""


def _count(counts: Array, places: Places) -> Array:
    rows, times = np.array([one for of_pair in places for one in of_pair], dtype=np.int64).reshape(-1, 2).T
    pairs = np.repeat(np.arange(len(places)), list(map(len, places)))
    found = np.bincount(pairs, weights=counts[rows, 0] * times, minlength=len(places))
    return found.astype(np.float64)[:, None]


def _count_cell(i: int, j: int, counts: Shape, places: Places) -> Expression:
    return total(Cell(0, row, 0) if times == 1 else Cell(0, row, 0) * Number(times) for row, times in places[i])


count_pairs = Operation(  # of each pair: the counts of the words that hold it, times how often they do
    name="count_pairs",
    shapes="w×1 → p×1",
    sizes=lambda shapes, places: {"p": len(places)},
    forward=_count,
    cell=_count_cell,
    formula=lambda inputs, places: Call("words", (A, phrase("times_in_word"), phrase("added_up"))),
    example={"places": (((0, 1), (2, 1)), ((1, 2),))},
)


def _choose_pair(numbers: Array, ids: Sequence[float], order: Sequence[int], lowest: bool) -> Array:
    in_order = numbers[list(order), 0]
    at = int(in_order.argmin() if lowest else in_order.argmax())
    return np.array([[np.nan if np.isnan(in_order[at]) else ids[order[at]], in_order[at]]], dtype=np.float64)


def _chosen_cell(
    i: int, j: int, numbers: Shape, ids: Sequence[float], order: Sequence[int], lowest: bool
) -> Expression:
    def signed(k: int) -> Expression:
        return -Cell(0, k, 0) if lowest else Cell(0, k, 0)

    if len(order) == 1:
        return Cell(0, order[0], 0) if j == 1 else Number(ids[order[0]])
    if j == 0:
        return Call("argmax", tuple(part for k in order for part in (Number(ids[k]), signed(k))))
    largest = maximum(loop_over([(k,) for k in sorted(order)], signed))
    return -largest if lowest else largest


def _chosen_code(numbers: Shape, ids: Sequence[float], order: Sequence[int], lowest: bool) -> Expression:
    """−1 stands for an unknown id."""
    in_order = A if list(order) == list(range(numbers[0])) else Call("rows", (A, whole_numbers(order)))
    row: Expression = -Transposed(in_order) if lowest else Transposed(in_order)
    known = [-1 if math.isnan(ids[k]) else int(ids[k]) for k in order]
    found: Expression = Call("best", (whole_numbers(known), row))
    if -1 in known:
        found = Where(Call("step", (-found,)), Number(math.nan), found)
    largest: Expression = Call("rowmax", (row,))
    return Call("join", (found, -largest if lowest else largest))


choose_pair = Operation(  # the first in `order` of the largest counts, or lowest ranks: its id, and that number
    name="choose_pair",
    shapes="p×1 → 1×2",
    copies=True,
    forward=_choose_pair,
    cell=_chosen_cell,
    code=_chosen_code,
    formula=lambda inputs, ids, order, lowest: Call(
        "words", (phrase("pair_with_lowest" if lowest else "pair_with_largest"), A)
    ),
    left_out=lambda numbers, **settings: [0] if np.isnan(_choose_pair(numbers, **settings)[0, 0]) else [],
    example={"ids": (5, 3, 4), "order": (2, 0, 1), "lowest": False},
)

keep_counts = Operation(  # a word is as frequent as before, whatever symbols it is made of
    name="keep_counts",
    shapes="w×1, 1×2 → w×1",
    copies=True,
    cell=lambda i, j, counts, choice: Cell(0, i, 0),
    formula=lambda inputs: Call("words", (A, phrase("with_each"), B, phrase("merged"))),
)


def _table_cell(i: int, j: int, *choices: Shape, left: Sequence[float], right: Sequence[float]) -> Expression:
    return Cell(i, 0, 1) if j == 2 else Number((left if j == 0 else right)[i])


merge_table = Operation(  # the pair that was chosen in each step, and how often it was there
    name="merge_table",
    shapes="1×2, 1×2, … → m×3",
    sizes=lambda shapes, left, right: {"m": len(shapes)},
    cell=_table_cell,
    formula=lambda inputs, left, right: Call("words", (phrase("pair_and_count_of"), *first_to_last(inputs))),
    left_out=lambda *choices, left, right: np.flatnonzero(np.isnan(left) | np.isnan(right)).tolist(),
    example={"left": (1, 2, 3, 4), "right": (0, 5, 1, 2)},
)


def _rank(symbols: Array, merges: Array, ranks: Ranks, rows: Rows) -> Array:
    def number(rank: int | None, row: int | None) -> float:
        if rank is None:
            return np.nan
        is_there = row is None or (symbols[[row, row + 1], 1] == merges[rank - 1, :2]).all()
        return rank if is_there else np.nan

    return np.array([[number(*one)] for one in zip(ranks, rows, strict=True)], dtype=np.float64)


def _rank_cell(i: int, j: int, symbols: Shape, merges: Shape, ranks: Ranks, rows: Rows) -> Expression:
    rank, row = ranks[i], rows[i]
    if rank is None or row is None:
        return Number(np.nan if rank is None else rank)
    sides = [Call("equal", (Cell(0, row + side, 1), Cell(1, rank - 1, side))) for side in (0, 1)]
    return Where(sides[0] * sides[1], Number(rank), Number(np.nan))


rank_pairs = Operation(
    name="rank_pairs",
    shapes="s×2, m×3 → p×1",
    sizes=lambda shapes, ranks, rows: {"p": len(ranks)},
    forward=_rank,
    cell=_rank_cell,
    formula=lambda inputs, ranks, rows: Call("words", (phrase("row_of"), B, phrase("that_has_pair_of"), A)),
    left_out=lambda symbols, merges, ranks, rows: [at for at, rank in enumerate(ranks) if rank is None],
    example={"ranks": (2, None, 1), "rows": (0, 1, None)},
)


def _merge(symbols: Array, choice: Array, starts: Sequence[int], merged: Sequence[int]) -> Array:
    result = symbols[list(starts)]
    result[list(merged), 1] = choice[0, 0]
    return result


merge_symbols = Operation(  # starts: where each symbol began before; merged: which of them are the merged one
    name="merge_symbols",
    shapes="s×2, 1×2 → t×2",
    sizes=lambda shapes, starts, merged: {"t": len(starts)},
    copies=True,
    forward=_merge,
    cell=lambda i, j, *_, starts, merged: Cell(1, 0, 0) if j == 1 and i in merged else Cell(0, starts[i], j),
    formula=lambda inputs, starts, merged: Call("words", (A, phrase("with_each"), B, phrase("merged"))),
    example={"starts": (0, 2), "merged": (0,)},
)
