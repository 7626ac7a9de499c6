"""From tokens to the input matrix: look-up, scale, positions, segments. Vaswani et al. 2017, §3.4 and §3.5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from walkthrough.operations.matrix import add, product_transposed, repeat_row, select_rows, subtract
from walkthrough.operations.positions.places import consecutive
from walkthrough.operations.positions.sinusoidal import position_rotation, sinusoidal_positions
from walkthrough.operations.scaling import scale_by, scale_by_root
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.resolved import embedding_norm_plan
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.schema.positions import Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.model.norms import record_norm
from walkthrough.transformer.model.sequence_rules import (
    check_positions,
    check_rotation,
    check_sequence,
    missing_input,
    rows_of_embeddings,
)
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream, token_labels

TOKEN_IDS = Kind("token_ids", "ids", "Token ids", ids=(0,), fixed=True)
EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table")
TRAINED_EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table", trained=True, words="embeddings.trained")
TOKEN_EMBEDDING = Kind("token_embedding", "E", "Token embedding")
SCALED_EMBEDDING = Kind("scaled_embedding", "E'", "Scaled embedding")
POSITION_TABLE = Kind("position_table", "W_P", "Position table")
POSITIONAL_ENCODING = Kind("positional_encoding", "PE", "Positional encoding")
LEARNED_ENCODING = POSITIONAL_ENCODING._replace(words="positional_encoding.learned")
ROTATION = Kind("matrix", "M", "Rotation", words="rotation.matrix")
ROTATED = Kind("rotated", "PE_M", "Rotated encoding", words="rotation.rotated")
SHIFTED = Kind("shifted", "PE_k", "Shifted encoding", words="rotation.shifted")
DIFFERENCE = Kind("difference", "Δ", "Difference", words="rotation.difference")
SEGMENT = Kind("segment", "s", "Segment vector")
SEGMENT_EMBEDDING = Kind("segment_embedding", "Seg", "Segment embedding")
EMBEDDING_SUM = Kind("embedding_sum", "X_0", "Summed embeddings")
INPUT = Kind("input", "X", "Input")


def embed(s: Scope, sequence: TokenSequence, table: Value | None = None) -> Stream:
    """The input matrix of a sequence, n×d_model; none where the scenario has no embeddings.

    table: the embedding table, where another sequence has recorded it already
    """
    return _Embedding(s, sequence).stream(table)


def bare_stream(recorder: Recorder, sequence: TokenSequence) -> Stream:
    """The rows of a sequence without numbers: those that come later are given."""
    labels = token_labels(sequence)
    recorder.trace.add_tokens(labels)
    return Stream(None, Axis("n", len(labels) or None), labels, (), sequence)


class _Embedding:
    """The way of one sequence from its tokens to the input matrix."""

    def __init__(self, s: Scope, sequence: TokenSequence) -> None:
        self.s = s
        self.sequence = sequence
        self.first = s.recorder.first
        self.tokens = token_labels(sequence)[self.first :]
        self.position_ids = sequence.positions_of(self.first + len(self.tokens) or len(sequence.positions or ()))
        self.n = Axis("n", len(self.tokens) or len(self.position_ids) or None)

    def stream(self, table: Value | None) -> Stream:
        """E·√d_model + PE + segments, as the beginning of a stream."""
        self.s.recorder.trace.add_tokens(token_labels(self.sequence))
        self.s.recorder.trace.add_tokens(self.tokens)
        self.s.check(check_sequence, self.sequence)
        if self.sequence.vocabulary is not None and self.tokens:
            self._token_ids(self.sequence.vocabulary)
        embedded = self._look_up(table)
        x = None if embedded is None else self._sum([self._scaled(embedded), *self._added(embedded.axes[1])])
        padded = tuple(word == self.sequence.padding_token for word in self.sequence.words)
        labels = token_labels(self.sequence)
        return Stream(x, self.n, labels, padded, self.sequence, first=self.first, position_ids=self.position_ids)

    @property
    def positions(self) -> Sequence[int]:
        """The positions of the tokens."""
        return consecutive(self.position_ids[self.first :]) or range(self.first, self.first + len(self.tokens))

    def _token_ids(self, vocabulary: Mapping[str, int]) -> None:
        recorder = self.s.recorder
        tokens = recorder.trace.get(f"{recorder.prefix}tokenizer.tokens")
        if tokens is not None and recorder.one_pass is None and self.sequence.text:
            self.s.alias(TOKEN_IDS, tokens)
            return
        ids = [[float(vocabulary.get(word, 0))] for word in self.sequence.words[self.first :]]
        axes, labels = (self.n, Axis("1", 1)), (self.tokens, None)
        self.s.record_made(TOKEN_IDS, lambda: np.array(ids), axes, labels, fresh=self.first > 0)

    def _look_up(self, table: Value | None) -> Value | None:
        """One vector for each token, n×d_model: given by position, or looked up in the table."""
        sequence, embeddings = self.sequence, self.sequence.embeddings
        if embeddings is None or not self.tokens:
            return missing_input(self.s, sequence, self.n) if self.s.calculation.is_checking else None
        d_model = self.s.axis("d_model")
        if isinstance(embeddings, Matrix) and not sequence.by_id:
            rows = rows_of_embeddings(self.s, sequence, embeddings, self.n)
            return self.s.matrix(TOKEN_EMBEDDING, embeddings, rows, d_model, (self.tokens, None))
        if table is None:
            table = self._table(embeddings.matrix if isinstance(embeddings, Table) else embeddings, d_model)
        else:
            self.s.recorder.alias_given(EMBEDDINGS.name, table)
        indices = table_rows(sequence)[self.first :]
        return self.s.record(TOKEN_EMBEDDING, select_rows, table, settings={"indices": indices}, rows=self.tokens)

    def _table(self, matrix: Matrix, d_model: Axis) -> Value:
        sequence = self.sequence
        kind = TRAINED_EMBEDDINGS if sequence.by_id or self.s.calculation.is_tied(sequence) else EMBEDDINGS
        vocabulary = Axis("vocabulary", sequence.table_size)
        return self.s.matrix(kind, matrix, vocabulary, d_model, (table_labels(sequence), None))

    def _scaled(self, embedded: Value) -> Value:
        """E·√d_model, or as the file says."""
        scale = self.sequence.embedding_scale
        if scale == "sqrt_d_model":
            settings = {"root_of": embedded.shape[1], "name": "d_model"}
            return self.s.record(SCALED_EMBEDDING, scale_by_root, embedded, settings=settings)
        if isinstance(scale, float):
            return self.s.record(SCALED_EMBEDDING, scale_by, embedded, settings={"factor": scale})
        return embedded

    def _added(self, d_model: Axis) -> Iterator[Value]:
        """What is added to the embeddings: positions and segments, n×d_model."""
        positions, segments = self.sequence.positional_encoding, self.sequence.segment_embedding
        if isinstance(positions, Sinusoidal):
            self.s.check(check_rotation, positions, d_model)
            yield self._sinusoidal(positions, d_model)
        elif isinstance(positions, Matrix):
            yield self._learned(positions, d_model)
        if segments is not None:
            yield self._segments(segments, d_model)

    def _learned(self, table: Matrix, d_model: Axis) -> Value:
        """A vector for each position; of a table with more rows the first ones."""
        s, count = self.s, self.first + len(self.tokens)
        s.check(check_positions, self.sequence, table, count)
        if table.rows == count and not self.first and not self.position_ids and not s.calculation.has_examples:
            return s.matrix(POSITIONAL_ENCODING, table, self.n, d_model, (self.tokens, None))
        numbers = tuple(map(str, range(table.rows or 0))), None
        positions = s.matrix(POSITION_TABLE, table, Axis("positions", table.rows), d_model, numbers)
        settings = {"indices": tuple(self.positions)}
        return s.record(LEARNED_ENCODING, select_rows, positions, settings=settings, rows=self.tokens)

    def _sinusoidal(self, positions: Sinusoidal, d_model: Axis) -> Value:
        options: dict[str, Any] = {
            "width": d_model.size or 0,
            "base": positions.base,
            "layout": positions.layout,
            "angle": positions.angle,
        }

        def encode(s: Scope, kind: Kind, **shift: int) -> Value:
            settings = {"positions": self.positions, **options, **shift}
            return s.record(kind, sinusoidal_positions, settings=settings, rows=self.tokens)

        encoding = encode(self.s, POSITIONAL_ENCODING)
        if positions.rotation is not None:
            part, offset = self.s.under("rotation"), positions.rotation
            rotation = part.record(ROTATION, position_rotation, settings={"offset": offset, **options})
            rotated = part.record(ROTATED, product_transposed, encoding, rotation)
            part.record(DIFFERENCE, subtract, rotated, encode(part, SHIFTED, offset=offset))
        return encoding

    def _segments(self, segments: Matrix, d_model: Axis) -> Value:
        """A vector for all positions, or one for each."""
        s, count = self.s, len(self.tokens)
        is_one = segments.is_vector or segments.rows == 1
        if is_one and (self.first + count != 1 or s.calculation.has_examples):
            one = s.matrix(SEGMENT, segments, Axis("1", 1), d_model, is_vector=True)
            return s.record(SEGMENT_EMBEDDING, repeat_row, one, settings={"count": count}, rows=self.tokens)
        return s.matrix(SEGMENT_EMBEDDING, segments, self.n, d_model, (self.tokens, None))

    def _sum(self, parts: list[Value]) -> Value:
        """The sum of the parts; with an embedding norm its output is the input."""
        s, norm = self.s, self.sequence.embedding_norm
        result = s.record(INPUT if norm is None else EMBEDDING_SUM, add, *parts) if len(parts) > 1 else parts[0]
        if norm is not None:
            result = record_norm(s.under("embedding_norm"), result, embedding_norm_plan(norm))
        return s.drop("dropout", s.alias(INPUT, result))


def table_rows(sequence: TokenSequence) -> tuple[int, ...]:
    """The row of the embedding table that each token takes, counted from 0."""
    if isinstance(sequence.embeddings, Table):
        known = {word: row for row, word in enumerate(sequence.embeddings.words)}
    else:
        known = sequence.vocabulary or {}
    return tuple(known.get(word, 0) for word in sequence.words)


def table_labels(sequence: TokenSequence) -> Labels:
    """The rows of the embedding table: words; an id without a word is its own label."""
    if isinstance(sequence.embeddings, Table):
        return sequence.embeddings.words
    return sequence.row_words(sequence.table_size or 0)
