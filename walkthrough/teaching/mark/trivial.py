"""Which numbers that follow from wrong ones took no work, and earn nothing: those behind steps that were lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.expressions.tree.nodes import Cell, Expression, Number, Product
from walkthrough.expressions.tree.walk import cells, children
from walkthrough.recording.values import Value
from walkthrough.teaching.mark.marked import MarkedCell
from walkthrough.teaching.mark.own import Own
from walkthrough.teaching.sheet import Place

_MOST = 3
"""Wrong cells without a cause that make nothing trivial: a slip costs its own cells, whatever comes of it."""
_LOST = 4
_FEW = 3

Mask = int
"""Wrong cells without a cause, a bit each."""


def find_trivial(marked: Sequence[MarkedCell], own: Own) -> set[Place]:
    """The cells that follow and earn nothing."""
    wrong = [cell for cell in marked if cell.verdict == "wrong" and cell.cause is None]
    return _Trivial(marked, wrong, own).find() if len(wrong) > _MOST else set()


def _lost_steps(handed_in: Counter[Value], failed: Counter[Value]) -> list[Value]:
    """Steps of which four cells or more, and half of those handed in, are wrong without a cause."""
    return [value for value, count in failed.items() if count >= _LOST and 2 * count >= handed_in[value]]


def _foreign_products(handed_in: Counter[Value], failed: Counter[Value]) -> set[Value]:
    """The products with a given matrix that are not made with the sheet's own numbers; none where others are.

    They are three or more and half or more of these products; three or more, and a third or more, of the cells
    handed in of each are wrong without a cause. So is a sheet with another's numbers: what joins them follows.
    """
    products = list(filter(_takes_given_matrix, handed_in))
    found = {one for one in products if failed[one] >= _FEW and 3 * failed[one] >= handed_in[one]}
    return found if len(found) >= _FEW and 2 * len(found) >= len(products) else set()


def _takes_given_matrix(value: Value) -> bool:
    assert value.operation is not None
    return bool(value.operation.summed) and any(one.operation is None for one in value.inputs[:2])


class _Trivial:
    """Goes through the calculation in order, cell by cell.

    bits:   of each wrong cell without a cause
    behind: for the cells of each step the wrong cells that they come from, their own among them
    """

    def __init__(self, marked: Sequence[MarkedCell], wrong: Sequence[MarkedCell], own: Own) -> None:
        self.own = own
        self.cells = {cell.place: cell for cell in marked}
        self.bits: dict[Place, Mask] = {cell.place: 1 << at for at, cell in enumerate(wrong)}
        handed_in = Counter(cell.value for cell in marked if cell.verdict != "missing")
        failed = Counter(cell.value for cell in wrong)
        lost = _lost_steps(handed_in, failed)
        masks = {value: sum(self.bits[cell.place] for cell in wrong if cell.value is value) for value in lost}
        self.lost = [(masks[one], masks[other]) for other in lost for one in other.inputs if one in masks]
        if foreign := _foreign_products(handed_in, failed):
            mask = sum(self.bits[cell.place] for cell in wrong if cell.value in foreign or cell.value in masks)
            self.lost.append((mask, mask))
        self.behind: dict[Value, list[list[Mask]]] = {}
        self.found: set[Place] = set()

    def find(self) -> set[Place]:
        touched = {self.cells[place].value for place in self.bits}
        for value in self.own.sheet.hand:
            if value in touched or any(one in self.behind for one in value.inputs):
                rows, columns = value.shape
                self.behind[value] = [[self._visit(value, i, j) for j in range(columns)] for i in range(rows)]
        return {place for place in self.found if place in self.cells and self.cells[place].verdict == "follows"}

    def _visit(self, value: Value, row: int, column: int) -> Mask:
        place = value.path, row, column
        expression = value.cell(row, column)
        mask: Mask = 0
        for cell in cells(expression):
            if (known := self.behind.get(value.inputs[cell.operand])) is not None:
                mask |= known[cell.row][cell.column]
        if mask and self._may_be_trivial(value, row, column) and self._is_trivial(expression, value, mask):
            self.found.add(place)
        return mask | self.bits.get(place, 0)

    def _may_be_trivial(self, value: Value, row: int, column: int) -> bool:
        """Whether it follows, or is looked through: a missing number, or one that stands on no sheet."""
        step = self.own.steps.get(value)
        if step is None or step.is_left_out or self.own.is_missing(value, row, column):
            return step is not None
        cell = self.cells.get((value.path, row, column))
        return cell is not None and cell.verdict == "follows"

    def _is_trivial(self, expression: Expression, value: Value, mask: Mask) -> bool:
        if any(mask & one and mask & other for one, other in self.lost):
            return True
        return mask.bit_count() > _MOST and (self._vanishes(expression, value) or self._is_empty(expression, value))

    def _vanishes(self, expression: Expression, value: Value) -> bool:
        """Whether each product has a factor 0, one of them a wrong 0 or a trivial one."""
        products = list(_products(expression))
        zeros = [[part for part in one.factors if self._is_zero(part, value)] for one in products]
        return bool(products) and all(zeros) and any(self._is_nothing(part, value) for one in zeros for part in one)

    def _is_empty(self, expression: Expression, value: Value) -> bool:
        """Whether every number that it is computed from, given ones apart, is trivial or a wrong 0."""
        operands = [cell for cell in cells(expression) if value.inputs[cell.operand].operation is not None]
        return bool(operands) and all(self._is_nothing(cell, value) for cell in operands)

    def _is_zero(self, part: Expression, value: Value) -> bool:
        if isinstance(part, Cell):
            return bool(self.own.array(value.inputs[part.operand])[part.row, part.column] == 0)
        return isinstance(part, Number) and part.value == 0

    def _is_nothing(self, part: Expression, value: Value) -> bool:
        """Whether an operand is trivial, or a wrong 0."""
        if not isinstance(part, Cell):
            return False
        place = value.inputs[part.operand].path, part.row, part.column
        cell = self.cells.get(place)
        is_wrong_zero = cell is not None and cell.verdict == "wrong" and cell.answer.number == 0
        return place in self.found or is_wrong_zero


def _products(expression: Expression) -> list[Product]:
    """The outermost products of an expression."""
    if isinstance(expression, Product):
        return [expression]
    return [one for part in children(expression) for one in _products(part)]
