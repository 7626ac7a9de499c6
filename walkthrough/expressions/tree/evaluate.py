"""Computes an expression in float64, number by number, as a person with a calculator would."""

from __future__ import annotations

import math
from collections.abc import Callable

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression

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
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):  # beyond the range; ∞ − ∞
        return sum(values)


def _quotient(node: nodes.Quotient, cell: Values) -> float:
    numerator, denominator = evaluate(node.numerator, cell), evaluate(node.denominator, cell)
    if denominator == 0:
        infinite = math.copysign(math.inf, numerator) * math.copysign(1, denominator)
        return math.nan if numerator == 0 or math.isnan(numerator) else infinite
    return numerator / denominator


def _power(node: nodes.Power, cell: Values) -> float:
    base, exponent = evaluate(node.base, cell), evaluate(node.exponent, cell)
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power; a root of a negative number
        return math.inf if base == 0 else math.nan


def _call(node: nodes.Call, cell: Values) -> float:
    if node.function == "noted":
        return evaluate(node.arguments[0], cell)
    return FUNCTIONS[node.function](*(evaluate(argument, cell) for argument in node.arguments))


def _where(node: nodes.Where, cell: Values) -> float:
    return evaluate(node.then if evaluate(node.condition, cell) != 0 else node.otherwise, cell)


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _argmax(*pairs: float) -> float:
    labels, values = pairs[::2], pairs[1::2]
    return math.nan if any(map(math.isnan, values)) else labels[values.index(max(values))]


FUNCTIONS: dict[str, Callable[..., float]] = {
    "exp": _exp,
    "log": lambda x: math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "sin": lambda x: math.sin(x) if math.isfinite(x) else math.nan,
    "cos": lambda x: math.cos(x) if math.isfinite(x) else math.nan,
    "tanh": math.tanh,
    "erf": math.erf,
    "abs": abs,
    "max": lambda *values: math.nan if any(map(math.isnan, values)) else max(values),
    "round": lambda x: float(round(round(x, 12))) if math.isfinite(x) else x,
    "step": lambda x: math.nan if math.isnan(x) else float(x > 0),
    "equal": lambda left, right: float(left == right),
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
    nodes.Where: _where,
}
