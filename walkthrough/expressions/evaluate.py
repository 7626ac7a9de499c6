"""Computes an expression in float64, number by number, as somebody with a calculator would."""

from __future__ import annotations

import math
from collections.abc import Callable

from walkthrough.expressions import nodes
from walkthrough.expressions.nodes import Expression

Values = Callable[[nodes.Cell], float]


def evaluate(expression: Expression, cell: Values) -> float:
    """The value of `expression`, each of its cells given by `cell`.

    Follows IEEE 754 where Python would raise: e^x beyond the range is inf, x/0 is ±inf, an invalid operation nan.
    """
    return _RULES[type(expression)](expression, cell)


def _product(node: nodes.Product, cell: Values) -> float:
    return math.prod(evaluate(factor, cell) for factor in node.factors)


def _sum(node: nodes.Sum, cell: Values) -> float:
    values = [evaluate(term, cell) for term in node.terms]
    return math.fsum(values) if all(map(math.isfinite, values)) else sum(values)


def _quotient(node: nodes.Quotient, cell: Values) -> float:
    numerator, denominator = evaluate(node.numerator, cell), evaluate(node.denominator, cell)
    if denominator == 0:
        return math.nan if numerator == 0 or math.isnan(numerator) else math.copysign(math.inf, numerator)
    return numerator / denominator


def _power(node: nodes.Power, cell: Values) -> float:
    return float(evaluate(node.base, cell) ** evaluate(node.exponent, cell))


def _call(node: nodes.Call, cell: Values) -> float:
    if node.function == "noted":
        return evaluate(node.arguments[0], cell)
    return FUNCTIONS[node.function](*(evaluate(argument, cell) for argument in node.arguments))


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.78 or math.isnan(x) else math.inf


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _max(*values: float) -> float:
    return math.nan if any(map(math.isnan, values)) else max(values)


def _step(x: float) -> float:
    return math.nan if math.isnan(x) else float(x > 0)


def _argmax(*pairs: float) -> float:
    labels, values = pairs[::2], pairs[1::2]
    return math.nan if any(map(math.isnan, values)) else labels[values.index(max(values))]


FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": _exp,
    "log": _log,
    "sqrt": _sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "erf": math.erf,
    "max": _max,
    "step": _step,
    "argmax": _argmax,
}

_RULES: dict[type[Expression], Callable[..., float]] = {
    nodes.Number: lambda node, cell: node.value,
    nodes.Cell: lambda node, cell: cell(node),
    nodes.Sum: _sum,
    nodes.Difference: lambda node, cell: evaluate(node.left, cell) - evaluate(node.right, cell),
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Negative: lambda node, cell: -evaluate(node.argument, cell),
    nodes.Power: _power,
    nodes.Call: _call,
}
