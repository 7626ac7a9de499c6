"""The model over shapes: the same walk as over arrays, in which every matrix says its sizes and every part its rules.

It checks a scenario, finds the shapes that its file leaves out, and records what `shapes` counts.
"""

from __future__ import annotations

import math

from walkthrough.recording.axes import Axis, Multiple
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import Calculation, Given, Numbers
from walkthrough.transformer.claims import Claims


class ShapeCalculation(Calculation):
    """One walk over the shapes of a scenario; what is wrong with it goes to the problems.

    trace:    the shapes of all values
    claims:   what the matrices of the file say of their sizes
    sections: the section that describes what is recorded under a prefix, such as `encoder.1.attention.`
    dropped:  what dropout acts on in training
    """

    is_checking = True

    def __init__(self, scenario: Scenario, problems: Problems | None = None, most_numbers: float = math.inf) -> None:
        super().__init__(scenario)
        self.problems = Problems() if problems is None else problems
        self.trace = Trace(scenario.spec.title)
        self.trace.has_numbers = False
        self.claims = Claims(self.problems, most_numbers)
        self.sections: dict[str, Section] = {}
        self.dropped: list[Value] = []
        self.drop = self._note_dropped

    def _note_dropped(self, recorder: Recorder, name: str, x: Value) -> Value:
        self.dropped.append(x)
        return x

    def numbers(self, matrix: Matrix | None) -> Numbers:
        """No numbers: a matrix is recorded by its axes."""
        return None, Source(None, matrix)  # type: ignore[return-value]

    def claim(self, kind: Kind, given: Given) -> None:
        """A matrix says what it knows of its axes; a joined one says it once."""
        matrix, (rows, columns), head_slice = given
        if matrix is None or (head_slice is not None and self.claims.of(matrix) is not None):
            return
        if head_slice is not None and given.is_sliced_by_rows(self.out_in):
            rows = Multiple(rows, head_slice.count, head_slice.heads)
        elif head_slice is not None:
            columns = Multiple(columns, head_slice.count, head_slice.heads)
        self.claims.claim(matrix, kind, rows, columns)

    def stated_axis(self, symbol: str, size: int | None = None) -> Axis:
        """An axis of the size that a key of the file or `dimensions` states, if one does."""
        axis, dimensions = Axis(symbol), self.spec.dimensions
        axis.settle(size)
        if dimensions is not None and symbol in dimensions.KEYS and getattr(dimensions, symbol) is not None:
            self.claims.state(axis, dimensions, symbol)
        return axis
