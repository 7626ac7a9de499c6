"""Using merges: of the pairs in a text that of the lowest rank is merged, until none has a rank."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    Where,
    maximum,
    whole_numbers,
)
from walkthrough.operations.definition import Array, Operation, Shape
from walkthrough.operations.tokenizer.learning import first_of

A, B = Operand(0), Operand(1)
Ranks = Sequence[int | None]
"""Of each pair the number of its merge, from 1; None where there is none."""
Rows = Sequence[int | None]
"""Of each pair the row of its first symbol; None where a symbol has no id."""


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
    formula=lambda inputs, ranks, rows: Call("words", (Named("the row of "), B, Named(" that has the pair of "), A)),
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
    code=lambda ranks, ids, ranked: first_of(Call("rows", (A, whole_numbers(ranked))), [ids[k] for k in ranked], -1),
    formula=lambda inputs, ids, ranked: Call("words", (Named("the pair with the lowest "), A)),
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
    formula=lambda inputs, starts, merged: Call("words", (A, Named(" with each "), B, Named(" merged"))),
    example={"starts": (0, 2), "merged": (0,)},
)
