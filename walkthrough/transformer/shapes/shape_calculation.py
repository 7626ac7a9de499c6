"""The model over shapes: the same walk as over arrays, in which every matrix says its sizes and every part its wishes.

It checks a scenario, finds the shapes that its file leaves out, and records what `shapes` counts.
"""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations.definition import Array
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.shapes import ShapeRecorder, ShapeValue
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import Projection
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.calculation import BARE, Calculation, Labelled, Needed, Stream
from walkthrough.transformer.shapes.claims import Claims

_NOTHING = Kind("", "?", "", "")


class ShapeCalculation(Calculation):
    """One walk over the shapes of a scenario; what is wrong with it goes to the problems."""

    def __init__(self, scenario: Scenario, problems: Problems, most_numbers: float) -> None:
        super().__init__(scenario)
        self.problems = problems
        self.claims = Claims(problems, most_numbers)

    def given(
        self,
        recorder: Recorder,
        kind: Kind,
        matrix: Matrix | None,
        rows: Axis,
        columns: Axis,
        labels: Labelled = BARE,
        needed: Needed = None,
    ) -> Value | None:
        """Records a matrix by its axes, about which it says what it knows; one that is missing knows nothing."""
        if matrix is None:
            self._note_missing(needed, rows, columns)
        else:
            self.claims.claim(matrix, kind, rows, columns)
        return _shapes(recorder).of_axes(kind, (rows, columns), *labels, matrix)

    def vector(
        self, recorder: Recorder, kind: Kind, matrix: Matrix | None, axis: Axis, labels: Labels | None = None
    ) -> Value | None:
        """Records a bias, gamma or beta by its axis."""
        if matrix is None:
            return None
        one = Axis("1", 1)
        self.claims.claim(matrix, kind, one, axis, is_vector=True)
        return _shapes(recorder).of_axes(kind, (one, axis), None, labels, matrix)

    def share(
        self,
        recorder: Recorder,
        kinds: tuple[Kind, ...],
        part: Projection,
        at: int,
        x: Value,
        outward: Axis,
    ) -> tuple[Value, ...]:
        """Records a part of a joined weight and of its bias by their axes; the whole has claimed them."""
        shapes, inward = _shapes(recorder), x.axes[1]
        axes = (outward, inward) if self.out_in else (inward, outward)
        weight = shapes.of_axes(kinds[0], axes, matrix=part.weight)
        if part.bias is None:
            return (weight,)
        return weight, shapes.of_axes(kinds[1], (Axis("1", 1), outward), matrix=part.bias)

    def made(
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

    def joint_products(
        self, recorder: Recorder, attention: Attention, queries: Stream, keys: Stream | None
    ) -> dict[str, list[Array]]:
        """Nothing is multiplied here."""
        return {}

    def settle(self, matrix: Matrix | None, axis: Axis, likely: Axis) -> None:
        """Only a matrix that `init` makes is what it is likely to be; others say it themselves."""
        if matrix is not None and matrix.init is not None and axis.size is None:
            axis.join(likely)

    def unknown(self, axes: tuple[Axis, Axis]) -> Value | None:
        """A value without a name, of which nothing is known but its axes."""
        return ShapeValue("", _NOTHING, axes)

    def _note_missing(self, needed: Needed, rows: Axis, columns: Axis) -> None:
        if needed is None:
            return
        section, name, instead = needed
        if not section.has(name):
            message = f"{name} is missing: {rows.symbol}×{columns.symbol}{instead}"
            self.problems.add(section, message, key=section.key_of(name))


def _shapes(recorder: Recorder) -> ShapeRecorder:
    assert isinstance(recorder, ShapeRecorder)
    return recorder


def missing(problems: Problems, section: Section, name: str, what: str) -> None:
    """Notes that a key is missing, and what belongs there."""
    problems.add(section, f"{name} is missing: {what}", key=section.key_of(name))
