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
    loop,
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


def _first_of(numbers: Expression, ids: Sequence[float], sign: int = 1) -> Expression:
    """The id of the first of the largest numbers below each other, and that number; −1 stands for an unknown id.

    sign: −1 for the smallest numbers
    """
    row = Transposed(numbers)
    signed = row if sign == 1 else -row
    found: Expression = Call("best", (whole_numbers(-1 if math.isnan(one) else int(one) for one in ids), signed))
    if any(map(math.isnan, ids)):
        found = Where(Call("step", (-found,)), Number(math.nan), found)
    largest: Expression = Call("rowmax", (signed,))
    return Call("join", (found, largest if sign == 1 else -largest))


def _most_frequent(counts: Array, ids: Sequence[float], order: Sequence[int]) -> Array:
    in_order = counts[list(order), 0]
    largest = in_order.max()
    token = np.nan if np.isnan(largest) else ids[order[int(in_order.argmax())]]
    return np.array([[token, largest]], dtype=np.float64)


def _most_frequent_cell(i: int, j: int, counts: Shape, ids: Sequence[float], order: Sequence[int]) -> Expression:
    if j == 1:
        return maximum(loop(counts[0], lambda k: Cell(0, k, 0)))
    return Call("argmax", tuple(part for k in order for part in (Number(ids[k]), Cell(0, k, 0))))


def _most_frequent_code(counts: Shape, ids: Sequence[float], order: Sequence[int]) -> Expression:
    in_order = A if list(order) == list(range(counts[0])) else Call("rows", (A, whole_numbers(order)))
    return _first_of(in_order, [ids[k] for k in order])


most_frequent = Operation(  # of several largest ones the first in `order`
    name="most_frequent",
    shapes="p×1 → 1×2",
    copies=True,
    forward=_most_frequent,
    cell=_most_frequent_cell,
    code=_most_frequent_code,
    formula=lambda inputs, ids, order: Call("words", (phrase("pair_with_largest"), A)),
    left_out=lambda counts, ids, order: [0] if np.isnan(_most_frequent(counts, ids, order)[0, 0]) else [],
    example={"ids": (5, 3, 4), "order": (2, 0, 1)},
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


def _lowest(ranks: Array, ids: Sequence[float], ranked: Sequence[int]) -> Array:
    found = ranks[list(ranked), 0]
    lowest = found.min()
    return np.array([[np.nan if np.isnan(lowest) else ids[ranked[int(found.argmin())]], lowest]], dtype=np.float64)


def _lowest_cell(i: int, j: int, ranks: Shape, ids: Sequence[float], ranked: Sequence[int]) -> Expression:
    numbers = [-Cell(0, k, 0) for k in ranked]
    if len(ranked) == 1:
        return Cell(0, ranked[0], 0) if j == 1 else Number(ids[ranked[0]])
    if j == 1:
        return -maximum(numbers)
    return Call(
        "argmax", tuple(part for k, number in zip(ranked, numbers, strict=True) for part in (Number(ids[k]), number))
    )


lowest_rank = Operation(  # the id of what the pair makes that was learned first, and its rank
    name="lowest_rank",
    shapes="p×1 → 1×2",
    copies=True,
    forward=_lowest,
    cell=_lowest_cell,
    code=lambda ranks, ids, ranked: _first_of(Call("rows", (A, whole_numbers(ranked))), [ids[k] for k in ranked], -1),
    formula=lambda inputs, ids, ranked: Call("words", (phrase("pair_with_lowest"), A)),
    left_out=lambda ranks, ids, ranked: [0] if np.isnan(_lowest(ranks, ids, ranked)[0, 0]) else [],
    example={"ids": (5, 3, 4), "ranked": (0, 2)},
)


def _merge(symbols: Array, choice: Array, starts: Sequence[int], merged: Sequence[int]) -> Array:
    result = symbols[list(starts)]
    result[list(merged), 1] = choice[0, 0]
    return result


def _merge_cell(
    i: int, j: int, symbols: Shape, choice: Shape, starts: Sequence[int], merged: Sequence[int]
) -> Expression:
    return Cell(1, 0, 0) if j == 1 and i in merged else Cell(0, starts[i], j)


merge_symbols = Operation(  # starts: where each symbol began before; merged: which of them are the merged one
    name="merge_symbols",
    shapes="s×2, 1×2 → t×2",
    sizes=lambda shapes, starts, merged: {"t": len(starts)},
    copies=True,
    forward=_merge,
    cell=_merge_cell,
    formula=lambda inputs, starts, merged: Call("words", (A, phrase("with_each"), B, phrase("merged"))),
    example={"starts": (0, 2), "merged": (0,)},
)
