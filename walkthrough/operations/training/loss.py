"""The loss of predictions against targets, and where its gradient begins.

Smoothed targets: Szegedy et al. 2016, §7, as torch.nn.CrossEntropyLoss(label_smoothing=ε).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Expression,
    Number,
    Where,
    loop,
    loop_over,
    onehot,
    phrase,
    total,
    whole_numbers,
)
from walkthrough.operations.definition import A, Array, B, Operation, Shape

Targets = Sequence[int | None]
"""For each row the column of its target, counted from 0; None where the row is left out."""


def _losses(probabilities: Array, *smoothed: Array, targets: Targets) -> Array:
    if smoothed:
        return -(smoothed[0] * np.log(probabilities)).sum(axis=1, keepdims=True)  # type: ignore[no-any-return]
    kept = [np.nan if target is None else probabilities[row, target] for row, target in enumerate(targets)]
    return -np.log(np.array(kept, dtype=np.float64))[:, None]


def _without_target(targets: Targets) -> list[int]:
    return [row for row, target in enumerate(targets) if target is None]


def at_targets(matrix: Expression, targets: Targets, rows: Sequence[int]) -> Expression:
    """The numbers of a matrix at the targets of some rows; of a row without one that in the first column."""
    return Call("at", (matrix, whole_numbers(rows), whole_numbers([targets[row] or 0 for row in rows])))


def _where_targets(targets: Targets, then: Expression, otherwise: float) -> Expression:
    """Something for each row; another number where it has no target."""
    if None not in targets:
        return then
    has_target = Call("column", (whole_numbers([target is not None for target in targets]),))
    return Where(has_target, then, Number(otherwise))


_SMOOTHED_LOSS = -Call("sum", (Call("times", (B, Call("log", (A,)))),))


def _loss_cell(i: int, j: int, probabilities: Shape, *smoothed: Shape, targets: Targets) -> Expression:
    target = targets[i]
    if target is None:
        return Number(np.nan)
    if not smoothed:
        return -Call("log", (Cell(0, i, target),))
    return -total(loop(probabilities[1], lambda k: Cell(1, i, k) * Call("log", (Cell(0, i, k),))))


def _losses_code(probabilities: Shape, *smoothed: Shape, targets: Targets) -> Expression:
    """A row that is left out has no numbers, and must leave autograd none."""
    losses: Expression = _SMOOTHED_LOSS
    if not smoothed:
        losses = -Call("log", (at_targets(A, targets, range(len(targets))),))
    elif None in targets:
        losses = -Call("sum", (Call("times", (_where_targets(targets, B, 0), Call("log", (A,)))),))
    return _where_targets(targets, losses, np.nan)


cross_entropy = Operation(  # of the right words, or of smoothed targets
    name="cross_entropy",
    shapes="n×v, n×v → n×1",
    forward=_losses,
    cell=_loss_cell,
    formula=lambda inputs, targets: (
        _SMOOTHED_LOSS if inputs == 2 else Call("words", (phrase("minus_ln_of"), A, phrase("at_target")))
    ),
    code=_losses_code,
    left_out=lambda *inputs, targets: _without_target(targets),
    example={"targets": (0, 1, 0)},
    domain=(0.1, 0.9),
)

sum_of_kept = Operation(
    name="sum_of_kept",
    shapes="n×1 → 1×1",
    forward=lambda x, kept: np.array([[x[list(kept), 0].sum()]]),
    cell=lambda i, j, x, kept: total(loop_over([(row,) for row in kept], lambda row: Cell(0, row, 0))),
    formula=lambda inputs, kept: Call("sum", (A,)),
    code=lambda x, kept: Call("colsum", (A if len(kept) == x[0] else Call("rows", (A, whole_numbers(kept))),)),
    example={"kept": (0, 1)},
)


def _start(probabilities: Array, *smoothed: Array, targets: Targets, count: int) -> Array:
    result = np.zeros_like(probabilities)
    rows = [row for row, target in enumerate(targets) if target is not None]
    result[rows] = probabilities[rows] - smoothed[0][rows] if smoothed else probabilities[rows]
    if not smoothed:
        result[rows, [target for target in targets if target is not None]] -= 1
    return result / count if count != 1 else result


def _start_cell(i: int, j: int, probabilities: Shape, *smoothed: Shape, targets: Targets, count: int) -> Expression:
    if targets[i] is None:
        return Number(0)
    wanted = Cell(1, i, j) if smoothed else Number(1) if j == targets[i] else None
    return _mean(Cell(0, i, j) - wanted if wanted is not None else Cell(0, i, j), count)


def _mean(difference: Expression, count: int) -> Expression:
    return difference / Number(count) if count != 1 else difference


def _start_code(probabilities: Shape, *smoothed: Shape, targets: Targets, count: int) -> Expression:
    wanted = B if smoothed else onehot([target or 0 for target in targets], probabilities[1])
    return _where_targets(targets, _mean(A - wanted, count), 0)


cross_entropy_gradient = Operation(  # of softmax and cross-entropy together: the shares, minus those wanted
    name="cross_entropy_gradient",
    shapes="n×v, n×v → n×v",
    forward=_start,
    cell=_start_cell,
    formula=lambda inputs, targets, count: _mean(A - (B if inputs == 2 else phrase("one_at_target")), count),
    code=_start_code,
    example={"targets": (0, 1, 0), "count": 3},
)


def _smoothed_cell(i: int, j: int, targets: Targets, words: int, smoothing: float) -> Expression:
    if targets[i] is None:
        return Number(np.nan)
    share = Number(smoothing) / Number(words)
    return Number(1) - Number(smoothing) + share if j == targets[i] else share


def _smoothed_code(targets: Targets, words: int, smoothing: float) -> Expression:
    marked = onehot([target or 0 for target in targets], words) * (Number(1) - Number(smoothing))
    return _where_targets(targets, marked + Number(smoothing) / Number(words), np.nan)


smooth_targets = Operation(  # not all to the right word: a little to every word
    name="smooth_targets",
    shapes="→ n×v",
    sizes=lambda shapes, targets, words, smoothing: {"n": len(targets), "v": words},
    cell=_smoothed_cell,
    formula=lambda inputs, targets, words, smoothing: (
        Number(smoothing) / Number(words) + Call("words", ((Number(1) - Number(smoothing)), phrase("at_target")))
    ),
    code=_smoothed_code,
    left_out=lambda targets, **settings: _without_target(targets),
    example={"targets": (0, 1, 0), "words": 4, "smoothing": 0.1},
)
