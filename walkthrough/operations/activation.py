"""The activation functions of the feed-forward network, each applied to every number by itself."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from walkthrough.expressions.nodes import Call, Cell, Expression, Number, Operand, Power, exp, maximum, sqrt
from walkthrough.operations.definition import Array, Operation


def _activation(name: str, forward: Callable[[Array], Array], of: Callable[[Expression], Expression]) -> Operation:
    """An operation on each number: the same expression serves one cell and the formula."""
    return Operation(
        name=name,
        shapes="n×m → n×m",
        forward=forward,
        cell=lambda i, j, x: of(Cell(0, i, j)),
        formula=lambda inputs: of(Operand(0)),
    )


def _erf(x: Array) -> Array:
    """The error function; numpy has none, and Python's is exact to the last digit or two."""
    return np.array([math.erf(value) for value in x.ravel().tolist()]).reshape(x.shape)


def _gelu(x: Expression) -> Expression:
    return x * (Number(1) + Call("erf", (x / sqrt(Number(2)),))) / Number(2)


_CUBIC = 0.044715  # Hendrycks and Gimpel 2016, §2: the approximation GPT-2 uses


def _gelu_tanh(x: Expression) -> Expression:
    inner = sqrt(Number(2) / Number(math.pi)) * (x + Number(_CUBIC) * Power(x, Number(3)))
    return x * (Number(1) + Call("tanh", (inner,))) / Number(2)


relu = _activation("relu", lambda x: np.maximum(x, 0.0), lambda x: maximum((Number(0), x)))
gelu = _activation("gelu", lambda x: x * (1 + _erf(x / math.sqrt(2))) / 2, _gelu)
gelu_tanh = _activation(
    "gelu_tanh", lambda x: x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + _CUBIC * x**3))) / 2, _gelu_tanh
)
silu = _activation("silu", lambda x: x / (1 + np.exp(-x)), lambda x: x / (Number(1) + exp(-x)))
sigmoid = _activation("sigmoid", lambda x: 1 / (1 + np.exp(-x)), lambda x: Number(1) / (Number(1) + exp(-x)))

ACTIVATIONS = {operation.name: operation for operation in (relu, gelu, gelu_tanh, silu, sigmoid)}
