"""What every part of the model shares in one calculation: the scenario's conventions and its matrices as values.

The model is described once. Run with a `Calculation` it is calculated over arrays; run with a `ShapeCalculation`
it is walked through over shapes (shapes.py), which checks a scenario, infers what it leaves out and counts. What the
parts require is looked at there alone; over arrays, all of that has been checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import linear, linear_out_in
from walkthrough.recording.axes import Axes, Axis, Multiple
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Origin, Source, Value
from walkthrough.scenario.resolved import HeadPlan, heads_of
from walkthrough.scenario.scenario import Scenario, numbers_of
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.tensors.arrays import origin_of
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.claims import Claims
from walkthrough.transformer.dropout import no_dropout

Numbers = tuple[Array, Source]
"""The numbers of a matrix, and where they come from."""


class Calculation:
    """One calculation of a scenario over arrays."""

    is_checking = False
    problems: Problems
    claims: Claims
    sections: dict[str, Section]

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.spec = scenario.spec
        self.has_examples = scenario.example is not None
        self.out_in = scenario.spec.matrix_convention == "column"
        self.linear: Operation = linear_out_in if self.out_in else linear
        self.drop: Callable[[Recorder, str, Value], Value] = no_dropout
        self._arrays: dict[Matrix, Array] = scenario.arrays
        self._numbers: dict[Matrix, Numbers] = {}
        self._heads: dict[Attention, list[HeadPlan]] = {}

    def array(self, matrix: Matrix) -> Array:
        """The numbers of a matrix of the scenario; made once, however often the scenario is traced."""
        array = self._arrays.get(matrix)
        if array is None:
            array = self._arrays[matrix] = numbers_of(matrix, self.scenario, self.scenario.sparing)
        return array

    def numbers(self, matrix: Matrix | None) -> Numbers:
        """The numbers of a matrix, and where they come from; looked at once."""
        assert matrix is not None
        found = self._numbers.get(matrix)
        if found is None:
            made_by, written = origin_of(matrix, self.spec.weights_file), self.scenario.written.get(matrix)
            origin = Origin(*made_by) if made_by else None
            found = self._numbers[matrix] = self.array(matrix), Source(origin, matrix, written)
        return found

    def claim(self, kind: Kind, matrix: Matrix | None, axes: Axes) -> None:
        """A matrix says the sizes of its axes; over arrays they are known."""

    def keeps(self, sequence: TokenSequence) -> bool:
        """Whether keys and values of this sequence, and those that it attends to, are kept for later passes."""
        generate = self.spec.generate
        if generate is None or not generate.cache:
            return False
        return sequence.owner is (self.scenario.target or self.scenario.sequence).owner

    def heads(self, attention: Attention) -> list[HeadPlan]:
        """The heads of an attention; looked at once."""
        if attention not in self._heads:
            self._heads[attention] = heads_of(attention, self.spec.dimensions)
        return self._heads[attention]

    def stated_axis(self, symbol: str, size: int | None = None) -> Axis:
        """An axis that the scenario may state the size of (`dimensions`); over arrays the arrays have it.

        size: what another key of the file says of it
        """
        return Axis(symbol)

    def is_tied(self, sequence: TokenSequence) -> bool:
        """Whether the embedding table of a sequence is the output head's weight too."""
        head, last = self.spec.output_head, self.scenario.target or self.scenario.sequence
        return head is not None and head.tied and sequence.embeddings is last.embeddings


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

    def claim(self, kind: Kind, matrix: Matrix | None, axes: Axes) -> None:
        """A matrix says what it knows of its axes; a joined one, of which a head takes a slice, says it once."""
        is_slice = any(isinstance(axis, Multiple) and axis.at is not None for axis in axes)
        if matrix is not None and not (is_slice and self.claims.of(matrix)):
            self.claims.claim(matrix, kind, *axes)

    def stated_axis(self, symbol: str, size: int | None = None) -> Axis:
        """An axis of the size that a key of the file or `dimensions` states, if one does."""
        axis, dimensions = Axis(symbol), self.spec.dimensions
        axis.settle(size)
        if dimensions is not None and symbol in dimensions.KEYS and getattr(dimensions, symbol) is not None:
            self.claims.state(axis, dimensions, symbol)
        return axis
