"""Beam search: totals of logarithms, penalties by length, and the best of several tables, one after another.

The best is the largest of all, the next the largest of those that are left: which these are is a setting, so that a
cell looks at no number. Graves 2012, §3; the penalty by length: Wu et al. 2016, eq. 14.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Named,
    Number,
    Operand,
    Power,
    Sum,
    Transposed,
    loop_over,
    maximum,
    phrase,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, B, C, Operation, Shape
from walkthrough.operations.wording import listed

TOTAL, SCORE = 2, 3
"""The columns of a total, behind beam and token, and of a score, behind pass, beam and token."""
_LABELS = ("passes", "beams", "ids")
"""The settings with what stands before a score."""

log_of_last_row = Operation(
    name="log_of_last_row",
    shapes="n×v → 1×v",
    cell=lambda i, j, x: Call("log", (Cell(0, x[0] - 1, j),)),
    formula=lambda inputs: Call("words", (phrase("ln_of_last_row_of"), A)),
    domain=(0.1, 0.9),
)


add_total = Operation(  # the total so far, 0 of a hypothesis without tokens, and each logarithm
    name="add_total",
    shapes="1×v, a×3 → 1×v",
    cell=lambda i, j, own, *alive, row: Sum((Cell(1, row, TOTAL) if alive else Number(0), Cell(0, 0, j))),
    formula=lambda inputs, row: Sum(
        (Call("words", (phrase("total_of", row=row + 1), B)) if inputs > 1 else Number(0), A)
    ),
    example={"row": 0},
)


gnmt_penalty = Operation(
    name="gnmt_penalty",
    shapes="→ 1×1",
    formula=lambda inputs, length, alpha: Power(Sum((Number(5), Number(length))) / Number(6), Number(alpha)),
    example={"length": 3, "alpha": 0.6},
)

power_penalty = Operation(
    name="power_penalty",
    shapes="→ 1×1",
    formula=lambda inputs, length, alpha: Power(Number(length), Number(alpha)),
    example={"length": 3, "alpha": 0.6},
)


def _rank(labels: Array, numbers: Array, taken: Sequence[int]) -> Array:
    """The largest number after its labels, then the largest without the first of `taken`, and so on."""
    left, rows = np.ones(len(numbers), dtype=bool), []
    for place in (*taken, None):
        places = np.flatnonzero(left)
        best = places[numbers[places].argmax()]  # the place of a nan, where there is one
        rows.append(np.append(labels[best] if not np.isnan(numbers[best]) else np.nan * labels[best], numbers[best]))
        left[place] = False
    return np.array(rows)


def _in_order(count: int, ids: Sequence[int]) -> list[tuple[int, int]]:
    """Beam and position of every token, as equal totals go: the lower beam first, then the lower id."""
    return [(beam, int(at)) for beam in range(count) for at in np.argsort(ids, kind="stable")]


def _orders(count: int, ids: Sequence[int], taken: Sequence[int]) -> list[int]:
    """Places, counted over the totals of one beam after the other, in that order."""
    order = {beam * len(ids) + at: place for place, (beam, at) in enumerate(_in_order(count, ids))}
    return [order[place] for place in taken]


def _largest_totals(*totals: Array, ids: Sequence[int], taken: Sequence[int]) -> Array:
    places = _in_order(len(totals), ids)
    labels = np.array([[beam + 1, ids[at]] for beam, at in places], dtype=np.float64)
    numbers = np.array([totals[beam][0, at] for beam, at in places])
    return _rank(labels, numbers, _orders(len(totals), ids, taken))


def _largest_total_cell(i: int, j: int, *shapes: Shape, ids: Sequence[int], taken: Sequence[int]) -> Expression:
    gone = {divmod(place, len(ids)) for place in taken[:i]}
    parts: list[Expression] = []
    for beam in range(len(shapes)):
        rows = [(at, ids[at]) for _, at in _in_order(1, ids) if (beam, at) not in gone]

        def pair(at: int, label: int, own: int = beam) -> Expression | tuple[Expression, ...]:
            number = Cell(own, 0, at)
            return number if j == TOTAL else (Number(label if j == 1 else own + 1), number)

        parts += loop_over(rows, pair)
    return maximum(parts) if j == TOTAL else Call("argmax", tuple(parts))


largest_totals = Operation(  # of the totals of all beams the largest, the next one, …: beam, token, total
    name="largest_totals",
    shapes="1×v, 1×v, … → c×3",
    copies=True,
    sizes=lambda shapes, ids, taken: {"c": len(taken) + 1},
    forward=_largest_totals,
    cell=_largest_total_cell,
    formula=lambda inputs, ids, taken: Call(
        "words", (_largest_of(taken), *listed(range(inputs)), phrase("with_beam_and_token"))
    ),
    code=lambda *shapes, ids, taken: Call(
        "ranked",
        (
            Call("stack", tuple(_table(beam, ids) for beam in range(len(shapes)))),
            whole_numbers(_orders(len(shapes), ids, taken)),
        ),
    ),
    example={"ids": (3, 1, 4), "taken": (1,)},
)


def _largest_of(taken: Sequence[int]) -> Expression:
    return phrase("largest_of", count=len(taken) + 1) if taken else phrase("largest_one_of")


def _table(beam: int, ids: Sequence[int]) -> Expression:
    """Code for a row of beam, token and total for each token of a beam."""
    order = [at for _, at in _in_order(1, ids)]
    totals: Expression = Transposed(Operand(beam))
    if order != list(range(len(ids))):
        totals = Call("rows", (totals, whole_numbers(order)))
    labels = ([beam + 1] * len(ids), [ids[at] for at in order])
    return Call("join", (*(Call("column", (whole_numbers(column),)) for column in labels), totals))


def _best_score_cell(
    i: int, j: int, candidates: Shape, penalty: Shape, *before: Shape, ended: Sequence[int], **settings: Any
) -> Expression:
    scores: list[Expression] = [Cell(2, row, SCORE) for row in range(before[0][0] if before else 0)]
    scores += [Cell(0, row, TOTAL) / Cell(1, 0, 0) for row in ended]
    gone = set(settings["taken"][:i])
    left = [(at, score) for at, score in enumerate(scores) if at not in gone]
    if j == SCORE:
        return maximum(score for _, score in left) if len(left) > 1 else left[0][1]
    labels = settings[_LABELS[j]]
    return Call("argmax", tuple(part for at, score in left for part in (Number(labels[at]), score)))


def _write_scores(inputs: int, ended: Sequence[int], taken: Sequence[int], **labels: Any) -> Expression:
    """`the 2 largest of F and the ended totals of C / lp`."""
    old: list[Expression] = [C] if inputs > 2 else []
    new = [phrase("ended_totals_of"), A, Named(" / "), B] if ended else []
    return Call("words", (_largest_of(taken), *old, *([phrase("and")] if old and new else []), *new))


def _code_of_scores(
    candidates: Shape, penalty: Shape, *before: Shape, ended: Sequence[int], taken: Sequence[int], **labels: Any
) -> Expression:
    count = (before[0][0] if before else 0) + len(ended)
    columns = [Call("column", (whole_numbers(labels[name][:count]),)) for name in _LABELS]
    new = Call("rows", (Call("columns", (A, Number(TOTAL), Number(TOTAL + 1))), whole_numbers(ended))) / B
    old = Call("columns", (C, Number(SCORE), Number(SCORE + 1)))
    scores = Call("stack", (*([old] if before else []), *([new] if ended else [])))
    return Call("ranked", (Call("join", (*columns, scores)), whole_numbers(taken)))


best_scores = Operation(  # of the hypotheses that had ended and those that end now: pass, beam, token, score
    name="best_scores",
    shapes="c×3, 1×1, p×4 → f×4",
    sizes=lambda shapes, taken, **settings: {"f": len(taken) + 1},
    cell=_best_score_cell,
    formula=_write_scores,
    code=_code_of_scores,
    example={
        "ended": (0, 2),
        "passes": (1, 1, 2, 3, 3),
        "beams": (1, 2, 1, 1, 2),
        "ids": (3, 1, 4, 1, 5),
        "taken": (1,),
    },
    domain=(0.5, 3.0),
)


def _word_cell(
    i: int, j: int, *shapes: Shape, rows: Sequence[int], tokens: Sequence[int], places: Sequence[int]
) -> Expression:
    if j == 0:
        return Cell(2 * i, rows[i], tokens[i])
    return Cell(2 * i + 1, shapes[2 * i + 1][0] - 1, places[i])


words_of_hypothesis = Operation(  # from pairs of what was kept and probabilities: the token, and how likely it was
    name="words_of_hypothesis",
    shapes="*×*, *×*, … → l×2",
    copies=True,
    sizes=lambda shapes, **settings: {"l": len(shapes) // 2},
    cell=_word_cell,
    formula=lambda inputs, **settings: Call("words", (phrase("best_hypothesis"),)),
    example={"rows": (0, 2), "tokens": (1, 2), "places": (2, 0)},
)
