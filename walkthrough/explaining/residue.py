"""The number of a cell as it is shown: without the last bits that a calculation in float64 leaves.

What cancels to less than 1e-14 of the largest number that was added is 0, and so is what such a 0 makes 0; what is off
a short decimal by its last bits is that decimal. Recorded numbers stay as they are.
"""

from __future__ import annotations

import math

from walkthrough.explaining.choices import chosen_cell, numbers_of
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.evaluate import Values, evaluate
from walkthrough.expressions.tree.nodes import Cell, Expression
from walkthrough.expressions.tree.walk import parts, with_parts
from walkthrough.notation import drop_last_bits
from walkthrough.recording.values import Value

_RESIDUE = 1e-14
_SUSPECT = 1e-9
"""Below this, in units of the square of the largest input, a number may be what cancelling has left."""

_SMALL = 1e-6
"""A result above this is not what a sum within has left."""


def is_exact(value: Value) -> bool:
    """Whether its numbers have no last bits to hide: they are written in the scenario, or were rounded by hand."""
    return value.digits is not None or (value.operation is None and not value.origin)


class _Residue:
    """What is known about the last bits of a value's numbers, found out once.

    suspect: below this a number may be what cancelling has left; 0 of a given value, where nothing cancels
    terms:   how many terms the longest sum has that a number comes from: so far its last bits may be off
    is_zero: of cells that are suspect, whether they are 0 but for that
    """

    def __init__(self, value: Value) -> None:
        is_known = value.operation is not None and not any(given.is_let_go for given in value.inputs)
        largest = max([1.0, *(given.largest for given in value.inputs)]) if is_known else 0.0
        self.suspect = _SUSPECT * largest * largest  # no power: it may be infinite
        self.terms = max((_longest_sum(piece.expression) for piece in value.fold()), default=1)
        self.is_zero: dict[tuple[int, int], bool] = {}


def _residue(value: Value) -> _Residue:
    if value.residue is None:
        value.residue = _Residue(value)
    return value.residue  # type: ignore[no-any-return]


def shown_number(value: Value, row: int, column: int) -> float:
    """The number at (row, column) as it is shown."""
    return 0.0 if vanishes(value, row, column) else without_noise(value, float(value.array[row, column]))


def without_noise(value: Value, number: float) -> float:
    """Any number that is calculated as those of the value are, without its last bits."""
    return number if is_exact(value) else without_last_bits(value, number)


def without_last_bits(value: Value, number: float) -> float:
    """A sum of terms of the value, without its last bits: a rest of one is not rounded where the value is."""
    return drop_last_bits(number, _residue(value).terms)


def _longest_sum(node: Expression) -> int:
    own = sum(map(_count, node.terms)) if isinstance(node, nodes.Sum) else 1
    return max(own, 2 if isinstance(node, nodes.Difference) else 1, *map(_longest_sum, parts(node)))


def _count(term: Expression) -> int:
    return term.count * sum(map(_count, term.items)) if isinstance(term, nodes.Repeated) else 1


def vanishes(value: Value, row: int, column: int) -> bool:
    """Whether a number is 0 but for what rounding has left of a sum: its own, or that of a number it comes from."""
    number, known = float(value.array[row, column]), _residue(value)
    if not 0 < abs(number) < known.suspect:
        return False
    if (row, column) not in known.is_zero:
        known.is_zero[row, column] = _comes_to_zero(value, row, column)
    return known.is_zero[row, column]


def _comes_to_zero(value: Value, row: int, column: int) -> bool:
    exact, expression = numbers_of(value), chosen_cell(value, row, column)

    def shown(cell: Cell) -> float:
        return 0.0 if vanishes(value.inputs[cell.operand], cell.row, cell.column) else exact(cell)

    return _clean(expression, shown) == 0 or _cancels(expression, float(value.array[row, column]), exact)


def result(expression: Expression, cell: Values) -> float:
    """What an expression gives, as it is shown."""
    number = evaluate(expression, cell)
    if _cancels(expression, number, cell):
        return 0.0
    return number if number == 0 or abs(number) > _SMALL else _clean(expression, cell)


def _clean(node: Expression, cell: Values) -> float:
    """What a node gives where every sum within that cancels is 0."""
    if isinstance(node, Cell | nodes.Number):
        return evaluate(node, cell)
    if isinstance(node, nodes.Call) and node.function == "noted":  # a note beside a number is no number
        return _clean(node.arguments[0], cell)
    cleaned = with_parts(node, [nodes.Number(_clean(part, cell)) for part in parts(node)])
    number = evaluate(cleaned, cell)
    return 0.0 if _cancels(cleaned, number, cell) else number


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
