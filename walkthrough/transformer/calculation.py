"""What every part of the model shares in one calculation: the scenario's conventions and its matrices as values.

The model is described once. Run with a `Calculation` it is calculated over arrays; run with a `ShapeCalculation`
(shapes/shape_calculation.py) it is walked through over shapes, which checks a scenario, infers what it leaves out and
counts. What the parts require is looked at there alone; over arrays, all of that has been checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import linear, linear_out_in
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Origin, Source, Value
from walkthrough.scenario.resolved import HeadPlan, HeadSlice, heads_of
from walkthrough.scenario.scenario import Scenario, numbers_of
from walkthrough.scenario.schema.keys import Attention
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.tensors.arrays import origin_of
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.transformer.claims import Claims
from walkthrough.transformer.dropout import no_dropout

Axes = tuple[Axis, Axis]
"""What the rows and columns of a matrix are, as it is written in the file."""
Numbers = tuple[Array, Source]
"""The numbers of a matrix, and where they come from."""


class Given(NamedTuple):
    """A matrix of the file, as a part of the model reads it.

    axes:       of its rows and columns as written; where it is joined, of what a head takes of it
    head_slice: what a head takes of it, where it is joined
    """

    matrix: Matrix | None
    axes: Axes
    head_slice: HeadSlice | None = None

    def is_sliced_by_rows(self, out_in: bool) -> bool:
        """Whether a head takes rows of it: of a weight that is written out×in, not of a vector."""
        return out_in and self.matrix is not None and not self.matrix.is_vector


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

    def claim(self, kind: Kind, given: Given) -> None:
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
