"""A cell's expression down to printed and given numbers: what was not printed is replaced by its own expression, and
what its rounding may have been."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from walkthrough.expressions.bounds.intervals import Interval
from walkthrough.expressions.tree.nodes import Cell, Expression, Number, Sum
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.recording.values import Value

_LARGEST = 800
"""Parts of a composed expression; a larger one is not worth its time."""
_DEEPEST = 16
"""Steps that are composed one into the other; what lies behind them goes in as an interval."""


class Known(Protocol):
    """What a composition asks of the calculation."""

    def cell(self, value: Value, row: int, column: int) -> Interval: ...
    def is_leaf(self, value: Value, row: int, column: int) -> bool: ...
    def made(self, value: Value, row: int, column: int) -> tuple[Expression, Sequence[Value]]: ...
    def off(self, value: Value, row: int, column: int) -> float: ...


class Composition:
    """Composes one expression; its leaves are cells of one operand, row by row.

    parts: the parts that it has
    """

    def __init__(self, known: Known) -> None:
        self.known = known
        self.leaves: list[Interval] = []
        self.parts = 0
        self._cells: dict[tuple[Value, int, int], Expression] = {}

    def bounds(self, leaf: Cell) -> Interval:
        """The interval of a leaf."""
        return self.leaves[leaf.row]

    def of(self, value: Value, row: int, column: int) -> Expression | None:
        """The composed expression; None where it would be too large."""
        step, inputs = self.known.made(value, row, column)
        try:
            return self._replaced(step, inputs, {})
        except _TooLarge:
            return None

    def _cell(self, value: Value, row: int, column: int, depth: int) -> Expression:
        key = value, row, column
        if key not in self._cells:
            if depth > _DEEPEST or self.known.is_leaf(value, row, column):
                self._cells[key] = self._leaf(self.known.cell(value, row, column))
            else:
                step, inputs = self.known.made(value, row, column)
                computed = self._replaced(step, inputs, {}, depth)
                off = self.known.off(value, row, column)
                self._cells[key] = Sum((computed, self._leaf((-off, off)))) if off else computed
        return self._cells[key]

    def _leaf(self, interval: Interval) -> Expression:
        if interval[0] == interval[1]:
            return Number(interval[0])
        self.leaves.append(interval)
        return Cell(0, len(self.leaves) - 1, 0)

    def _replaced(
        self, node: Expression, inputs: Sequence[Value], done: dict[int, Expression], depth: int = 0
    ) -> Expression:
        """The node with its cells replaced; what it shares stays shared."""
        if isinstance(node, Cell):
            return self._cell(inputs[node.operand], node.row, node.column, depth + 1)
        if id(node) not in done:
            self.parts += 1
            if self.parts > _LARGEST:
                raise _TooLarge
            parts = [self._replaced(child, inputs, done, depth) for child in children(node)]
            done[id(node)] = with_children(node, parts)
        return done[id(node)]


class _TooLarge(Exception):  # noqa: N818
    """The composed expression has too many parts."""
