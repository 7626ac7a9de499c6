"""Softmax: as the small steps a person takes, and as the one function it is. Masks belong to its scores.

A sink is one more score in every row, of a place without a value: Xiao et al. 2024; learned: gpt-oss (2025).
"""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Where, exp, maximum, phrase
from walkthrough.operations.backward import keep_visible, repeat_columns
from walkthrough.operations.definition import PASSED, A, Array, B, Backward, C, Composite, D, InputGradient, Operation
from walkthrough.operations.matrix import multiply

_HIDDEN = -np.inf
HIDES = float(np.log(np.finfo(np.float64).smallest_subnormal))
"""A score below this is hidden, as by −∞: its exponential is 0."""


def _mask(scores: Array, visible: Array, value: float) -> Array:
    """Hidden scores become −∞ whether known or not; a finite value is added instead."""
    return np.where(visible != 0, scores, value if value == _HIDDEN else scores + value)


mask = Operation(  # Vaswani et al. 2017, §3.2.3: illegal connections are set to −∞
    name="mask",
    shapes="n×m, n×m → n×m",
    copies=True,
    forward=_mask,
    formula=lambda inputs, value: Call(
        "words",
        (
            A,
            phrase("where"),
            B,
            phrase("is_1_else"),
            Number(value) if value == _HIDDEN else A + Number(value),
        ),
    ),
    code=lambda scores, visible, value: Where(B, A, Number(value) if value == _HIDDEN else A + Number(value)),
    gradient=lambda b: (
        InputGradient(keep_visible, (b.gradient, b.inputs[1])) if b.settings["value"] == _HIDDEN else PASSED,
        None,
    ),
    example={"value": -1e4},
)


def _highest(x: Array, *sink: Array) -> Array:
    """The largest number of each row, the sink among them."""
    highest: Array = x.max(axis=1, keepdims=True)
    return np.maximum(highest, sink[0]) if sink else highest


def _write_highest(has_sink: bool) -> Expression:
    highest = Call("rowmax", (A,))
    return maximum((highest, B)) if has_sink else highest


subtract_row_maximum = Operation(
    name="subtract_row_maximum",
    shapes="n×m, 1×1 → n×m",
    forward=lambda x, *sink: x - _highest(x, *sink),
    formula=lambda inputs: A - _write_highest(inputs == 2),
)

exp_of_sink = Operation(  # the same in each row
    name="exp_of_sink",
    shapes="1×1 → n×1",
    sizes=lambda shapes, count: {"n": count},
    forward=lambda sink, count: np.repeat(np.exp(sink), count, axis=0),
    formula=lambda inputs, count: exp(A),
    cell=lambda i, j, sink, count: exp(Cell(0, 0, 0)),
    code=lambda sink, count: Call("repeat", (exp(A), Number(count))),
    example={"count": 3},
)

exp_of_shifted_sink = Operation(
    name="exp_of_shifted_sink",
    shapes="n×m, 1×1 → n×1",
    forward=lambda x, sink: np.exp(sink - _highest(x, sink)),
    formula=lambda inputs: exp(B - _write_highest(True)),
)

exponential = Operation(
    name="exp",
    shapes="n×m → n×m",
    forward=lambda x: np.exp(x),
    formula=lambda inputs: exp(A),
    gradient=lambda b: (InputGradient(multiply, (b.gradient, b.result)),),
)

logarithm = Operation(
    name="log",
    shapes="n×m → n×m",
    forward=lambda x: np.log(x),
    formula=lambda inputs: Call("log", (A,)),
    domain=(0.1, 0.9),
)

row_sum = Operation(  # with a sink, that of each row is added
    name="row_sum",
    shapes="n×m, n×1 → n×1",
    forward=lambda x, *sink: x.sum(axis=1, keepdims=True) + (sink[0] if sink else 0.0),
    formula=lambda inputs: Call("sum", (A,)) + B if inputs == 2 else Call("sum", (A,)),
    gradient=lambda b: (
        InputGradient(repeat_columns, (b.gradient,), {"size": b.inputs[0].shape[1]}),
        *(PASSED for _ in b.inputs[1:]),
    ),
)

divide_rows = Operation(  # each row by its own number
    name="divide_rows",
    shapes="n×m, n×1 → n×m",
    forward=lambda x, divisor: x / divisor,
    formula=lambda inputs: A / B,
    domain=(0.5, 3.0),
)


def _softmax(x: Array, *sink: Array) -> Array:
    highest = _highest(x, *sink)
    powers = np.exp(x - highest)
    sums = powers.sum(axis=1, keepdims=True) + (np.exp(sink[0] - highest) if sink else 0.0)
    return np.where(x == _HIDDEN, 0.0, powers / sums)


softmax_gradient = Operation(  # of a row each weight times (its gradient − the weighted mean of all gradients)
    name="softmax_gradient",
    shapes="n×m, n×m → n×m",
    forward=lambda weights, gradient: weights * (gradient - np.einsum("ij,ij->i", weights, gradient)[:, None]),
    formula=lambda inputs: Call("times", (A, B - Call("sum", (Call("times", (A, B)),)))),
)

sink_gradient = Operation(  # what each row's sink has taken, times the weighted mean of the row's gradients, negative
    name="sink_gradient",
    shapes="n×m, n×m, n×1, n×1 → 1×1",
    forward=lambda weights, gradient, power, total: (
        -(power / total * np.einsum("ij,ij->i", weights, gradient)[:, None]).sum(keepdims=True)
    ),
    formula=lambda inputs: Call("words", (phrase("sum_of"), -_taken())),
    code=lambda *shapes: Call("colsum", (-_taken(),)),
    domain=(0.5, 3.0),
)


def _taken() -> Expression:
    return Call("times", (C / D, Call("sum", (Call("times", (A, B)),))))


def _softmax_gradient(b: Backward) -> tuple[InputGradient, ...]:
    """Of the scores as usual; of the sink, where there is one, from its share of each row."""
    scores = InputGradient(softmax_gradient, (b.result, b.gradient))
    if len(b.inputs) == 1:
        return (scores,)
    return scores, InputGradient(sink_gradient, (b.result, b.gradient, b.parts["sink"], b.parts["sum"]))


softmax = Composite("softmax", _softmax, _softmax_gradient, drawn_as="softmax")  # of exp, row_sum and divide_rows
