"""Which numbers that follow from a wrong one took no work: a product with 0, a sum of such products."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Cell, Expression, Number, Product
from walkthrough.expressions.tree.walk import cells, children
from walkthrough.recording.values import Value
from walkthrough.teaching.mark.own import Own
from walkthrough.teaching.sheet import Place


class Trivial:
    """Numbers that a wrong one before them made trivial: nothing was left to be worked out."""

    def __init__(self, own: Own, follows: frozenset[Place] | set[Place]) -> None:
        self.own = own
        self.follows = follows
        self._known: dict[Place, bool] = {}

    def __call__(self, value: Value, row: int, column: int) -> bool:
        """Whether each product of a cell has a factor 0, or all that it is computed from, given numbers apart, is so.

        A missing number is looked through.
        """
        place = value.path, row, column
        if place not in self._known:
            self._known[place] = False
            self._known[place] = self._is_trivial(value, row, column)
        return self._known[place]

    def _is_trivial(self, value: Value, row: int, column: int) -> bool:
        if value.operation is None or value not in self.own.steps:
            return False
        step = self.own.steps[value]
        is_between = self.own.is_missing(value, row, column) or step.is_left_out
        if (value.path, row, column) not in self.follows and not is_between:
            return False
        expression = value.cell(row, column)
        if self._vanishes(expression, value):
            return True
        operands = {(value.inputs[cell.operand], cell.row, cell.column) for cell in cells(expression)}
        computed = [operand for operand in operands if operand[0].operation is not None]
        return bool(computed) and all(self(*operand) for operand in computed)

    def _vanishes(self, expression: Expression, value: Value) -> bool:
        products = list(_products(expression))
        return bool(products) and all(any(self._is_zero(part, value) for part in one.factors) for one in products)

    def _is_zero(self, part: Expression, value: Value) -> bool:
        if isinstance(part, Cell):
            return bool(self.own.array(value.inputs[part.operand])[part.row, part.column] == 0)
        return isinstance(part, Number) and part.value == 0


def _products(expression: Expression) -> list[Product]:
    """The outermost products of an expression."""
    if isinstance(expression, Product):
        return [expression]
    return [one for part in children(expression) for one in _products(part)]
