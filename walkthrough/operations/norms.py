"""The norms as the one function that each of them is, with the backward pass through all of their steps at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from walkthrough.expressions.tree.nodes import (
    Call,
    Expression,
    Named,
    Number,
    Power,
    Product,
    Where,
    phrase,
    sqrt,
    square,
)
from walkthrough.operations.backward import column_sum, column_sum_of_products
from walkthrough.operations.definition import (
    A,
    Array,
    B,
    Backward,
    C,
    Composite,
    D,
    InnerGradient,
    InputGradient,
    Operation,
)
from walkthrough.operations.normalization import (
    mean,
    named_divisor,
    root_of_mean_square,
    root_of_squares,
    scale_and_shift,
    variance_divisor,
)


def _norm_gradient(gradient: Array, centered: Array, variance: Array, std: Array, sample: bool, on_std: bool) -> Array:
    root = np.where(variance == 0, np.inf, np.sqrt(variance)) if on_std else std  # equal numbers: no pull
    blended = np.einsum("ij,ij->i", gradient, centered)[:, None]
    middle = gradient - gradient.mean(axis=1, keepdims=True)
    divisor = variance_divisor(centered.shape[1], sample) * std * std * root
    return middle / std - centered * (blended / divisor)  # type: ignore[no-any-return]


def _norm_gradient_formula(sample: bool, on_std: bool, is_exact: bool = False) -> Expression:
    """is_exact: equal numbers have no deviation, and no pull."""
    cube = Call("times", (square(D), sqrt(C))) if on_std else Power(D, Number(3))
    pull = _blend() / Product((named_divisor(sample), cube))
    return (A - mean(A)) / D - (Where(C, pull, Number(0)) if on_std and is_exact else pull)


def _blend() -> Expression:
    """What is normed, times how far the gradient of its row goes along with it."""
    return Call("times", (B, Call("sum", (Call("times", (A, B)),))))


norm_gradient = Operation(  # back through mean, deviation and division at once
    name="norm_gradient",
    shapes="n×d, n×d, n×1, n×1 → n×d",
    forward=_norm_gradient,
    formula=lambda inputs, **settings: _norm_gradient_formula(**settings),
    names=lambda gradient, *inside, **settings: {"d": gradient[1]},
    code=lambda *shapes, **settings: _norm_gradient_formula(**settings, is_exact=True),
    example={"sample": False, "on_std": False},
    domain=(0.5, 3.0),
)


def _rms_norm_gradient(gradient: Array, x: Array, root: Array) -> Array:
    blended = np.einsum("ij,ij->i", gradient, x)[:, None]
    shares: Array = gradient / root - x * (blended / (x.shape[1] * root**3))
    return shares


rms_norm_gradient = Operation(  # back through mean square, root and division at once
    name="rms_norm_gradient",
    shapes="n×d, n×d, n×1 → n×d",
    forward=_rms_norm_gradient,
    formula=lambda inputs: A / C - _blend() / Product((Named("d"), Power(C, Number(3)))),
    names=lambda gradient, *inside: {"d": gradient[1]},
    domain=(0.5, 3.0),
)


def _through_scale(
    b: Backward, given: Iterable[tuple[str, Any]], plus_one: bool = False
) -> tuple[Any, list[InputGradient]]:
    """The gradient that reaches the normalized vectors, and those of γ and β, as far as they are given."""
    inner: Any = b.gradient
    shares = []
    for name, one in given:
        if name == "beta":
            shares.append(InputGradient(column_sum, (b.gradient,)))
        else:
            shares.append(InputGradient(column_sum_of_products, (b.gradient, b.parts["normalized"])))
            kind = InnerGradient("scaled", "γ", "1 + γ" if plus_one else "γ", "normalized")
            settings = {"parts": "gamma", "plus_one": plus_one}
            inner = InputGradient(scale_and_shift, (b.gradient, one), settings, kind)
    return inner, shares


def _layer_norm_gradient(b: Backward) -> tuple[InputGradient, ...]:
    inner, shares = _through_scale(b, zip(b.settings["parts"].split(), b.inputs[1:], strict=True))
    inside = (b.parts[name] for name in ("centered", "variance", "std"))
    settings = {"sample": b.settings["sample"], "on_std": b.settings["on_std"]}
    return InputGradient(norm_gradient, (inner, *inside), settings), *shares


def _layer_norm(x: Array, *given: Array, epsilon: float, on_std: bool, sample: bool, parts: str) -> Array:
    centered = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centered).sum(axis=1, keepdims=True) / variance_divisor(x.shape[1], sample)
    normalized: Array = centered / root_of_mean_square.forward(variance, epsilon, on_std)
    return scale_and_shift.forward(normalized, *given, parts=parts) if given else normalized


layer_norm = Composite(  # of row_mean, subtract_rows, variance, standard deviation, division, γ and β
    "layer_norm", _layer_norm, _layer_norm_gradient, drawn_as="norm"
)


def _rms_norm(x: Array, *gamma: Array, epsilon: float, plus_one: bool) -> Array:
    normalized: Array = x / np.sqrt(np.square(x).sum(axis=1, keepdims=True) / x.shape[1] + epsilon)
    return scale_and_shift.forward(normalized, *gamma, parts="gamma", plus_one=plus_one) if gamma else normalized


def _rms_norm_gradients(b: Backward) -> tuple[InputGradient, ...]:
    inner, shares = _through_scale(b, (("gamma", one) for one in b.inputs[1:]), b.settings["plus_one"])
    return InputGradient(rms_norm_gradient, (inner, b.inputs[0], b.parts["rms"])), *shares


rms_norm = Composite(  # of mean square, root, division, and, where it is given, γ, which may count from 1
    "rms_norm", _rms_norm, _rms_norm_gradients, drawn_as="norm"
)

l2_norm_gradient = Operation(  # back through length and division at once
    name="l2_norm_gradient",
    shapes="n×d, n×d, n×1 → n×d",
    forward=lambda gradient, x, length: (
        gradient / length - x * (np.einsum("ij,ij->i", gradient, x)[:, None] / length**3)
    ),
    formula=lambda inputs: A / C - _blend() / Power(C, Number(3)),
    domain=(0.5, 3.0),
)

l2_norm = Composite(  # of root_of_squares and division
    "l2_norm",
    lambda x, epsilon: x / root_of_squares.forward(x, epsilon),
    lambda b: (InputGradient(l2_norm_gradient, (b.gradient, b.inputs[0], b.parts["length"])),),
    drawn_as="norm",
)

dyt_gradient = Operation(  # back through tanh and alpha at once; `factor` is alpha where no operand is
    name="dyt_gradient",
    shapes="n×d, n×d, 1×1 → n×d",
    forward=lambda gradient, squashed, *alpha, factor: (alpha[0] if alpha else factor) * gradient * (1 - squashed**2),
    formula=lambda inputs, factor: Call("times", (C if inputs == 3 else Number(factor), A, Number(1) - square(B))),
    example={"factor": 0.5},
)

alpha_gradient = Operation(
    name="alpha_gradient",
    shapes="n×d, n×d, n×d → 1×1",
    forward=lambda gradient, squashed, x: (gradient * (1 - squashed**2) * x).sum(keepdims=True),
    formula=lambda inputs: Call("words", (phrase("sum_of"), _alpha_shares())),
    code=lambda *shapes: Call("sum", (Call("colsum", (_alpha_shares(),)),)),
)


def _alpha_shares() -> Expression:
    return Call("times", (A, Number(1) - square(B), C))


def _dyt(x: Array, *given: Array, parts: str, factor: float) -> Array:
    """The whole of alpha, tanh, γ and β, of which `parts` says which are given; alpha is `factor` where it is not."""
    named = dict(zip(parts.split(), given, strict=True))
    squashed: Array = np.tanh(named.pop("alpha", factor) * x)
    return scale_and_shift.forward(squashed, *named.values(), parts=parts) if named else squashed


def _dyt_gradient(b: Backward) -> tuple[InputGradient, ...]:
    x, *given = b.inputs
    named = dict(zip(b.settings["parts"].split(), given, strict=True))
    alpha = [named.pop("alpha")] if "alpha" in named else []
    inner, shares = _through_scale(b, named.items())
    squashed = b.parts.get("normalized", b.result)
    of_alpha = [InputGradient(alpha_gradient, (inner, squashed, x)) for _ in alpha]
    settings = {"factor": b.settings["factor"]}
    return InputGradient(dyt_gradient, (inner, squashed, *alpha), settings), *of_alpha, *shares


dyt = Composite("dyt", _dyt, _dyt_gradient, drawn_as="norm")

NORMS = (layer_norm, rms_norm, dyt)
