"""The model over shapes: the same walk as over arrays, in which every matrix says its sizes and every part its rules.

It checks a scenario, finds the shapes that its file leaves out, and records what `shapes` counts.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.definition import Array
from walkthrough.recording.axes import Axis, Multiple
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.shapes import ShapeRecorder, ShapeValue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value
from walkthrough.records import Record
from walkthrough.scenario.resolved import Projection, Share
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import BARE, Calculation, Labelled, Needed
from walkthrough.transformer.claims import Claims

_NOTHING = Kind("", "?", "")


class Walk(Record):
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

    def walk(self, trace: Trace) -> Walk:
        """What has been found, once the walk has filled the trace."""
        return Walk(trace, self.claims, self.sections, self.dropped, self.out_in)

    def enter(self, recorder: Recorder, section: Section) -> None:
        """Notes which section describes what is recorded here."""
        self.sections[recorder.prefix] = section

    def _note_dropped(self, recorder: Recorder, name: str, x: Value) -> Value:
        self.dropped.append(x)
        return x

    def record_given(
        self,
        recorder: Recorder,
        kind: Kind,
        matrix: Matrix | Share | None,
        rows: Axis,
        columns: Axis,
        labels: Labelled = BARE,
        needed: Needed = None,
        is_vector: bool = False,
    ) -> Value:
        """Records a matrix by its axes, about which it says what it knows; one that is missing knows nothing."""
        whole = matrix.whole if isinstance(matrix, Share) else matrix
        if isinstance(matrix, Share):
            self._claim_whole(matrix, kind, rows, columns, is_vector)
        elif matrix is not None:
            self.claims.claim(matrix, kind, rows, columns, is_vector)
        elif needed is not None:
            self._note_missing(*needed, rows, columns)
        return _shapes(recorder).of_axes(kind, (rows, columns), *labels, whole, is_shared=True)

    def record_whole(
        self, recorder: Recorder, kind: Kind, matrix: Matrix | Share, axes: tuple[Axis, Axis], labels: Labelled = BARE
    ) -> Value:
        """Records a matrix by its axes, or by those of all heads together."""
        if isinstance(matrix, Matrix):
            return self.record_given(recorder, kind, matrix, *axes, labels, is_vector=matrix.is_vector)
        self._claim_whole(matrix, kind, *axes, is_vector=matrix.whole.is_vector)
        claim = self.claims.of(matrix.whole)
        assert claim is not None
        rows, columns = (Axis(axis.symbol, axis.size) for axis in (claim.rows, claim.columns))
        return _shapes(recorder).of_axes(kind, (rows, columns), matrix=matrix.whole, is_shared=True)

    def _claim_whole(self, share: Share, kind: Kind, rows: Axis, columns: Axis, is_vector: bool) -> None:
        """A joined matrix claims once: one of its axes is that of all heads, side by side."""
        if self.claims.of(share.whole) is not None:
            return
        own = rows if self.out_in and not is_vector else columns
        symbol = f"({share.heads}·{own.symbol})" if share.count > 1 else own.symbol
        if own.symbol == "1":
            symbol = share.heads
        all_heads = Multiple(own, share.count, symbol)
        whole_rows, whole_columns = (all_heads, columns) if own is rows else (rows, all_heads)
        self.claims.claim(share.whole, kind, whole_rows, whole_columns, is_vector)

    def record_made(
        self,
        recorder: Recorder,
        kind: Kind,
        make: Callable[[], Array],
        axes: tuple[Axis, Axis],
        labels: Labelled = BARE,
        matrix: Matrix | None = None,
        fresh: bool = False,
    ) -> Value:
        """Records what would be made by its axes."""
        if matrix is not None:
            self.claims.claim(matrix, kind, *axes)
        return _shapes(recorder).of_axes(kind, axes, *labels, matrix, fresh)

    def stated_axis(self, symbol: str, size: int | None = None) -> Axis:
        """An axis of the size that a key of the file or `dimensions` states, if one does."""
        axis, dimensions = Axis(symbol), self.spec.dimensions
        axis.settle(size)
        if dimensions is not None and symbol in dimensions.KEYS and getattr(dimensions, symbol) is not None:
            self.claims.state(axis, dimensions, symbol)
        return axis

    def settle_default(self, matrix: Matrix | Share | None, axis: Axis, default: Axis) -> None:
        """Only a matrix that `init` makes is what it is likely to be; others say it themselves."""
        if isinstance(matrix, Matrix) and matrix.init is not None and axis.size is None:
            axis.join(default)

    def settle_share(self, part: Projection, width: Axis, d_k: Axis, d_model: Axis, count: int) -> None:
        """Heads share d_model evenly, as in the paper; the values of joined weights are as wide as the keys."""
        weight = part.weight
        whole = weight.whole if isinstance(weight, Share) else weight
        if whole is None or whole.init is None or width.size is not None:
            return
        if isinstance(weight, Share) and d_k.size is not None:
            width.settle(d_k.size)
        elif d_model.size is not None and d_model.size % count == 0:
            width.settle(d_model.size // count)

    def unknown_value(self, axes: tuple[Axis, Axis]) -> Value | None:
        """A value without a name, of which nothing is known but its axes."""
        return ShapeValue("", _NOTHING, axes)

    def _note_missing(self, section: Section, name: str, instead: str, rows: Axis, columns: Axis) -> None:
        if not section.has(name):
            message = f"{name} is missing: {rows.symbol}×{columns.symbol}{instead}"
            self.problems.add(section, message, key=section.key_of(name))


def _shapes(recorder: Recorder) -> ShapeRecorder:
    assert isinstance(recorder, ShapeRecorder)
    return recorder
