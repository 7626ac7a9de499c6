"""The activation functions of the feed-forward network, and the cap of scores: each of every number by itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from walkthrough.expressions.fold.arrays import erf, step
from walkthrough.expressions.tree.nodes import Call, Expression, Number, Power, exp, maximum, sqrt, square
from walkthrough.expressions.tree.walk import cell_by_cell
from walkthrough.operations.definition import A, Array, B, InputGradient, Operation


def _elementwise(
    name: str,
    forward: Callable[..., Array],
    of: Callable[..., Expression],
    slope: Callable[..., Array],
    slope_of: Callable[..., Expression],
    copies: bool = False,
    **example: float,
) -> Operation:
    """An operation on each number, and the one that leads its gradient back; one expression serves cell and formula.

    example: settings, which all four take
    """
    back = Operation(
        name=f"{name}_gradient",
        shapes="n×m, n×m → n×m",
        forward=lambda x, gradient, **settings: gradient * slope(x, **settings),
        formula=lambda inputs, **settings: Call("times", (B, cell_by_cell(slope_of(A, **settings)))),
        copies=copies,
        example=example,
    )
    return Operation(
        name=name,
        shapes="n×m → n×m",
        forward=forward,
        formula=lambda inputs, **settings: cell_by_cell(of(A, **settings)),
        copies=copies,
        gradient=lambda b: (InputGradient(back, (b.inputs[0], b.gradient), b.settings),),
        example=example,
    )


def _gelu(x: Expression) -> Expression:
    return x * (Number(1) + Call("erf", (x / sqrt(Number(2)),))) / Number(2)


_CUBIC = 0.044715  # Hendrycks and Gimpel 2016, §2: the approximation GPT-2 uses


def _gelu_tanh(x: Expression) -> Expression:
    inner = sqrt(Number(2) / Number(math.pi)) * (x + Number(_CUBIC) * Power(x, Number(3)))
    return x * (Number(1) + Call("tanh", (inner,))) / Number(2)


def _gelu_slope(x: Expression) -> Expression:
    density = exp(-(square(x) / Number(2))) / sqrt(Number(2 * math.pi))
    return (Number(1) + Call("erf", (x / sqrt(Number(2)),))) / Number(2) + x * density


def _gelu_tanh_slope(x: Expression) -> Expression:
    root = sqrt(Number(2) / Number(math.pi))
    tanh = Call("tanh", (root * (x + Number(_CUBIC) * Power(x, Number(3))),))
    inner_slope = root * (Number(1) + Number(3 * _CUBIC) * square(x))
    return (Number(1) + tanh) / Number(2) + x * (Number(1) - square(tanh)) * inner_slope / Number(2)


def _gelu_tanh_slopes(x: Array) -> Array:
    root = math.sqrt(2 / math.pi)
    tanh = np.tanh(root * (x + _CUBIC * x**3))
    slopes: Array = (1 + tanh) / 2 + x * (1 - tanh * tanh) * root * (1 + 3 * _CUBIC * x**2) / 2
    return slopes


def _exp_below_0(x: Expression, alpha: float = 1.0) -> Expression:
    return exp(-x if alpha == 1 else Number(-alpha) * x)


def _logistic(x: Expression, alpha: float = 1.0) -> Expression:
    return Number(1) / (Number(1) + _exp_below_0(x, alpha))


def _logistics(x: Array, alpha: float = 1.0) -> Array:
    shares: Array = 1 / (1 + np.exp(-alpha * x))
    return shares


def _silu_slope(x: Expression, alpha: float = 1.0) -> Expression:
    steep = x if alpha == 1 else Number(alpha) * x
    return _logistic(x, alpha) * (Number(1) + steep * (Number(1) - _logistic(x, alpha)))


relu = _elementwise(
    "relu",
    lambda x: np.maximum(x, 0.0),
    lambda x: maximum((Number(0), x)),
    step,
    lambda x: Call("step", (x,)),
    copies=True,
)
gelu = _elementwise(
    "gelu",
    lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    _gelu,
    lambda x: (1 + erf(x / math.sqrt(2))) / 2 + x * np.exp(-x * x / 2) / math.sqrt(2 * math.pi),
    _gelu_slope,
)
gelu_tanh = _elementwise(
    "gelu_tanh",
    lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + _CUBIC * x**3))) / 2,
    _gelu_tanh,
    _gelu_tanh_slopes,
    _gelu_tanh_slope,
)
silu = _elementwise(  # x·sigmoid(alpha·x); with 1.702 nearly gelu: Hendrycks and Gimpel 2016, §2
    "silu",
    lambda x, alpha=1.0: x / (1 + np.exp(-alpha * x)),
    lambda x, alpha=1.0: x / (Number(1) + _exp_below_0(x, alpha)),
    lambda x, alpha=1.0: _logistics(x, alpha) * (1 + alpha * x * (1 - _logistics(x, alpha))),
    _silu_slope,
    alpha=1.5,
)
sigmoid = _elementwise(
    "sigmoid",
    _logistics,
    _logistic,
    lambda x: _logistics(x) * (1 - _logistics(x)),
    lambda x: _logistic(x) * (Number(1) - _logistic(x)),
)


def _capped(x: Expression, cap: float) -> Expression:
    return Call("tanh", (x / Number(cap),))


soft_cap = _elementwise(  # between −c and c, nearly as they are where they are small: Gemma 2, §2
    "soft_cap",
    lambda x, cap: cap * np.tanh(x / cap),
    lambda x, cap: Number(cap) * _capped(x, cap),
    lambda x, cap: 1 - np.square(np.tanh(x / cap)),
    lambda x, cap: Number(1) - square(_capped(x, cap)),
    cap=2.0,
)

softplus = _elementwise(  # of a step in time, which is above 0: Gu and Dao 2024, §3.6
    "softplus",
    lambda x: np.log(1 + np.exp(x)),
    lambda x: Call("log", (Number(1) + exp(x),)),
    _logistics,
    _logistic,
)

ACTIVATIONS = {operation.name: operation for operation in (relu, gelu, gelu_tanh, silu, sigmoid)}
