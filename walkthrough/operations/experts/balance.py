"""The loss that keeps experts evenly used: how often each was chosen times how likely it was. Fedus et al. 2022, §2.2.

transformers' load_balancing_loss_func, whose first factor is not divided by how many are chosen.
"""

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
    Product,
    Sum,
    loop_over,
    whole_numbers,
)
from walkthrough.operations.definition import Array, Backward, InputGradient, Operation, Shape

A, B = Operand(0), Operand(1)

Rows = tuple[tuple[int, ...], ...]
"""Of each matrix the rows that count, from 0; of those behind the last none."""


def _mean(*arrays: Array, rows: Rows) -> Array:
    kept = np.concatenate([array[list(some)] for array, some in zip(arrays, rows, strict=False)])
    return kept.mean(axis=0, keepdims=True)  # type: ignore[no-any-return]


def _mean_cell(i: int, j: int, *shapes: Shape, rows: Rows) -> Expression:
    terms = [
        term
        for operand, some in enumerate(rows)
        for term in loop_over([(row,) for row in some], lambda row, operand=operand: Cell(operand, row, j))
    ]
    return Sum(tuple(terms)) / Number(sum(map(len, rows)))


def _mean_formula(inputs: int, rows: Rows) -> Expression:
    matrices = f" of {inputs} matrices" if inputs > 1 else ""
    return Call("words", (Named("column means of "), A, Named(f" over {sum(map(len, rows))} rows{matrices}")))


def _shares(b: Backward) -> tuple[InputGradient, ...]:
    rows: Rows = b.settings["rows"]
    count = sum(map(len, rows))
    settings = [
        {"kept": some, "count": value.shape[0], "divisor": count}
        for value, some in zip(b.inputs, (*rows, *((),) * (len(b.inputs) - len(rows))), strict=True)
    ]
    return tuple(InputGradient(spread_mean, (b.gradient,), one) for one in settings)


def _spread(gradient: Array, kept: tuple[int, ...], count: int, divisor: int) -> Array:
    result = np.zeros((count, gradient.shape[1]))
    result[list(kept)] = gradient / divisor
    return result


spread_mean = Operation(  # to each row that counts the same
    name="spread_mean",
    shapes="1×e → n×e",
    sizes=lambda shapes, count, **settings: {"n": count},
    forward=_spread,
    cell=lambda i, j, gradient, kept, count, divisor: Cell(0, 0, j) / Number(divisor) if int(i) in kept else Number(0),
    formula=lambda inputs, divisor, **settings: Call("words", (A / Number(divisor), Named(" in each row that counts"))),
    example={"kept": (0, 2), "count": 3, "divisor": 2},
)


def _mean_code(*shapes: Shape, rows: Rows) -> Expression:
    kept = tuple(Call("rows", (Operand(at), whole_numbers(some))) for at, some in enumerate(rows))
    return Call("colsum", (Call("stack", kept),)) / Number(sum(map(len, rows)))


_MEAN: dict[str, Any] = {
    "forward": _mean,
    "cell": _mean_cell,
    "formula": _mean_formula,
    "code": _mean_code,
    "example": {"rows": ((0, 2), (1,))},
}

chosen_share = Operation(  # a constant: a choice has no slope
    name="chosen_share",
    shapes="*×e, *×e, … → 1×e",
    gradient=lambda b: (None,) * len(b.inputs),
    **_MEAN,
)

mean_of_rows = Operation(name="mean_of_rows", shapes="*×e, *×e, … → 1×e", gradient=_shares, **_MEAN)

balance_gradient = Operation(
    name="balance_gradient",
    shapes="1×1, 1×e → 1×e",
    forward=lambda gradient, share: share.shape[1] * gradient * share,
    formula=lambda inputs: Call("times", (Named("E"), A, B)),
    names=lambda gradient, share: {"E": share[1]},
)

balance_loss = Operation(
    name="balance_loss",
    shapes="1×e, 1×e → 1×1",
    forward=lambda share, probability: share.shape[1] * (share * probability).sum(keepdims=True),
    formula=lambda inputs: Product((Named("E"), Call("sum", (Call("times", (A, B)),)))),
    names=lambda share, probability: {"E": share[1]},
    gradient=lambda b: (None, InputGradient(balance_gradient, (b.gradient, b.inputs[0]))),
)

add_weighted = Operation(
    name="add_weighted",
    shapes="1×1, 1×1 → 1×1",
    forward=lambda a, b, factor: a + factor * b,
    formula=lambda inputs, factor: A + Number(factor) * B,
    example={"factor": 0.5},
)

constant = Operation(
    name="constant",
    shapes="→ 1×1",
    forward=lambda value: np.array([[value]]),
    cell=lambda i, j, value: Number(value),
    formula=lambda inputs, value: Number(value),
    code=lambda value: Call("single", (Number(value),)),
    example={"value": 0.5},
)
