"""Mixture of experts: which experts each token is sent to, and their outputs added up by weight.

Shazeer et al. 2017; the k largest of a softmax: Fedus et al. 2022, Jiang et al. 2024.
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Sum, Where, loop, phrase, total
from walkthrough.operations.backward import keep_visible
from walkthrough.operations.definition import PASSED, A, Array, B, Backward, C, InputGradient, Operation, Shape
from walkthrough.operations.wording import listed


def _choose(x: Array, count: int) -> Array:
    order = np.argsort(-x, axis=1, kind="stable")[:, :count]
    chosen = np.zeros(x.shape)
    np.put_along_axis(chosen, order, 1.0, axis=1)
    return np.where(np.isnan(x).any(axis=1, keepdims=True), np.nan, chosen)


def _chosen_cell(i: int, j: int, x: Shape, count: int) -> Expression:
    """1 where fewer than `count` of the row come before this one: those that are larger, and equal ones to the left."""

    def above(one: Expression, other: Expression) -> Expression:
        return Where(Call("equal", (one, other)), Number(0), Call("step", (one - other,)))  # also of infinite ones

    own, number = Cell(0, i, j), int(j)
    if x[1] == 1:
        return Where(Call("equal", (own, own)), Number(1), own)  # an unknown number is not equal to itself
    left = loop(number, lambda k: Number(1) - Number(1) * above(own, Cell(0, i, k)))
    right = loop(x[1] - number - 1, lambda k: Number(1) * above(Cell(0, i, number + 1 + k), own))
    return Call("step", (Number(count) - Sum((*left, *right)),))


choose_largest = Operation(  # a choice has no slope
    name="choose_largest",
    shapes="n×m → n×m",
    forward=_choose,
    cell=_chosen_cell,
    formula=lambda inputs, count: Call("words", (phrase("one_for_largest_of_rows_of", count=count), A)),
    gradient=lambda b: (None,),
    example={"count": 2},
)

keep_chosen = Operation(
    name="keep_chosen",
    shapes="n×m, n×m → n×m",
    forward=lambda x, chosen: x * chosen,
    formula=lambda inputs: Call("times", (A, B)),
    gradient=lambda b: (InputGradient(keep_visible, (b.gradient, b.inputs[1])), None),
)


def _share(factor: float) -> Expression:
    return A / B if factor == 1 else Number(factor) * A / B


share_gradient = Operation(  # of the sum: what all shares lose where it grows
    name="share_gradient",
    shapes="n×m, n×m, n×1 → n×1",
    forward=lambda gradient, shares, sums: -np.einsum("ij,ij->i", gradient, shares)[:, None] / sums,
    formula=lambda inputs: -(Call("sum", (Call("times", (A, B)),)) / C),
    domain=(0.5, 3.0),
)

share_of_sum: Operation = Operation(  # each row by its own number, times a factor
    name="share_of_sum",
    shapes="n×m, n×1 → n×m",
    forward=lambda x, sums, factor: factor * x / sums,
    formula=lambda inputs, factor: _share(factor),
    gradient=lambda b: (
        InputGradient(share_of_sum, (b.gradient, b.inputs[1]), b.settings),
        InputGradient(share_gradient, (b.gradient, b.result, b.inputs[1])),
    ),
    example={"factor": 2.5},
    domain=(0.5, 3.0),
)


def _mix(weights: Array, *outputs: Array) -> Array:
    count = weights.shape[1]
    mixed = np.zeros(outputs[0].shape)
    for at, output in enumerate(outputs):
        mixed += weights[:, at : at + 1] * output if at < count else output
    return mixed


def _mixed_cell(i: int, j: int, weights: Shape, *outputs: Shape) -> Expression:
    count = min(weights[1], len(outputs))
    weighted = [Cell(0, i, at) * Cell(at + 1, i, j) for at in range(count)]
    return total([*weighted, *(Cell(at + 1, i, j) for at in range(count, len(outputs)))])


def _mixed_formula(inputs: int) -> Expression:
    if inputs == 2:
        return Call("times", (A, B))
    return Call("words", (*listed(range(1, inputs)), phrase("each_times_its_column_of"), A, phrase("added_up")))


def _mix_gradient(b: Backward) -> tuple[InputGradient, ...]:
    weights, *outputs = b.inputs
    count = weights.shape[1]
    count = min(count, len(outputs))
    experts = [InputGradient(times_column, (b.gradient, weights), {"column": at}) for at in range(count)]
    of_weights = InputGradient(row_products, (b.gradient, *outputs[:count]), {"count": weights.shape[1]})
    return of_weights, *experts, *(PASSED for _ in outputs[count:])


times_column = Operation(  # each row by one number of another matrix
    name="times_column",
    shapes="n×d, n×e → n×d",
    forward=lambda x, weights, column: x * weights[:, column : column + 1],
    cell=lambda i, j, x, weights, column: Cell(0, i, j) * Cell(1, i, column),
    formula=lambda inputs, column: Call("words", (A, phrase("times_column_of", column=column + 1), B)),
    example={"column": 0},
)


def _product_cell(i: int, j: int, x: Shape, *others: Shape, count: int) -> Expression:
    if int(j) >= len(others):
        return Number(0)
    return total(loop(x[1], lambda k: Cell(0, i, k) * Cell(int(j) + 1, i, k)))


row_products = Operation(  # of each row with the same row of several matrices; 0 for columns without one
    name="row_products",
    shapes="n×d, n×d, … → n×e",
    sizes=lambda shapes, count: {"e": count},
    cell=_product_cell,
    formula=lambda inputs, count: Call(
        "words", (phrase("total_sum_of"), A, phrase("times_each_of"), *listed(range(1, inputs)))
    ),
    example={"count": 3},
)

mix = Operation(  # one matrix for each column of the first, and one more that is added as it is
    name="mix",
    shapes="n×*, n×d, n×d, … → n×d",
    forward=_mix,
    cell=_mixed_cell,
    formula=_mixed_formula,
    gradient=_mix_gradient,
)
