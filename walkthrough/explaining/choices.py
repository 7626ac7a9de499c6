"""What the numbers choose in an expression: the branch of a mask, the one number that is the largest."""

from __future__ import annotations

import math

from walkthrough.expressions.tree.evaluate import Values, evaluate
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Number, Where
from walkthrough.expressions.tree.walk import parts, with_parts
from walkthrough.recording.values import Value


def numbers_of(value: Value) -> Values:
    """The numbers that a value is computed from."""
    inputs = value.inputs
    return lambda cell: float(inputs[cell.operand].array[cell.row, cell.column])


def chosen_cell(value: Value, row: int, column: int) -> Expression:
    """How one of its numbers comes about, with every choice made."""
    return choose(value.cell(row, column), numbers_of(value))


def choose(expression: Expression, cell: Values) -> Expression:
    """The expression with every choice made, as a person with these numbers writes it down."""
    if isinstance(expression, Cell | Number):
        return expression
    if isinstance(expression, Where):
        return choose(expression.then if evaluate(expression.condition, cell) != 0 else expression.otherwise, cell)
    if (
        isinstance(expression, Call)
        and expression.function == "max"
        and all(isinstance(one, Call) and one.function == "abs" for one in expression.arguments)
    ):
        return _largest(expression, cell)
    return with_parts(expression, [choose(part, cell) for part in parts(expression)])


def conditions(expression: Expression, cell: Values) -> list[Expression]:
    """The conditions that were looked at to make the choices."""
    if isinstance(expression, Where):
        is_met = evaluate(expression.condition, cell) != 0
        return [expression.condition, *conditions(expression.then if is_met else expression.otherwise, cell)]
    return [condition for part in parts(expression) for condition in conditions(part, cell)]


def _largest(expression: Call, cell: Values) -> Expression:
    """The one number that is the largest by its size, the sign turned where it is negative; an unknown one first."""
    inner = [parts(argument)[0] for argument in expression.arguments]
    numbers = [evaluate(argument, cell) for argument in inner]
    at = max(range(len(numbers)), key=lambda at: math.inf if math.isnan(numbers[at]) else abs(numbers[at]))
    return -inner[at] if numbers[at] < 0 else inner[at]
