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


def _losses(probabilities: Array, targets: Targets) -> Array:
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


def _losses_code(probabilities: Shape, targets: Targets) -> Expression:
    losses = -Call("log", (at_targets(A, targets, range(len(targets))),))
    return _where_targets(targets, losses, np.nan)


cross_entropy = Operation(
    name="cross_entropy",
    shapes="n×v → n×1",
    forward=_losses,
    cell=lambda i, j, probabilities, targets: (
        Number(np.nan) if targets[i] is None else -Call("log", (Cell(0, i, targets[i]),))
    ),
    formula=lambda inputs, targets: Call("words", (phrase("minus_ln_of"), A, phrase("at_target"))),
    code=_losses_code,
    left_out=lambda probabilities, targets: _without_target(targets),
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


def _start(probabilities: Array, targets: Targets, count: int) -> Array:
    result = np.zeros_like(probabilities)
    rows = [row for row, target in enumerate(targets) if target is not None]
    result[rows] = probabilities[rows]
    result[rows, [target for target in targets if target is not None]] -= 1
    return result / count if count != 1 else result


def _start_cell(i: int, j: int, probabilities: Shape, targets: Targets, count: int) -> Expression:
    if targets[i] is None:
        return Number(0)
    difference: Expression = Cell(0, i, j) - Number(1) if j == targets[i] else Cell(0, i, j)
    return difference / Number(count) if count != 1 else difference


def _start_code(probabilities: Shape, targets: Targets, count: int) -> Expression:
    difference: Expression = A - onehot([target or 0 for target in targets], probabilities[1])
    return _where_targets(targets, difference / Number(count) if count != 1 else difference, 0)


cross_entropy_gradient = Operation(  # of softmax and cross-entropy together: the shares, minus 1 at the target
    name="cross_entropy_gradient",
    shapes="n×v → n×v",
    forward=_start,
    cell=_start_cell,
    formula=lambda inputs, targets, count: (
        (A - phrase("one_at_target")) / Number(count) if count != 1 else A - phrase("one_at_target")
    ),
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

_SMOOTHED_LOSS = -Call("sum", (Call("times", (B, Call("log", (A,)))),))


def _smoothed_loss_cell(i: int, j: int, probabilities: Shape, smoothed: Shape, targets: Targets) -> Expression:
    if targets[i] is None:
        return Number(np.nan)
    return -total(loop(probabilities[1], lambda k: Cell(1, i, k) * Call("log", (Cell(0, i, k),))))


def _smoothed_loss_code(probabilities: Shape, smoothed: Shape, targets: Targets) -> Expression:
    """A row that is left out has no numbers, and must leave autograd none."""
    if None not in targets:
        return _SMOOTHED_LOSS
    known = _where_targets(targets, B, 0)
    return _where_targets(targets, -Call("sum", (Call("times", (known, Call("log", (A,)))),)), np.nan)


smoothed_cross_entropy = Operation(
    name="smoothed_cross_entropy",
    shapes="n×v, n×v → n×1",
    forward=lambda probabilities, smoothed, targets: -(smoothed * np.log(probabilities)).sum(axis=1, keepdims=True),
    cell=_smoothed_loss_cell,
    formula=lambda inputs, targets: _SMOOTHED_LOSS,
    code=_smoothed_loss_code,
    left_out=lambda probabilities, smoothed, targets: _without_target(targets),
    example={"targets": (0, 1, 0)},
    domain=(0.1, 0.9),
)


smoothed_cross_entropy_gradient = Operation(  # of softmax and cross-entropy together: the shares, minus those wanted
    name="smoothed_cross_entropy_gradient",
    shapes="n×v, n×v → n×v",
    cell=lambda i, j, probabilities, smoothed, targets, count: (
        Number(0) if targets[i] is None else (Cell(0, i, j) - Cell(1, i, j)) / Number(count)
    ),
    formula=lambda inputs, targets, count: (A - B) / Number(count),
    example={"targets": (0, 1, 0), "count": 3},
)
