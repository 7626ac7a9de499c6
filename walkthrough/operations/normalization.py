"""The small steps of layer norm (Ba et al. 2016, eq. 4), RMS norm (Zhang and Sennrich 2019, eq. 4) and dynamic tanh."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number, phrase, sqrt, square
from walkthrough.operations.definition import A, Array, B, C, InputGradient, Operation


def mean(x: Expression) -> Expression:
    """The mean of each row."""
    return Call("sum", (x,)) / Named("d")


row_mean = Operation(
    name="row_mean",
    shapes="n×d → n×1",
    drawn_as="mean",
    forward=lambda x: x.mean(axis=1, keepdims=True),
    formula=lambda inputs: mean(A),
    names=lambda x: {"d": x[1]},
)

subtract_rows = Operation(  # from each row its own number
    name="subtract_rows",
    shapes="n×d, n×1 → n×d",
    forward=lambda x, subtracted: x - subtracted,
    formula=lambda inputs: A - B,
)


def variance_divisor(width: int, sample: bool) -> int:
    """Population variance divides by d, sample variance by d − 1."""
    return width - 1 if sample else width


def named_divisor(sample: bool) -> Expression:
    """The same in a formula."""
    return Named("d") - Number(1) if sample else Named("d")


mean_square = Operation(  # of centered numbers the variance
    name="mean_square",
    shapes="n×d → n×1",
    forward=lambda x, sample: np.square(x).sum(axis=1, keepdims=True) / variance_divisor(x.shape[1], sample),
    formula=lambda inputs, sample: Call("sum", (square(A),)) / named_divisor(sample),
    names=lambda x, sample: {"d": x[1]},
    example={"sample": False},
)


def root(x: Expression, epsilon: float, on_std: bool = False) -> Expression:
    """The square root, with ε under it or added to it."""
    if not epsilon:
        return sqrt(x)
    return sqrt(x) + Named("ε") if on_std else sqrt(x + Named("ε"))


root_of_mean_square = Operation(  # PyTorch adds epsilon to the variance; the Annotated Transformer to the deviation
    name="root_of_mean_square",
    shapes="n×1 → n×1",
    drawn_as="deviation",
    forward=lambda x, epsilon, on_std: np.sqrt(x) + epsilon if on_std else np.sqrt(x + epsilon),
    formula=lambda inputs, epsilon, on_std: root(A, epsilon, on_std),
    names=lambda x, epsilon, on_std: {"ε": epsilon},
    example={"epsilon": 0.1, "on_std": False},
    domain=(0.1, 3.0),
)

root_of_squares = Operation(  # the length of each row
    name="root_of_squares",
    shapes="n×d → n×1",
    forward=lambda x, epsilon: np.sqrt(np.square(x).sum(axis=1, keepdims=True) + epsilon),
    formula=lambda inputs, epsilon: root(Call("sum", (square(A),)), epsilon),
    names=lambda x, epsilon: {"ε": epsilon},
    example={"epsilon": 0.1},
)


def _scale_and_shift(x: Array, *given: Array, parts: str, plus_one: bool = False) -> Array:
    result = x * (1 + given[0] if plus_one else given[0]) if "gamma" in parts else x + given[0]
    return result + given[1] if len(given) == 2 else result


def _write_scale_and_shift(inputs: int, parts: str, plus_one: bool = False) -> Expression:
    """γ ⊙ x + β, as far as `parts` says that they are given."""
    scaled = Call("times", (A, Number(1) + B if plus_one else B)) if "gamma" in parts else A
    rest = (B, C)["gamma" in parts : inputs - 1]
    return scaled + rest[0] if rest else scaled


scale_and_shift = Operation(  # `parts` says which of γ and β are given; γ may count from 1: transformers' GemmaRMSNorm
    name="scale_and_shift",
    shapes="n×d, 1×d, 1×d → n×d",
    forward=_scale_and_shift,
    formula=_write_scale_and_shift,
    example={"parts": "gamma beta"},
)

sum_of_products = Operation(
    name="sum_of_products",
    shapes="n×d, n×d → 1×1",
    forward=lambda a, b: (a * b).sum(keepdims=True),
    formula=lambda inputs: Call("words", (phrase("sum_of"), Call("times", (A, B)))),
    code=lambda a, b: Call("sum", (Call("colsum", (Call("times", (A, B)),)),)),
)

scale_by_number: Operation = Operation(
    name="scale_by_number",
    shapes="n×d, 1×1 → n×d",
    forward=lambda x, number: x * number,
    formula=lambda inputs: Call("times", (B, A)),
    gradient=lambda b: (
        InputGradient(scale_by_number, (b.gradient, b.inputs[1])),
        InputGradient(sum_of_products, (b.gradient, b.inputs[0])),
    ),
)

tanh = Operation(
    name="tanh",
    shapes="n×m → n×m",
    forward=np.tanh,
    formula=lambda inputs: Call("tanh", (A,)),
)
