"""Layer normalization: as the small steps a person takes, and as the one function it is. Ba et al. 2016, eq. 4."""

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
    Product,
    Sum,
    Where,
    loop,
    sqrt,
    square,
    total,
)
from walkthrough.operations.backward import column_sum, column_sum_of_products, times_row
from walkthrough.operations.definition import Array, Backward, InnerGradient, InputGradient, Operation, Shape

A, B, C = Operand(0), Operand(1), Operand(2)


def _mean(i: int, x: Shape) -> Expression:
    return total(loop(x[1], lambda k: Cell(0, i, k))) / Number(x[1])


row_mean = Operation(
    name="row_mean",
    shapes="n×d → n×1",
    forward=lambda x: x.mean(axis=1, keepdims=True),
    cell=lambda i, j, x: _mean(i, x),
    formula=lambda inputs: Call("sum", (A,)) / Named("d"),
    names=lambda x: {"d": x[1]},
)

subtract_rows = Operation(  # from each row its own number
    name="subtract_rows",
    shapes="n×d, n×1 → n×d",
    forward=lambda x, subtracted: x - subtracted,
    cell=lambda i, j, x, subtracted: Cell(0, i, j) - Cell(1, i, 0),
    formula=lambda inputs: A - B,
)


def _divisor(width: int, sample: bool) -> int:
    """Population variance divides by d, sample variance by d − 1."""
    return width - 1 if sample else width


def _variance_formula(inputs: int, sample: bool) -> Expression:
    return Call("sum", (square(A),)) / (Named("d") - Number(1) if sample else Named("d"))


variance_of_centered = Operation(
    name="variance_of_centered",
    shapes="n×d → n×1",
    forward=lambda x, sample: np.square(x).sum(axis=1, keepdims=True) / _divisor(x.shape[1], sample),
    cell=lambda i, j, x, sample: (
        Sum(tuple(loop(x[1], lambda k: square(Cell(0, i, k))))) / Number(_divisor(x[1], sample))
    ),
    formula=_variance_formula,
    names=lambda x, sample: {"d": x[1]},
    example={"sample": False},
)


def _std(variance: Array, epsilon: float, on_std: bool) -> Array:
    return np.sqrt(variance) + epsilon if on_std else np.sqrt(variance + epsilon)


def _std_expression(variance: Expression, epsilon: Expression, on_std: bool) -> Expression:
    if epsilon == Number(0):
        return sqrt(variance)
    return sqrt(variance) + epsilon if on_std else sqrt(variance + epsilon)


standard_deviation = Operation(  # PyTorch adds epsilon to the variance; the Annotated Transformer to the deviation
    name="standard_deviation",
    shapes="n×1 → n×1",
    forward=_std,
    cell=lambda i, j, variance, epsilon, on_std: _std_expression(Cell(0, i, 0), Number(epsilon), on_std),
    formula=lambda inputs, epsilon, on_std: _std_expression(A, Named("ε") if epsilon else Number(0), on_std),
    names=lambda variance, epsilon, on_std: {"ε": epsilon},
    example={"epsilon": 0.1, "on_std": False},
    domain=(0.1, 3.0),
)


def _affine(x: Array, *given: Array, parts: str) -> Array:
    result = x * given[0] if "gamma" in parts else x + given[0]
    return result + given[1] if len(given) == 2 else result


def _affine_expression(x: Expression, given: Sequence[Expression], parts: str, times: str) -> Expression:
    rest = list(given)
    if "gamma" in parts:
        x = Call(times, (x, rest.pop(0))) if times else Product((x, rest.pop(0)))
    return x + rest.pop(0) if rest else x


scale_and_shift = Operation(  # γ and β; `parts` says which of them are given
    name="scale_and_shift",
    shapes="n×d, 1×d, 1×d → n×d",
    forward=_affine,
    cell=lambda i, j, x, *given, parts: _affine_expression(
        Cell(0, i, j), [Cell(index + 1, 0, j) for index in range(len(given))], parts, ""
    ),
    formula=lambda inputs, parts: _affine_expression(A, [B, C][: inputs - 1], parts, "times"),
    example={"parts": "gamma beta"},
)


def _norm_gradient(gradient: Array, centered: Array, variance: Array, std: Array, sample: bool, on_std: bool) -> Array:
    width = centered.shape[1]
    root = np.where(variance == 0, np.inf, np.sqrt(variance)) if on_std else std  # equal numbers: no pull
    blended = np.einsum("ij,ij->i", gradient, centered)[:, None]
    middle = gradient - gradient.mean(axis=1, keepdims=True)
    return middle / std - centered * (blended / (_divisor(width, sample) * std * std * root))  # type: ignore[no-any-return]


def _norm_gradient_cell(
    i: int, j: int, gradient: Shape, centered: Shape, variance: Shape, std: Shape, sample: bool, on_std: bool
) -> Expression:
    width = centered[1]
    spread = Cell(3, i, 0)
    root = sqrt(Cell(2, i, 0)) if on_std else spread
    blended = total(loop(width, lambda k: Cell(0, i, k) * Cell(1, i, k)))
    middle = Cell(0, i, j) - _mean(i, gradient)
    pull = Cell(1, i, j) * blended / Product((Number(_divisor(width, sample)), spread, spread, root))
    pulled = middle / spread - pull
    return Where(Cell(2, i, 0), pulled, middle / spread) if on_std else pulled  # equal numbers: no pull


def _norm_gradient_formula(inputs: int, sample: bool, on_std: bool) -> Expression:
    return (A - Call("sum", (A,)) / Named("d")) / Operand(3) - _pull(sample, on_std)


def _pull(sample: bool, on_std: bool) -> Expression:
    """What the deviation of the row takes from its gradient."""
    spread = Operand(3)
    divisor = Named("d") - Number(1) if sample else Named("d")
    cube = Call("times", (square(spread), sqrt(C))) if on_std else Power(spread, Number(3))
    return Call("times", (B, Call("sum", (Call("times", (A, B)),)))) / Product((divisor, cube))


def _norm_gradient_code(gradient: Shape, *inside: Shape, sample: bool, on_std: bool) -> Expression:
    """As the formula; equal numbers have no deviation, and no pull."""
    middle = (A - Call("sum", (A,)) / Named("d")) / Operand(3)
    pull = _pull(sample, on_std)
    return middle - (Where(C, pull, Number(0)) if on_std else pull)


norm_gradient = Operation(  # back through mean, deviation and division at once
    name="norm_gradient",
    shapes="n×d, n×d, n×1, n×1 → n×d",
    forward=_norm_gradient,
    cell=_norm_gradient_cell,
    formula=_norm_gradient_formula,
    names=lambda gradient, *inside, sample, on_std: {"d": gradient[1]},
    code=_norm_gradient_code,
    example={"sample": False, "on_std": False},
    domain=(0.5, 3.0),
)


_TIMES_GAMMA = InnerGradient("scaled", "γ", "Gradient times γ", "The gradient that reaches the normalized vectors.")


def _layer_norm_gradient(b: Backward) -> tuple[InputGradient | None, ...]:
    """The gradient of the norm's input; γ and β, where given, get theirs from the result's own operation."""
    settings = {"sample": b.settings["sample"], "on_std": b.settings["on_std"]}
    parts = b.settings["parts"].split()
    shares: list[InputGradient] = []
    inner: Any = b.gradient
    for name, given in zip(parts, b.inputs[1:], strict=True):
        if name == "gamma":
            shares.append(InputGradient(column_sum_of_products, (b.gradient, b.parts["normalized"])))
            inner = InputGradient(times_row, (b.gradient, given), kind=_TIMES_GAMMA)
        else:
            shares.append(InputGradient(column_sum, (b.gradient,)))
    inside = (b.parts[name] for name in ("centered", "variance", "std"))
    return InputGradient(norm_gradient, (inner, *inside), settings), *shares


def _layer_norm(x: Array, *given: Array, epsilon: float, on_std: bool, sample: bool, parts: str) -> Array:
    centered = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centered).sum(axis=1, keepdims=True) / _divisor(x.shape[1], sample)
    normalized = centered / _std(variance, epsilon, on_std)
    return _affine(normalized, *given, parts=parts) if given else normalized


def _layer_norm_cell(
    i: int, j: int, x: Shape, *given: Shape, epsilon: float, on_std: bool, sample: bool, parts: str
) -> Expression:
    mean = _mean(i, x)
    squares = total(loop(x[1], lambda k: square(Cell(0, i, k) - mean)))
    variance = squares / Number(_divisor(x[1], sample))
    normalized = (Cell(0, i, j) - mean) / _std_expression(variance, Number(epsilon), on_std)
    return _affine_expression(normalized, [Cell(index + 1, 0, j) for index in range(len(given))], parts, "")


def _layer_norm_code(x: Shape, *given: Shape, epsilon: float, on_std: bool, sample: bool, parts: str) -> Expression:
    centered = A - Call("sum", (A,)) / Named("d")
    variance = Call("sum", (square(centered),)) / (Named("d") - Number(1) if sample else Named("d"))
    normalized = centered / _std_expression(variance, Named("ε") if epsilon else Number(0), on_std)
    return _affine_expression(normalized, [B, C][: len(given)], parts, "times")


layer_norm = Operation(  # the whole of row_mean, subtract_rows, variance, standard deviation, division, γ and β
    name="layer_norm",
    shapes="n×d, 1×d, 1×d → n×d",
    forward=_layer_norm,
    cell=_layer_norm_cell,
    formula=lambda inputs, **settings: Call("LayerNorm", (A,)),
    names=lambda x, *given, epsilon, **settings: {"ε": epsilon, "d": x[1]},
    code=_layer_norm_code,
    gradient=_layer_norm_gradient,
    example={"epsilon": 0.1, "on_std": False, "sample": False, "parts": "gamma beta"},
)
