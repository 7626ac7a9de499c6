"""Numbers that are none: after an overflow, or a division of zero by zero."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from walkthrough.expressions.tree.nodes import Expression, Number
from walkthrough.expressions.tree.walk import cells, children
from walkthrough.judging.settled import settled_cell
from walkthrough.recording.values import Value


class Undefined:
    """Finds the cells that hold no number: nan, an overflow, or what is computed from such a cell.

    −∞ is a number where a score is hidden. `values`: in the order of the calculation
    """

    def __init__(self, values: Iterable[Value]) -> None:
        self._behind: dict[Value, bool] = {}
        self._finite: set[Value] = set()
        for value in values:
            before = any(self._behind.get(given, False) for given in value.inputs)
            if np.isfinite(value.array).all():
                self._finite.add(value)
                self._behind[value] = before
            else:
                self._behind[value] = before or (value.is_broken and not value.unknown) or _overflows(value)

    def is_free(self, value: Value) -> bool:
        """Whether every cell of a value holds a number, and is computed from numbers alone."""
        return not self._behind.get(value, False) and (value in self._finite or not np.isnan(value.array).any())

    def __call__(self, value: Value, row: int, column: int) -> bool:
        """Whether this cell holds none."""
        if not self._behind.get(value, False):
            return math.isnan(value.array[row, column])  # an unknown number
        waiting, seen = [(value, row, column)], set()
        while waiting:
            step, i, j = at = waiting.pop()
            if at in seen:
                continue
            seen.add(at)
            if math.isnan(step.array[i, j]) or step.array[i, j] == math.inf or _overflows(step, i, j):
                return True
            if step.operation is not None and self._behind[step]:
                inputs = step.inputs
                waiting += [(inputs[cell.operand], cell.row, cell.column) for cell in cells(settled_cell(step, i, j))]
        return False


def _overflows(value: Value, row: int | None = None, column: int = 0) -> bool:
    """Whether a value, or one cell of it, is −∞ although nothing that goes into it is."""
    infinite = np.isneginf(value.array)
    if value.operation is None or not infinite.any():
        return False
    if row is None:
        return any(_overflows(value, int(i), int(j)) for i, j in np.argwhere(infinite))
    if not infinite[row, column]:
        return False
    expression = value.cell(row, column)
    operands = [value.inputs[cell.operand].array[cell.row, cell.column] for cell in cells(expression)]
    return not np.isinf(operands).any() and not _names_infinity(expression)


def _names_infinity(expression: Expression) -> bool:
    """Whether −∞ stands in the expression itself, as it does where a score is hidden."""
    if isinstance(expression, Number):
        return math.isinf(expression.value)
    return any(map(_names_infinity, children(expression)))
