"""Numbers that are none: after an overflow, or a division of zero by zero."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from walkthrough.expressions.tree.nodes import Expression, Number
from walkthrough.expressions.tree.walk import cells, children
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.values import Value


def without_overflows(values: Iterable[Value]) -> Recalculation:
    """The calculation with nan for each overflow, which leaves no number to go on with, and all that comes of it.

    −∞ is a number where a score is hidden. `values`: in the order of the calculation
    """
    found = Recalculation()
    for value in values:
        overflowed = np.isposinf(value.array) if value.operation is not None else np.zeros(value.shape, dtype=bool)
        for row, column in np.argwhere(np.isneginf(value.array)):
            overflowed[row, column] = _overflows(value, int(row), int(column))
        if overflowed.any():
            found.give(value, np.full(value.shape, np.nan), overflowed)
    return found


def _overflows(value: Value, row: int, column: int) -> bool:
    """Whether a cell is −∞ although nothing that goes into it is."""
    if value.operation is None:
        return False
    expression = value.cell(row, column)
    operands = [value.inputs[cell.operand].array[cell.row, cell.column] for cell in cells(expression)]
    return not np.isinf(operands).any() and not _names_infinity(expression)


def _names_infinity(expression: Expression) -> bool:
    """Whether the expression itself contains −∞, as it does where a score is hidden."""
    if isinstance(expression, Number):
        return math.isinf(expression.value)
    return any(map(_names_infinity, children(expression)))
