"""What people look up before they go on, and may round: √d_k, sine and cosine of a rotation, a sigmoid inside SiLU."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.aliases import Array
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.looked_up import is_root, is_sigmoid
from walkthrough.expressions.tree.nodes import Cell, Expression, Number
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

_FUNCTIONS = ("sin", "cos", "tanh", "erf")
Values = Callable[[Cell], float]


def shifts(value: Value, digits: Digits) -> tuple[Array, Array]:
    """How far down and up each number of a step moves where some of what is looked up is rounded first."""
    low, high = np.zeros(value.shape), np.zeros(value.shape)
    for row, column in np.ndindex(value.shape):
        moved = list(_moved(value.cell(row, column), digits, lambda cell: _number(value, cell)))
        if not moved:  # the cells of a step are alike
            break
        low[row, column], high[row, column] = min(0.0, *moved), max(0.0, *moved)
    return low, high


def _number(value: Value, cell: Cell) -> float:
    return float(value.inputs[cell.operand].array[cell.row, cell.column])


def _moved(node: Expression, digits: Digits, values: Values) -> Iterator[float]:
    """By how much the number changes with each of the looked up ones rounded, and with all of them."""
    found = [one for child in children(node) for one in _looked_up(child)]
    for chosen in (*([one] for one in found), found) if found else ():
        rounded = {id(one): Number(float(digits.round(np.array(evaluate(one, values))))) for one in chosen}
        shift = evaluate(_replaced(node, rounded), values) - evaluate(node, values)
        yield shift if math.isfinite(shift) else 0.0


def _looked_up(node: Expression) -> Iterator[Expression]:
    """The outermost parts of an expression that a person has from a calculator."""
    if _is_function(node) or is_root(node) or is_sigmoid(node):
        yield node
        return
    for child in children(node):
        yield from _looked_up(child)


def _is_function(node: Expression) -> bool:
    return isinstance(node, nodes.Call) and node.function in _FUNCTIONS


def _replaced(node: Expression, by: dict[int, Number]) -> Expression:
    if id(node) in by:
        return by[id(node)]
    return with_children(node, [_replaced(child, by) for child in children(node)])
