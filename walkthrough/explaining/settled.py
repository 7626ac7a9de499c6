"""The number of a cell as it is shown: without the last bits that a calculation in float64 leaves.

What cancels to less than 1e-14 of the largest number that was added is 0; what is off a short decimal by its last bits
is that decimal. Recorded numbers stay as they are.
"""

from __future__ import annotations

import math

from walkthrough.explaining.taken import taken
from walkthrough.expressions import nodes
from walkthrough.expressions.evaluate import Values, evaluate
from walkthrough.expressions.nodes import Cell, Expression
from walkthrough.notation import settled
from walkthrough.recording.values import Value

_RESIDUE = 1e-14
_SUSPECT = 1e-9
"""Below this, in units of the square of the largest input, a number may be what cancelling has left."""


def is_exact(value: Value) -> bool:
    """Whether its numbers have no last bits to hide: they are written in the scenario, or were rounded by hand."""
    return value.digits is not None or (value.operation is None and not value.origin)


def shown_number(value: Value, row: int, column: int) -> float:
    """The number at (row, column) as it is shown."""
    number = float(value.array[row, column])
    if vanishes(value, row, column):
        return 0.0
    return number if is_exact(value) else settled(number)


def vanishes(value: Value, row: int, column: int) -> bool:
    """Whether a number is 0 but for what rounding has left of its sum; also one that was only moved here."""
    number = float(value.array[row, column])
    while value.operation is not None and _is_suspect(value, number):
        inputs = value.inputs

        def operand(cell: Cell, inputs: tuple[Value, ...] = inputs) -> float:
            return float(inputs[cell.operand].array[cell.row, cell.column])

        expression = taken(value.cell(row, column), operand)
        if not isinstance(expression, Cell):
            return _cancels(expression, number, operand)
        value, row, column = inputs[expression.operand], expression.row, expression.column
    return False


def result(expression: Expression, cell: Values) -> float:
    """What an expression gives, as it is shown."""
    number = evaluate(expression, cell)
    return 0.0 if _cancels(expression, number, cell) else number


def _is_suspect(value: Value, number: float) -> bool:
    if number == 0 or not math.isfinite(number):
        return False
    return abs(number) < _SUSPECT * max([1.0, *(given.largest for given in value.inputs)]) ** 2


def _cancels(node: Expression, number: float, cell: Values) -> bool:
    """Whether a number is below 1e-14 of the largest term of its sum; a quotient is 0 where what it divides is."""
    if isinstance(node, nodes.Negative):
        return _cancels(node.argument, number, cell)
    if isinstance(node, nodes.Quotient):
        return _cancels(node.numerator, number * evaluate(node.denominator, cell), cell)
    if not isinstance(node, nodes.Sum | nodes.Difference):
        return False
    terms = node.terms if isinstance(node, nodes.Sum) else (node.left, node.right)
    sizes = [abs(evaluate(term, cell)) for term in terms]
    return all(map(math.isfinite, sizes)) and abs(number) < _RESIDUE * max(sizes, default=0.0)
