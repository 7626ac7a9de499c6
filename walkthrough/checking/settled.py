"""Cells with their choices made by the right numbers: a mask is given, and a hidden score stays hidden."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from walkthrough.explaining.taken import taken
from walkthrough.expressions.evaluate import Values
from walkthrough.expressions.nodes import Call, Cell, Difference, Expression, Number, Sum
from walkthrough.expressions.walk import children, with_children
from walkthrough.operations.definition import Operation
from walkthrough.recording.values import Value


def settled_cell(value: Value, row: int, column: int) -> Expression:
    """How a computed number comes from its inputs."""
    return settled(value.cell(row, column), _numbers(value.inputs))


def settled_composite(
    operation: Operation, inputs: Sequence[Value], settings: dict[str, Any], row: int, column: int
) -> Expression:
    """How a number comes from the inputs of an operation of several steps, in one go."""
    expression = operation.cell(row, column, *(given.shape for given in inputs), **settings)
    return settled(expression, _numbers(inputs))


def settled(expression: Expression, number: Values) -> Expression:
    """The expression with every choice made, and without the hidden scores of a softmax: they add nothing."""
    chosen = taken(expression, number)
    return _without_hidden(chosen, number, {})


def _numbers(inputs: Sequence[Value]) -> Values:
    return lambda cell: float(inputs[cell.operand].array[cell.row, cell.column])


def _without_hidden(node: Expression, number: Values, known: dict[int, tuple[Expression, Expression]]) -> Expression:
    if isinstance(node, Cell | Number):
        return node
    if id(node) not in known:  # what the expression shares stays shared
        power = _power_of_scores(node, number)
        parts = children(node)
        inner = [] if power is not None else [_without_hidden(part, number, known) for part in parts]
        if isinstance(node, Sum):
            inner = [term for term in inner if term != Number(0)]
            same = len(inner) == len(parts) and all(one is other for one, other in zip(inner, parts, strict=True))
            result: Expression = node if same else Sum(tuple(inner))
        else:
            same = all(one is other for one, other in zip(inner, parts, strict=False))
            result = power if power is not None else node if same else with_children(node, inner)
        known[id(node)] = node, result
    return known[id(node)][1]


def _power_of_scores(node: Expression, number: Values) -> Number | None:
    """What e^(score − score) always is: 0 where the first is hidden, 1 where both are one known score."""
    if not isinstance(node, Call) or node.function != "exp" or not isinstance(node.arguments[0], Difference):
        return None
    first, second = node.arguments[0].left, node.arguments[0].right
    if not isinstance(first, Cell) or not isinstance(second, Cell):
        return None
    if number(first) == -math.inf and number(second) != -math.inf:
        return Number(0)
    return Number(1) if first == second and math.isfinite(number(first)) else None
