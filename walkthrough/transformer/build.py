"""What every part of the model shares: the scenario's conventions, and its matrices as recorded values."""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.operations import matrix as matrices
from walkthrough.operations.definition import Array, Operation
from walkthrough.recording.labels import Labels, distinct
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.arrays import array_of, origin_of
from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.dropout import no_dropout


class Build:
    """One calculation of a scenario: how weights stand, how softmax is taken, where numbers come from."""

    def __init__(self, scenario: Scenario) -> None:
        self.spec = scenario.spec
        self.folder = scenario.folder
        self._last = scenario.target or scenario.sequence
        self.out_in = scenario.spec.matrix_convention == "column"
        self._arrays: dict[int, Array] = scenario.arrays
        self.drop: Callable[[Recorder, str, Value], Value] = no_dropout
        self.linear: Operation = matrices.linear_out_in if self.out_in else matrices.linear

    def array(self, matrix: Matrix) -> Array:
        """The numbers of a matrix of the scenario; made once, however often the scenario is traced."""
        array = self._arrays.get(id(matrix))
        if array is None:
            array = self._arrays[id(matrix)] = array_of(matrix, self.folder, self.spec.weights_file)
        return array

    def origin(self, matrix: Matrix) -> str:
        """Where the numbers of a matrix come from, in words."""
        return origin_of(matrix, self.spec.weights_file)

    def is_tied(self, sequence: TokenSequence) -> bool:
        """Whether the embedding table of a sequence is the output head's weight too."""
        head = self.spec.output_head
        return head is not None and head.tied and sequence.embeddings is self._last.embeddings

    def given(
        self,
        recorder: Recorder,
        step: Kind,
        matrix: Matrix | None,
        rows: Labels | None = None,
        columns: Labels | None = None,
    ) -> Value | None:
        """Records a matrix of the scenario where it is given."""
        if matrix is None:
            return None
        value = recorder.given(step, self.array(matrix), rows, columns, origin=self.origin(matrix))
        value.matrix = matrix
        return value

    def project(self, recorder: Recorder, step: Kind, x: Value, weight: Value, bias: Value | None) -> Value:
        """x·W + b, in the scenario's convention."""
        return recorder.record(step, self.linear, x, weight, *([bias] if bias is not None else []))


def token_labels(sequence: TokenSequence) -> Labels:
    """The tokens as row labels; one that stands more than once is followed by @ and its position."""
    return distinct(sequence.words)
