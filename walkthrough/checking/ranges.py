"""What a calculation from the published numbers could have given: an interval for every cell, computed when asked for.

Two calculations are followed. `published` goes on with the numbers as printed, right or wrong; `right` puts the right
number in the place of each that was found wrong. Where nothing is wrong they are the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from walkthrough.checking.composition import Composition
from walkthrough.checking.digits import Printed
from walkthrough.expressions.intervals import ANY, FLOAT64, Arithmetic, Bounds, Interval, intersection
from walkthrough.expressions.nodes import Cell, Expression
from walkthrough.expressions.tight import tight_interval
from walkthrough.expressions.walk import cells
from walkthrough.recording.values import Value

_CARRIED_EXACTLY = 1e-12
"""A printed number this near to the exact value, relatively, is carried on without a margin."""

_PARTS = 100_000
"""Parts of composed expressions in one calculation, some seconds' worth; then each step is narrowed by itself."""
_CUTS = 300

CellKey = tuple[int, int, int]
Made = tuple[Expression, Sequence[Value]]


class Ranges:
    """The intervals of one of the two calculations.

    margins:   the margin of each given number by its path, where inputs are rounded prints
    roundoff:  the unit roundoff of the author's arithmetic
    tight:     narrow the intervals by slopes over composed expressions, which takes its time
    """

    def __init__(self, margins: dict[str, float], roundoff: float = FLOAT64, tight: bool = True) -> None:
        self.margins = margins
        self.roundoff = roundoff
        self.tight = tight
        self._printed: dict[CellKey, Interval] = {}
        self._known: dict[CellKey, Interval] = {}
        self._made: dict[CellKey, Made] = {}
        self._printed_rows: set[tuple[int, int]] = set()
        self._room = _PARTS
        self._uncertain: dict[int, bool] = {}
        self._uncertain_inputs: dict[int, bool] = {}

    def carry(self, value: Value, row: int, column: int, printed: Printed, exact: float, right: bool) -> None:
        """Goes on with a printed number, or with the right number in its place."""
        number = exact if right else printed.value
        interval = printed.around(number)
        if self.roundoff <= FLOAT64:  # a coarser arithmetic has few exact numbers
            if right and printed.holds(exact):
                interval = exact, exact
            if not right and abs(number - exact) <= _CARRIED_EXACTLY * abs(exact):
                interval = min(number, exact), max(number, exact)
        self._printed[id(value), row, column] = interval
        if interval[1] - interval[0] > _CARRIED_EXACTLY * abs(exact):
            self._uncertain[id(value)] = True
        self._printed_rows.add((id(value), row))

    def cell(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell: as printed, or computed from what is before it."""
        key = id(value), row, column
        if key in self._printed:
            return self._printed[key]
        if key not in self._known:
            self._prepare(value, row, column)
            self._known[key] = self._interval(value, row, column)
        return self._known[key]

    def is_leaf(self, value: Value, row: int, column: int) -> bool:
        """Whether the author had this number before him: given, or printed."""
        return value.operation is None or (id(value), row, column) in self._printed

    def computed(self, value: Value, row: int, column: int, operands: int | None = None) -> Interval:
        """The interval of a cell computed from its operands, whatever was printed for it itself.

        operands: they were rounded to so many decimals first
        """
        self._prepare(value, row, column)
        if operands is None or value.operation is None:
            return self._interval(value, row, column)
        extra = 0.5 * 10.0**-operands
        return Arithmetic(self._bounds(value.inputs, extra), self.roundoff).interval(value.cell(row, column))

    def reaches(self, value: Value, row: int, column: int, wanted: Interval) -> bool:
        """Whether a cell can come out within an interval, looked at with all patience."""
        composed = Composition(self, _PARTS)
        expression = composed.of(value, row, column)
        bounds: Bounds = composed.bounds
        if expression is None:
            expression, inputs = self.made(value, row, column)
            bounds = self._bounds(inputs)
        low, high = tight_interval(expression, bounds, self.roundoff, _CUTS, wanted)
        return low <= wanted[1] and wanted[0] <= high

    def made(self, value: Value, row: int, column: int) -> Made:
        """How a cell is computed: by the operation as a whole, unless a step within it was printed for this row."""
        key = id(value), row, column
        if key not in self._made:
            if value.composite is None or self._inner_printed(value, row):
                self._made[key] = value.cell(row, column), value.inputs
            else:
                operation, inputs, settings = value.composite
                shapes = (given.shape for given in inputs)
                self._made[key] = operation.cell(row, column, *shapes, **settings), inputs
        return self._made[key]

    def _prepare(self, value: Value, row: int, column: int) -> None:
        """Computes what this cell is computed from, the first first: a long chain is not followed in one recursion."""
        waiting = [(value, row, column)]
        while waiting:
            missing = list(self._missing(*waiting[-1])) if self._depends(waiting[-1][0]) else []
            waiting += missing
            if not missing:
                done = waiting.pop()
                if waiting:
                    self._known[id(done[0]), done[1], done[2]] = self._interval(*done)

    def _missing(self, value: Value, row: int, column: int) -> Iterator[tuple[Value, int, int]]:
        if value.operation is None:
            return
        step, inputs = self.made(value, row, column)
        for at in dict.fromkeys(cells(step)):
            key = id(inputs[at.operand]), at.row, at.column
            if key not in self._printed and key not in self._known:
                yield inputs[at.operand], at.row, at.column

    def _interval(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell whose operands are known."""
        if value.operation is None:
            return self._given(value, row, column)
        if not self._depends(value):
            return _around(value, row, column)
        step, inputs = self.made(value, row, column)
        bounds = self._bounds(inputs)
        plain = Arithmetic(bounds, self.roundoff).interval(step)
        if not self.tight or plain[0] == plain[1] or not math.isfinite(plain[1] - plain[0]):
            return plain
        narrow = tight_interval(step, bounds, self.roundoff)
        composed = Composition(self, self._room)
        whole = composed.of(value, row, column)
        self._room -= composed.parts
        if whole is not None:
            narrow = intersection(narrow, tight_interval(whole, composed.bounds, self.roundoff))
        return intersection(plain, narrow)

    def _bounds(self, inputs: Sequence[Value], extra: float = 0.0) -> Bounds:
        def bounds(cell: Cell) -> Interval:
            low, high = self.cell(inputs[cell.operand], cell.row, cell.column)
            is_whole = low == high and low.is_integer()  # a mask, say: rounding leaves it as it is
            return (low, high) if is_whole else (low - extra, high + extra)

        return bounds

    def _depends(self, value: Value) -> bool:
        """Whether anything uncertain goes into a value: a number with a margin, or the roundings of float32."""
        if self.roundoff > FLOAT64 or value.unknown:
            return True
        waiting = [value]
        while waiting:
            step = waiting[-1]
            missing = [given for given in step.inputs if id(given) not in self._uncertain_inputs]
            waiting += missing
            if not missing:
                self._uncertain_inputs[id(waiting.pop())] = any(map(self._is_uncertain, step.inputs))
        return self._uncertain_inputs[id(value)]

    def _is_uncertain(self, value: Value) -> bool:
        margin = self.margins.get(value.path, 0.0) > 0
        return margin or self._uncertain.get(id(value), False) or self._uncertain_inputs[id(value)]

    def _given(self, value: Value, row: int, column: int) -> Interval:
        number = float(value.array[row, column])
        if math.isnan(number):
            return ANY
        margin = self.margins.get(value.path, 0.0)
        if self.roundoff > FLOAT64:
            margin += abs(number) * self.roundoff  # the author's program rounded its inputs too
        return (number - margin, number + margin) if math.isfinite(number) else (number, number)

    def _inner_printed(self, value: Value, row: int) -> bool:
        """Whether any step between the whole operation's inputs and this value was printed for this row."""
        assert value.composite is not None
        outer = {id(given) for given in value.composite[1]}
        waiting, inner = list(value.inputs), set()
        while waiting:
            step = waiting.pop()
            if id(step) not in outer and id(step) not in inner:
                inner.add(id(step))
                waiting += step.inputs
        return any((identity, row) in self._printed_rows for identity in inner)


def _around(value: Value, row: int, column: int) -> Interval:
    """A number that nothing uncertain goes into, as near as float64 knows it."""
    number = float(value.array[row, column])
    if not math.isfinite(number):
        return (number, number) if math.isinf(number) else ANY
    line = value.array[row]
    slack = _CARRIED_EXACTLY * abs(number) + 1e-14 * (10 + float(abs(line[abs(line) < 1e4]).max(initial=0.0)))
    return number - slack, number + slack
