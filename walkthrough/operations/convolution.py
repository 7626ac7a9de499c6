"""A short causal convolution: each feature is a weighted sum of its last few rows. Gu and Dao 2024, figure 3.

The last row of the weights belongs to the row itself, the one above it to the row before, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, loop, phrase, total
from walkthrough.operations.definition import A, Array, B, C, InputGradient, Operation, Shape


def _pairs(rows: int, taps: int) -> Iterator[tuple[slice, slice, int]]:
    """For each row of the weights that reaches one: the rows that are made, those that they read, and its number."""
    for back in range(min(rows, taps)):
        yield slice(back, None), slice(None, rows - back), taps - 1 - back


def _convolve(x: Array, weights: Array, *earlier: Array) -> Array:
    before = len(earlier[0]) if earlier else 0
    whole = np.concatenate([*earlier, x])
    result = np.zeros(whole.shape)
    for made, read, tap in _pairs(len(whole), len(weights)):
        result[made] += weights[tap] * whole[read]
    return result[before:]


def _convolved_cell(i: int, j: int, x: Shape, weights: Shape, *earlier: Shape) -> Expression:
    """In the first rows some of the weights meet rows of earlier passes, or none."""
    taps, before = weights[0], earlier[0][0] if earlier else 0
    lacking = 0 if i >= taps - 1 else taps - 1 - int(i)
    start = max(lacking - before, 0)
    first = i - (taps - 1)
    kept = loop(lacking - start, lambda k: Cell(2, before - lacking + start + k, j) * Cell(1, start + k, j))
    own = loop(taps - lacking, lambda k: Cell(0, first + lacking + k, j) * Cell(1, lacking + k, j))
    return total((*kept, *own))


def _convolved_formula(inputs: int) -> Expression:
    earlier = (phrase("and_rows_before"), C) if inputs == 3 else ()
    return Call("words", (phrase("last_rows_of"), A, *earlier, phrase("each_times_its_row_of"), B, phrase("added_up")))


def _input_gradient_cell(i: int, j: int, gradient: Shape, weights: Shape) -> Expression:
    """Later rows have read this one, each with another row of the weights."""
    rows, taps = gradient[0], weights[0]
    count = taps if i <= rows - taps else rows - int(i)
    return total(loop(count, lambda k: Cell(0, i + k, j) * Cell(1, taps - 1 - k, j)))


def _weight_gradient_cell(i: int, j: int, gradient: Shape, x: Shape, *earlier: Shape, taps: int) -> Expression:
    """Row i has met the rows `back` rows before those that were made: of the first ones, rows of earlier passes."""
    back, before, rows = taps - 1 - int(i), earlier[0][0] if earlier else 0, x[0]
    start, met = max(back - before, 0), min(back, rows)
    kept = loop(met - start, lambda k: Cell(0, start + k, j) * Cell(2, before - back + start + k, j))
    own = loop(rows - met, lambda k: Cell(0, met + k, j) * Cell(1, met - back + k, j))
    return total((*kept, *own)) if max(met - start, rows - met) > 0 else Number(0)


convolution_input_gradient = Operation(
    name="convolution_input_gradient",
    shapes="n×c, k×c → n×c",
    cell=_input_gradient_cell,
    formula=lambda inputs: Call(
        "words", (phrase("next_rows_of"), A, phrase("each_times_its_row_of"), B, phrase("added_up"))
    ),
)

convolution_weight_gradient = Operation(
    name="convolution_weight_gradient",
    shapes="n×c, n×c, m×c → k×c",
    sizes=lambda shapes, taps: {"k": taps},
    cell=_weight_gradient_cell,
    formula=lambda inputs, taps: Call(
        "words", (phrase("column_sums_of"), Call("times", (A, B)), phrase("moved_by_each_row"))
    ),
    example={"taps": 3},
)

causal_convolution = Operation(  # a generation has rows of earlier passes beside the new ones; nothing moves them
    name="causal_convolution",
    shapes="n×c, k×c, m×c → n×c",
    forward=_convolve,
    cell=_convolved_cell,
    formula=_convolved_formula,
    gradient=lambda b: (
        InputGradient(convolution_input_gradient, (b.gradient, b.inputs[1])),
        InputGradient(
            convolution_weight_gradient, (b.gradient, b.inputs[0], *b.inputs[2:]), {"taps": b.inputs[1].shape[0]}
        ),
        *(None for _ in b.inputs[2:]),
    ),
)
