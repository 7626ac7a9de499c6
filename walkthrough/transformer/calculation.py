"""What every part of the model shares: the scenario's conventions, its matrices as recorded values, and its checks.

The model is described once. Run with a `Calculation` it is calculated over arrays; run with a `ShapeCalculation`
(shape_calculation.py) it is walked through over shapes, which checks a scenario, infers what it leaves out and counts.
The methods that begin with `check_` say what the parts require; over arrays, all of that has been checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import linear, linear_out_in
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels, distinct
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Source, Value
from walkthrough.scenario.resolved import HeadPlan, NormPlan, Projection, RotaryPlan, count_of, heads_of, kv_count_of
from walkthrough.scenario.scenario import Scenario, numbers_of
from walkthrough.scenario.schema.keys import Attention, FeedForward, OutputHead
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.schema.sections import Section
from walkthrough.scenario.schema.values import Mask, Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.tensors.arrays import origin_of
from walkthrough.transformer.runs.dropout import no_dropout

Labelled = tuple[Labels | None, Labels | None]
"""The labels of rows and columns; None: those that follow, or 1, 2, …"""
Needed = tuple[Section, str, str] | None
BARE: Labelled = (None, None)
_Given = tuple[Array, Source]
"""The numbers of a matrix, and where they come from."""
_Part = tuple[Array, Source, tuple[int, int]]
"""The same of a part of one, and the row and column where it begins."""


class Stream(NamedTuple):
    """The matrix on its way through the layers, and the sequence that has a token for each of its rows, n.

    ended: an attention without values came before; nothing can follow it
    first: the position of the first row, from 0; the rows before it are kept of earlier passes
    """

    x: Value | None
    sequence: TokenSequence
    n: Axis
    ended: bool = False
    first: int = 0

    @property
    def labels(self) -> Labels | None:
        """The labels of the rows: the tokens; one that occurs more than once is followed by @ and its position."""
        return token_labels(self.sequence)[self.first :] or (self.x.rows if self.x is not None else None)

    @property
    def padding(self) -> tuple[bool, ...]:
        """Which rows are padding."""
        return tuple(word == self.sequence.padding_token for word in self.sequence.words[self.first :])

    def whole(self) -> Stream:
        """The rows with those before them; only they have numbers."""
        return self._replace(n=Axis(self.n.symbol, len(self.sequence.words)), first=0) if self.first else self

    @property
    def width(self) -> Axis:
        """The features of a row, d_model."""
        return self.x.axes[1] if self.x is not None else Axis("d_model")


def some(value: Value | None) -> Value:
    """A value that must be there: in a checked scenario it is."""
    assert value is not None
    return value


def _split(array: Array, source: Source, dimension: int, count: int) -> list[_Part]:
    """A matrix in equal parts along a dimension, one for each head."""
    size = array.shape[dimension] // count
    starts = range(0, size * count, size)
    if dimension == 0:
        return [(array[start : start + size], source, (start, 0)) for start in starts]
    return [(array[:, start : start + size], source, (0, start)) for start in starts]


def token_labels(sequence: TokenSequence) -> Labels:
    """The tokens as row labels."""
    return distinct(sequence.words)


class Calculation:
    """One calculation of a scenario over arrays."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.spec = scenario.spec
        self.out_in = scenario.spec.matrix_convention == "column"
        self.linear: Operation = linear_out_in if self.out_in else linear
        self.drop: Callable[[Recorder, str, Value], Value] = no_dropout
        self._arrays: dict[Matrix, Array] = scenario.arrays
        self._known: dict[Matrix, _Given] = scenario.known
        self._parts: dict[Matrix, list[_Part]] = scenario.parts

    def array(self, matrix: Matrix) -> Array:
        """The numbers of a matrix of the scenario; made once, however often the scenario is traced."""
        array = self._arrays.get(matrix)
        if array is None:
            array = self._arrays[matrix] = numbers_of(matrix, self.scenario)
        return array

    def _given(self, matrix: Matrix) -> _Given:
        """The numbers of a matrix, and where they come from; looked at once, however often the scenario is traced."""
        known = self._known.get(matrix)
        if known is None:
            origin, written = origin_of(matrix, self.spec.weights_file), self.scenario.written.get(matrix)
            known = self._known[matrix] = self.array(matrix), Source(origin, matrix, written)
        return known

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
        """Records a matrix of the scenario, rows×columns, where it is given.

        needed: the section and key that must give it, and what else may be given
        """
        if matrix is None:
            return None
        array, source = self._given(matrix)
        return recorder.given(kind, array, *labels, source)

    def weight(
        self,
        recorder: Recorder,
        kind: Kind,
        matrix: Matrix | None,
        inward: Axis,
        outward: Axis,
        labels: Labelled = BARE,
        needed: Needed = None,
    ) -> Value | None:
        """Records a weight, in×out or out×in as the scenario's convention says."""
        if self.out_in:
            return self.given(recorder, kind, matrix, outward, inward, labels[::-1], needed)
        return self.given(recorder, kind, matrix, inward, outward, labels, needed)

    def vector(
        self, recorder: Recorder, kind: Kind, matrix: Matrix | None, axis: Axis, labels: Labels | None = None
    ) -> Value | None:
        """Records a bias, gamma or beta, 1×d, where it is given."""
        if matrix is None:
            return None
        return self.given(recorder, kind, matrix, Axis("1", 1), axis, (None, labels))

    def share(
        self,
        recorder: Recorder,
        kinds: tuple[Kind, ...],
        part: Projection,
        at: int,
        x: Value,
        outward: Axis,
    ) -> tuple[Value, ...]:
        """Records part `at` (from 0) of a joined weight, and of its bias if it has one: even parts, as in PyTorch.

        x: what the weight is multiplied with
        """
        weight = self._part(recorder, kinds[0], part.weight, at, part.count, 0 if self.out_in else 1)
        if part.bias is None:
            return (weight,)
        return weight, self._part(recorder, kinds[1], part.bias, at, part.count, 1)

    def _part(
        self, recorder: Recorder, kind: Kind, matrix: Matrix | None, at: int, count: int, dimension: int
    ) -> Value:
        """Records one of `count` parts of a matrix, side by side along a dimension."""
        assert matrix is not None
        parts = self._parts.get(matrix)
        if parts is None:
            parts = self._parts[matrix] = _split(*self._given(matrix), dimension, count)
        array, source, corner = parts[at]
        return recorder.given(kind, array, None, None, source, corner)

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
        """Records numbers that no operation computes, such as ids and masks; `matrix`: given ones they are made of."""
        return recorder.given(kind, make(), *labels, Source("", matrix), fresh=fresh)

    def output(self, recorder: Recorder, kind: Kind, part: Attention | FeedForward, stream: Stream) -> Value | None:
        """Records the output of a part that the file gives as numbers, n×d_model."""
        return self.given(recorder, kind, part.output, stream.n, Axis("d_model"), (stream.labels, None))

    def project(
        self,
        recorder: Recorder,
        kind: Kind,
        x: Value,
        weight: Value,
        bias: Value | None = None,
        *,
        array: Array | None = None,
    ) -> Value:
        """x·W + b, in the scenario's convention; `array`: where it was computed together with others."""
        inputs = (x, weight) if bias is None else (x, weight, bias)
        return recorder.record(kind, self.linear, inputs, array=array)

    def joint_products(
        self, recorder: Recorder, attention: Attention, queries: Stream, keys: Stream | None
    ) -> dict[str, list[Array]]:
        """x·W + b with joined weights, all heads at once, which is quicker: each head's columns by letter.

        keys: None where an earlier pass has them
        None where weights are not the file's own: by hand they may be rounded, and training has changed them.
        """
        if attention.has("heads") or recorder.rounding is not None or recorder.trains_on:
            return {}
        products = {}
        for letter, stream in (("q", queries), ("k", keys), ("v", keys)):
            if stream is None:
                continue
            weight, bias = getattr(attention, f"w_{letter}"), getattr(attention, f"b_{letter}")
            added = [self.array(bias)] if bias is not None else []
            product = self.linear.forward(some(stream.x).array, self.array(weight), *added)
            count = count_of(attention) if letter == "q" else kv_count_of(attention)
            size = product.shape[1] // count
            products[letter] = [product[:, at * size : (at + 1) * size] for at in range(count)]
        return products

    def keeps(self, stream: Stream) -> bool:
        """Whether keys and values of this sequence, and those that it attends to, are kept for later passes."""
        generate = self.spec.generate
        if generate is None or not generate.cache:
            return False
        return stream.sequence.owner is (self.scenario.target or self.scenario.sequence).owner

    def heads(self, attention: Attention) -> list[HeadPlan]:
        """The heads of an attention; looked at once, however often the scenario is traced."""
        plans = self.scenario.plans
        if attention not in plans:
            plans[attention] = heads_of(attention, self.spec.dimensions)
        return plans[attention]

    def stated(self, name: str) -> Axis:
        """An axis of the size that `dimensions` states, if it does."""
        return Axis(name, getattr(self.spec.dimensions, name) if self.spec.dimensions is not None else None)

    def is_tied(self, sequence: TokenSequence) -> bool:
        """Whether the embedding table of a sequence is the output head's weight too."""
        head, last = self.spec.output_head, self.scenario.target or self.scenario.sequence
        return head is not None and head.tied and sequence.embeddings is last.embeddings

    def unknown(self, axes: tuple[Axis, Axis]) -> Value | None:
        """What stands in the place of a value that a fault of the file leaves out."""
        return None

    def unknown_input(self, sequence: TokenSequence, n: Axis) -> Value | None:
        """What stands in the place of embeddings that are needed, and missing."""
        return None

    def width_of_embeddings(self, sequence: TokenSequence, matrix: Matrix) -> Axis:
        """The axis of d_model, which everything that reads the embeddings has to fit."""
        return Axis("d_model")

    def rows_of_embeddings(self, sequence: TokenSequence, matrix: Matrix, n: Axis) -> Axis:
        """The axis of the rows of embeddings by position."""
        return n

    def shares_of(self, attention: Attention, queries: Stream, keys: Stream) -> dict[str, Axis]:
        """The width of one head's queries, keys and values in joined weights, by letter."""
        return {letter: Axis(letter) for letter in "qkv"}

    def settle(self, matrix: Matrix | None, axis: Axis, likely: Axis) -> None:
        """An axis of a matrix made by `init` is like another one where nothing else says its size."""

    def can_follow(self, part: Section, stream: Stream, memory: Stream | None, is_cross: bool) -> bool:
        """Whether a part has something to read: rows before it, and keys where it attends to a memory."""
        return True

    def check_sequence(self, sequence: TokenSequence) -> None:
        """Every token must be known."""

    def check_positions(self, sequence: TokenSequence, table: Matrix, count: int) -> None:
        """Learned positions have a row for each position there will be."""

    def check_sinusoidal(self, positions: Sinusoidal, width: Axis) -> None:
        """Every sine that is turned has its cosine."""

    def check_attention(self, attention: Attention, mask: Mask, queries: Stream, keys: Stream) -> None:
        """What an attention must say, and what excludes what."""

    def check_rotation(self, plan: RotaryPlan, d_k: Axis, angle: Value) -> None:
        """The features that turn are pairs, and every head has as many."""

    def check_mask(self, attention: Attention, mask: Mask, queries: Stream, keys: Stream) -> None:
        """Every row can attend to something."""

    def check_norm(self, plan: NormPlan, width: Axis) -> None:
        """A sample variance needs two numbers."""

    def check_size(self, part: FeedForward, n: Axis, d_ff: Axis) -> None:
        """What a part makes can be held."""

    def check_residual(self, part: Attention | FeedForward, x: Value, y: Value) -> Value:
        """The output of a part, as wide as its input."""
        return y

    def check_head(self, head: OutputHead, stream: Stream) -> None:
        """The output head has an input, and a table or a weight."""

    def check_table(self, head: OutputHead, x: Value, table: Value) -> Value:
        """The table of a tied head, as wide as what it reads."""
        return table
