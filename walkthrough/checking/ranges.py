"""What a calculation from the published numbers could have given: an interval for every cell, computed when asked for.

Two calculations are followed. `published` goes on with the numbers as printed, right or wrong; `right` puts the right
number in the place of each that was found wrong. Where nothing is wrong they are the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from walkthrough.checking.digits import Printed
from walkthrough.expressions.intervals import ANY, FLOAT64, Arithmetic, Bounds, Interval, intersection
from walkthrough.expressions.nodes import Cell, Expression, Number
from walkthrough.expressions.tight import tight_interval
from walkthrough.expressions.walk import children, with_children
from walkthrough.recording.values import Value

_CARRIED_EXACTLY = 1e-12
"""A printed number this near to the exact value, relatively, is carried on without a margin."""


class Ranges:
    """The intervals of one of the two calculations.

    given:     the margin of a given number (path, row, column), where inputs are rounded prints
    roundoff:  the unit roundoff of the author's arithmetic
    """

    def __init__(self, margins: dict[str, list[list[float]]], roundoff: float = FLOAT64) -> None:
        self.margins = margins
        self.roundoff = roundoff
        self._printed: dict[tuple[int, int, int], Interval] = {}
        self._known: dict[tuple[int, int, int], Interval] = {}

    def carry(self, value: Value, row: int, column: int, printed: Printed, exact: float, right: bool) -> None:
        """Goes on with a printed number, or with the right number in its place."""
        number = exact if right else printed.value
        if not right and abs(number - exact) <= _CARRIED_EXACTLY * abs(exact):
            interval = (exact, exact)
        else:
            interval = printed.around(number)
        self._printed[id(value), row, column] = interval

    def cell(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell: as printed, or computed from what is before it."""
        key = id(value), row, column
        if key in self._printed:
            return self._printed[key]
        if key not in self._known:
            self._known[key] = self.computed(value, row, column)
        return self._known[key]

    def is_printed(self, value: Value, row: int, column: int) -> bool:
        """Whether the author printed this number."""
        return (id(value), row, column) in self._printed

    def computed(self, value: Value, row: int, column: int, operands: int | None = None) -> Interval:
        """The interval of a cell computed from its operands, whatever was printed for it itself.

        operands: they were rounded to so many decimals first
        """
        if value.operation is None:
            return self._given(value, row, column)
        if operands is not None:
            extra = 0.5 * 10.0**-operands
            return Arithmetic(self._bounds(value.inputs, extra), self.roundoff).interval(value.cell(row, column))
        step, inputs = self._step(value, row, column)
        interval = Arithmetic(self._bounds(inputs), self.roundoff).interval(step)
        composed = _Composition(self)
        whole = composed.of(value, row, column)
        if whole is None:
            return interval
        low, high = tight_interval(whole, composed.bounds)
        if self.roundoff > FLOAT64:  # the author's roundings: as much as they widen the plain interval, and again
            exact = Arithmetic(self._bounds(inputs)).interval(step)
            low, high = low - 2 * abs(exact[0] - interval[0]), high + 2 * abs(interval[1] - exact[1])
        return intersection(interval, (low, high))

    def _bounds(self, inputs: Sequence[Value], extra: float = 0.0) -> Bounds:
        def bounds(cell: Cell) -> Interval:
            low, high = self.cell(inputs[cell.operand], cell.row, cell.column)
            return low - extra, high + extra

        return bounds

    def _step(self, value: Value, row: int, column: int) -> tuple[Expression, Sequence[Value]]:
        """How a cell is computed: by the operation as a whole, unless a step within it was printed."""
        if value.whole is None or self._inner_printed(value):
            return value.cell(row, column), value.inputs
        operation, inputs, settings = value.whole
        return operation.cell(row, column, *(given.array for given in inputs), **settings), inputs

    def _given(self, value: Value, row: int, column: int) -> Interval:
        number = float(value.array[row, column])
        if math.isnan(number):
            return ANY
        margins = self.margins.get(value.path)
        margin = margins[row][column] if margins else 0.0
        if self.roundoff > FLOAT64:
            margin += abs(number) * self.roundoff  # the author's program rounded its inputs too
        return number - margin, number + margin

    def _inner_printed(self, value: Value) -> bool:
        """Whether any step between the whole operation's inputs and this value was printed."""
        assert value.whole is not None
        outer = {id(given) for given in value.whole[1]}
        open_values, inner = list(value.inputs), set()
        while open_values:
            step = open_values.pop()
            if id(step) not in outer and id(step) not in inner:
                inner.add(id(step))
                open_values += step.inputs
        return any(identity in inner for identity, _, _ in self._printed)


_LARGEST = 4000
"""Parts of a composed expression; a larger one is not worth its time."""


class _Composition:
    """A cell's expression down to printed and given numbers: what was not printed is replaced by its own expression."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.leaves: dict[Cell, Interval] = {}
        self._known: dict[tuple[int, int, int], Expression] = {}
        self._room = _LARGEST

    def bounds(self, leaf: Cell) -> Interval:
        """The interval of a leaf."""
        return self.leaves[leaf]

    def of(self, value: Value, row: int, column: int) -> Expression | None:
        """The composed expression; None where it would be too large."""
        try:
            return self._computed(value, row, column)
        except _TooLarge:
            return None

    def _computed(self, value: Value, row: int, column: int) -> Expression:
        step, inputs = self.ranges._step(value, row, column)
        return self._replaced(step, inputs, {})

    def _cell(self, value: Value, row: int, column: int) -> Expression:
        key = id(value), row, column
        if key not in self._known:
            if value.operation is not None and not self.ranges.is_printed(value, row, column):
                self._known[key] = self._computed(value, row, column)
            else:
                self._known[key] = self._leaf(self.ranges.cell(value, row, column))
        return self._known[key]

    def _leaf(self, interval: Interval) -> Expression:
        if interval[0] == interval[1]:
            return Number(interval[0])
        leaf = Cell(0, len(self.leaves), 0)
        self.leaves[leaf] = interval
        return leaf

    def _replaced(self, node: Expression, inputs: Sequence[Value], done: dict[int, Expression]) -> Expression:
        """The node with its cells replaced; what it shares stays shared."""
        if isinstance(node, Cell):
            return self._cell(inputs[node.operand], node.row, node.column)
        if id(node) not in done:
            self._room -= 1
            if self._room < 0:
                raise _TooLarge
            done[id(node)] = with_children(node, [self._replaced(child, inputs, done) for child in children(node)])
        return done[id(node)]


class _TooLarge(Exception):  # noqa: N818
    """The composed expression has too many parts."""
