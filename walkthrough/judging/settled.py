"""Cells with their choices made by the right numbers: a mask is given, and a hidden score stays hidden."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from walkthrough.expressions.tree.evaluate import Values, evaluate
from walkthrough.expressions.tree.nodes import Call, Cell, Difference, Expression, Number, Sum, Where, maximum
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.operations.definition import Operation
from walkthrough.recording.values import Value


def settled_cell(value: Value, row: int, column: int, number: Values | None = None) -> Expression:
    """How a computed number comes from its inputs. number: looks up those that decide; by default those of the value"""
    return settled(value.cell(row, column), number or _numbers(value.inputs))


def settled_composite(
    operation: Operation, inputs: Sequence[Value], settings: Mapping[str, Any], row: int, column: int
) -> Expression:
    """How a number comes from the inputs of an operation of several steps, in one go."""
    expression = operation.cell(row, column, *(given.shape for given in inputs), **settings)
    return settled(expression, _numbers(inputs))


def settled(expression: Expression, number: Values) -> Expression:
    """The expression with its conditions decided, and without the hidden scores of a softmax: they add nothing.

    Which number is the largest of several is left open: rounding may decide it otherwise.
    """
    return _settled(expression, number, {})


def _numbers(inputs: Sequence[Value]) -> Values:
    return lambda cell: float(inputs[cell.operand].array[cell.row, cell.column])


def _settled(node: Expression, number: Values, known: dict[int, tuple[Expression, Expression]]) -> Expression:
    if isinstance(node, Cell | Number):
        return node
    if id(node) not in known:  # what the expression shares stays shared
        known[id(node)] = node, _settled_once(node, number, known)
    return known[id(node)][1]


def _settled_once(node: Expression, number: Values, known: dict[int, tuple[Expression, Expression]]) -> Expression:
    if isinstance(node, Where):
        return _settled(node.then if evaluate(node.condition, number) != 0 else node.otherwise, number, known)
    if (power := _power_of_scores(node, number)) is not None:
        return power
    inner = [_settled(part, number, known) for part in children(node)]
    if isinstance(node, Call) and node.function == "abs":
        return maximum((inner[0], -inner[0]))
    if isinstance(node, Sum):
        inner = [term for term in inner if term != Number(0)]
    return with_children(node, inner)


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
