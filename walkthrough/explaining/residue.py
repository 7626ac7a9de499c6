"""The number of a cell as it is shown: without the last bits that a calculation in float64 leaves.

What cancels to less than 1e-14 of the largest number that was added is 0, and so is what such a 0 makes 0; what is off
a short decimal by its last bits is that decimal. Recorded numbers stay as they are.
"""

from __future__ import annotations

import math

from walkthrough.explaining.choices import taken
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.evaluate import Values, evaluate
from walkthrough.expressions.tree.nodes import Cell, Expression
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.notation import without_last_bits
from walkthrough.recording.values import Value

_RESIDUE = 1e-14
_SUSPECT = 1e-9
"""Below this, in units of the square of the largest input, a number may be what cancelling has left."""

_SMALL = 1e-6
"""A result above this is not what a sum within has left."""


def is_exact(value: Value) -> bool:
    """Whether its numbers have no last bits to hide: they are written in the scenario, or were rounded by hand."""
    return value.digits is not None or (value.operation is None and not value.origin)


def shown_number(value: Value, row: int, column: int) -> float:
    """The number at (row, column) as it is shown."""
    number = float(value.array[row, column])
    if vanishes(value, row, column):
        return 0.0
    return number if is_exact(value) else without_last_bits(number, longest_sum(value))


def longest_sum(value: Value) -> int:
    """How many terms the longest sum has that a number of the value comes from: so far its last bits may be off."""
    if value.terms is None:
        value.terms = max((_longest(piece.expression) for piece in value.folded()), default=1)
    return value.terms


def _longest(node: Expression) -> int:
    own = sum(map(_count, node.terms)) if isinstance(node, nodes.Sum) else 1
    return max(own, 2 if isinstance(node, nodes.Difference) else 1, *map(_longest, children(node)))


def _count(term: Expression) -> int:
    return term.count * sum(map(_count, term.items)) if isinstance(term, nodes.Repeated) else 1


def vanishes(value: Value, row: int, column: int) -> bool:
    """Whether a number is 0 but for what rounding has left of a sum: its own, or that of a number it comes from."""
    number = float(value.array[row, column])
    if not 0 < abs(number) < _suspect(value):
        return False
    if value.vanished is None:
        value.vanished = {}
    known = value.vanished.get((row, column))
    if known is None:
        inputs = value.inputs

        def exact(cell: Cell) -> float:
            return float(inputs[cell.operand].array[cell.row, cell.column])

        def shown(cell: Cell) -> float:
            return 0.0 if vanishes(inputs[cell.operand], cell.row, cell.column) else exact(cell)

        expression = taken(value.cell(row, column), exact)
        known = value.vanished[row, column] = _cleaned(expression, shown) == 0 or _cancels(expression, number, exact)
    return known


def result(expression: Expression, cell: Values) -> float:
    """What an expression gives, as it is shown."""
    number = evaluate(expression, cell)
    if _cancels(expression, number, cell):
        return 0.0
    return number if number == 0 or abs(number) > _SMALL else _cleaned(expression, cell)


def _suspect(value: Value) -> float:
    """Below this a number of the value may be what cancelling has left; 0 of a given one, where nothing cancels."""
    if value.suspect is None:
        largest = max([1.0, *(given.largest for given in value.inputs)])
        value.suspect = 0.0 if value.operation is None else _SUSPECT * largest * largest  # no power: it may be infinite
    return value.suspect


def _cleaned(node: Expression, cell: Values) -> float:
    """What a node gives where every sum within that cancels is 0."""
    if isinstance(node, Cell | nodes.Number):
        return evaluate(node, cell)
    if isinstance(node, nodes.Call) and node.function == "noted":  # what stands beside a number is no number
        return _cleaned(node.arguments[0], cell)
    parts = with_children(node, [nodes.Number(_cleaned(part, cell)) for part in children(node)])
    number = evaluate(parts, cell)
    return 0.0 if _cancels(parts, number, cell) else number


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
