"""The model over shapes: the same walk as over arrays, in which every matrix says its sizes and every part its rules.

It checks a scenario, finds the shapes that its file leaves out, and records what `shapes` counts.
"""

from __future__ import annotations

from walkthrough.recording.axes import AnyAxis, Axis, Multiple
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.shapes import ShapeValue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import Projection
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import Calculation, Given, Numbers
from walkthrough.transformer.claims import Claims

_NOTHING = Kind("", "?", "")


class ShapeReport(Record):
    """What a walk over shapes has found.

    claims:   what the matrices of the file say of their sizes
    sections: the section that describes what is recorded under a prefix, such as `encoder.1.attention.`
    dropped:  what dropout acts on in training
    out_in:   weights are out×in
    """

    trace: Trace
    claims: Claims
    sections: dict[str, Section]
    dropped: list[Value]
    out_in: bool


class ShapeCalculation(Calculation):
    """One walk over the shapes of a scenario; what is wrong with it goes to the problems."""

    is_checking = True

    def __init__(self, scenario: Scenario, problems: Problems, most_numbers: float) -> None:
        super().__init__(scenario)
        self.problems = problems
        self.claims = Claims(problems, most_numbers)
        self.sections: dict[str, Section] = {}
        self.dropped: list[Value] = []
        self.drop = self._note_dropped

    def report(self, trace: Trace) -> ShapeReport:
        """What has been found, once the walk has filled the trace."""
        return ShapeReport(trace, self.claims, self.sections, self.dropped, self.out_in)

    def enter(self, recorder: Recorder, section: Section) -> None:
        """Notes which section describes what is recorded here."""
        self.sections[recorder.prefix] = section

    def _note_dropped(self, recorder: Recorder, name: str, x: Value) -> Value:
        self.dropped.append(x)
        return x

    def numbers(self, matrix: Matrix | None) -> Numbers:
        """No numbers: a matrix is recorded by its axes."""
        return None, Source(None, matrix)  # type: ignore[return-value]

    def claim(self, kind: Kind, given: Given) -> None:
        """A matrix says what it knows of its axes; a joined one says it once, and one that is missing is noted."""
        matrix, (rows, columns), head_slice = given.matrix, given.axes, given.head_slice
        if matrix is None:
            if given.needed is not None:
                self._note_missing(*given.needed, rows, columns)
        elif head_slice is None:
            self.claims.claim(matrix, kind, rows, columns, given.is_vector)
        elif self.claims.of(matrix) is None:
            by_rows = self.out_in and not given.is_vector
            own = rows if by_rows else columns
            assert isinstance(own, Axis)
            joined = Multiple(own, head_slice.count, head_slice.heads)
            rows, columns = (joined, columns) if by_rows else (rows, joined)
            self.claims.claim(matrix, kind, rows, columns, given.is_vector)

    def stated_axis(self, symbol: str, size: int | None = None) -> Axis:
        """An axis of the size that a key of the file or `dimensions` states, if one does."""
        axis, dimensions = Axis(symbol), self.spec.dimensions
        axis.settle(size)
        if dimensions is not None and symbol in dimensions.KEYS and getattr(dimensions, symbol) is not None:
            self.claims.state(axis, dimensions, symbol)
        return axis

    def settle_default(self, matrix: Matrix | None, axis: Axis, default: Axis) -> None:
        """Only a matrix that `init` makes is what it is likely to be; others say it themselves."""
        if isinstance(matrix, Matrix) and matrix.init is not None and axis.size is None:
            axis.join(default)

    def settle_width(self, part: Projection, width: Axis, d_k: Axis, d_model: Axis, count: int) -> None:
        """Heads divide d_model evenly, as in the paper; the values of joined weights are as wide as the keys."""
        if part.weight is None or part.weight.init is None or width.size is not None:
            return
        if part.slice is not None and d_k.size is not None:
            width.settle(d_k.size)
        elif d_model.size is not None and d_model.size % count == 0:
            width.settle(d_model.size // count)

    def unknown_value(self, axes: tuple[Axis, Axis]) -> Value | None:
        """A value without a name, of which nothing is known but its axes."""
        return ShapeValue("", _NOTHING, axes)

    def _note_missing(self, section: Section, name: str, instead: str, rows: AnyAxis, columns: AnyAxis) -> None:
        if not section.has(name):
            message = f"{name} is missing: {rows.symbol}×{columns.symbol}{instead}"
            self.problems.add(section, message, key=section.key_of(name))
