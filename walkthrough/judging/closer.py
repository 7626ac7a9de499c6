"""A closer look at one cell, by slopes over its whole expression down to what was printed, while there is patience."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.expressions.bounds.intervals import Interval
from walkthrough.expressions.bounds.tight import Patience, tight_interval
from walkthrough.expressions.tree.nodes import Expression
from walkthrough.judging.composition import Composition
from walkthrough.judging.recipes import copies
from walkthrough.judging.settled import settled_cell, settled_composite
from walkthrough.judging.spread import Spread
from walkthrough.recording.values import Value

_PATIENCE, _EACH = 60_000, 15_000
"""Parts of composed expressions that are looked at in one report, a second's worth, and for one number."""
_CUTS = 300

Made = tuple[Expression, Sequence[Value]]


class Closer:
    """Narrows the range of single cells; what it asks of a calculation, a composition asks of it."""

    def __init__(self, spread: Spread, patience: Patience | None = None) -> None:
        self.spread = spread
        self.patience = patience or Patience(_PATIENCE)
        self._too_large: set[Value] = set()

    def reaches(self, value: Value, row: int, column: int, wanted: Interval) -> bool:
        """Whether a cell can come out within an interval; True too where that takes too long to tell."""
        if value in self._too_large or self.patience.parts <= 0:
            return True
        composed = Composition(self)
        expression = composed.of(value, row, column)
        if expression is None:
            self._too_large.add(value)
            return True
        patience = Patience(min(_EACH, self.patience.parts))
        self.patience.parts -= patience.parts
        low, high = tight_interval(expression, composed.bounds, self.spread.roundoff, _CUTS, wanted, patience)
        self.patience.parts += patience.parts
        return low <= wanted[1] and wanted[0] <= high

    def cell(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell as the calculation goes on with it."""
        return self.spread.known(value).interval(row * value.shape[1] + column)

    def is_leaf(self, value: Value, row: int, column: int) -> bool:
        """Whether the author had this number before him: given, or printed."""
        return value.operation is None or self.spread.is_printed(value, row, column)

    def made(self, value: Value, row: int, column: int) -> Made:
        """How a cell is computed: in one go, unless the author may have stopped at a step within it."""
        if value.composite is None or self._stops_within(value, row):
            return settled_cell(value, row, column), value.inputs
        operation, inputs, settings = value.composite
        return settled_composite(operation, inputs, settings, row, column), inputs

    def off(self, value: Value, row: int, column: int) -> float:
        """How far rounding may have moved an unpublished number from what its operands give."""
        half = self.spread.known(value).half
        if half is None or self.is_leaf(value, row, column):
            return 0.0
        return float(half[row * value.shape[1] + column])

    def _stops_within(self, value: Value, row: int) -> bool:
        assert value.composite is not None
        outer = set(value.composite[1])
        waiting, inner = list(value.inputs), set()
        while waiting:
            step = waiting.pop()
            if step not in outer and step not in inner:
                inner.add(step)
                waiting += step.inputs
        printed = any(self.spread.is_printed(step, row) for step in inner)
        return printed or any(self.spread.freedom(step) is not None for step in inner if not copies(step))
