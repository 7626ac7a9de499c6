"""From tokens to the input matrix: look-up, scale, positions, segments. Vaswani et al. 2017, §3.4 and §3.5."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from walkthrough.operations.matrix import add, product_transposed, repeat_row, select_rows, subtract
from walkthrough.operations.positions.sinusoidal import position_rotation, sinusoidal_positions
from walkthrough.operations.scaling import scale_by, scale_by_root
from walkthrough.recording.axes import Axis
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.byte_pairs import BytePairs
from walkthrough.scenario.resolved import embedding_norm_plan, is_computed
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Attention, ScenarioSpec
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.schema.positions import Sinusoidal
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.text import did_you_mean, escape_label, pluralize
from walkthrough.transformer.model.norms import record_norm
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
    return Stream(None, Axis("n", len(labels) or None, labels or None), labels, (), sequence)


class _Embedding:
    """The way of one sequence from its tokens to the input matrix.

    rows: the stream that begins with it, before it has numbers
    """

    def __init__(self, s: Scope, sequence: TokenSequence) -> None:
        self.s = s
        self.sequence = sequence
        self.first, labels = s.recorder.one_pass.first, token_labels(sequence)
        self.tokens = labels[self.first :]
        position_ids = sequence.positions_of(len(labels) or len(sequence.positions or ()))
        self.n = Axis("n", len(self.tokens) or len(position_ids) or None, self.tokens or None)
        padded = tuple(word == sequence.padding_token for word in sequence.words)
        self.rows = Stream(None, self.n, labels, padded, sequence, first=self.first, position_ids=position_ids)

    def stream(self, table: Value | None) -> Stream:
        """E·√d_model + PE + segments, as the beginning of a stream."""
        self.s.recorder.trace.add_tokens(self.rows.names)
        self.s.recorder.trace.add_tokens(self.tokens)
        self.s.check(check_sequence, self.sequence)
        if self.sequence.vocabulary is not None and self.tokens:
            self._token_ids(self.sequence.vocabulary)
        embedded = self._look_up(table)
        x = None if embedded is None else self._sum([self._scaled(embedded), *self._added(embedded.axes[1])])
        return self.rows._replace(x=x)

    def _token_ids(self, vocabulary: Mapping[str, int]) -> None:
        recorder = self.s.recorder
        tokens = recorder.trace.get(f"{recorder.prefix}tokenizer.tokens")
        if tokens is not None and recorder.one_pass.step is None and self.sequence.text:
            self.s.alias(TOKEN_IDS, tokens)
            return
        ids = [[float(vocabulary.get(word, 0))] for word in self.sequence.words[self.first :]]
        self.s.made(TOKEN_IDS, lambda: np.array(ids), self.n, Axis("1", 1), fresh=self.first > 0)

    def _look_up(self, table: Value | None) -> Value | None:
        """One vector for each token, n×d_model: given by position, or looked up in the table."""
        sequence, embeddings = self.sequence, self.sequence.embeddings
        if embeddings is None or not self.tokens:
            return missing_input(self.s, sequence, self.n) if self.s.calculation.is_checking else None
        d_model = self.s.axis("d_model")
        if isinstance(embeddings, Matrix) and not sequence.by_id:
            rows = rows_of_embeddings(self.s, sequence, embeddings, self.n)
            return self.s.given(TOKEN_EMBEDDING, embeddings, rows, d_model)
        if table is None:
            table = self._table(embeddings.matrix if isinstance(embeddings, Table) else embeddings, d_model)
        else:
            self.s.recorder.home.alias(EMBEDDINGS.name, table)
        indices = table_rows(sequence)[self.first :]
        return self.s.record(TOKEN_EMBEDDING, select_rows, table, settings={"indices": indices}, rows=self.tokens)

    def _table(self, matrix: Matrix, d_model: Axis) -> Value:
        sequence = self.sequence
        kind = TRAINED_EMBEDDINGS if sequence.by_id or self.s.calculation.is_tied(sequence) else EMBEDDINGS
        return self.s.given(kind, matrix, Axis("vocabulary", sequence.table_size, table_labels(sequence)), d_model)

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
        if table.rows == count and not self.first and not self.rows.position_ids and not s.calculation.has_examples:
            return s.given(POSITIONAL_ENCODING, table, self.n, d_model)
        numbers = Axis("positions", table.rows, tuple(map(str, range(table.rows or 0))))
        positions = s.given(POSITION_TABLE, table, numbers, d_model)
        settings = {"indices": tuple(self.rows.positions)}
        return s.record(LEARNED_ENCODING, select_rows, positions, settings=settings, rows=self.tokens)

    def _sinusoidal(self, positions: Sinusoidal, d_model: Axis) -> Value:
        options: dict[str, Any] = {
            "width": d_model.size or 0,
            "base": positions.base,
            "layout": positions.layout,
            "angle": positions.angle,
        }

        def encode(s: Scope, kind: Kind, **shift: int) -> Value:
            settings = {"positions": self.rows.positions, **options, **shift}
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
            one = s.given(SEGMENT, segments, Axis("1", 1), d_model)
            return s.record(SEGMENT_EMBEDDING, repeat_row, one, settings={"count": count}, rows=self.tokens)
        return s.given(SEGMENT_EMBEDDING, segments, self.n, d_model)

    def _sum(self, parts: list[Value]) -> Value:
        """The sum of the parts; with an embedding norm its output is the input."""
        s, norm = self.s, self.sequence.embedding_norm
        result = s.record(INPUT if norm is None else EMBEDDING_SUM, add, *parts) if len(parts) > 1 else parts[0]
        if norm is not None:
            result = record_norm(s.under("embedding_norm"), result, embedding_norm_plan(norm))
        return s.drop("dropout", s.alias(INPUT, result))


def table_rows(sequence: TokenSequence) -> tuple[int, ...]:
    """The row of the embedding table that each token takes, counted from 0."""
    rows: Mapping[str, int] = sequence.vocabulary or {}
    if isinstance(sequence.embeddings, Table):
        rows = {word: row for row, word in enumerate(sequence.embeddings.words)}
    return tuple(rows.get(word, 0) for word in sequence.words)


def table_labels(sequence: TokenSequence) -> Labels:
    """The rows of the embedding table: words; an id without a word is its own label."""
    if isinstance(sequence.embeddings, Table):
        return sequence.embeddings.words
    return sequence.row_words(sequence.table_size or 0)


def check_sequence(s: Scope, sequence: TokenSequence) -> None:
    """Every token has an id, where there are ids, and a vector, where these have names; their vectors can be held."""
    owner = sequence.owner
    if sequence.tokenizer is not None and not _has_known_characters(s, sequence, sequence.tokenizer):
        return
    if sequence.positions is not None and sequence.tokens is not None:
        _check_count(s, sequence, len(sequence.positions), len(sequence.tokens))
    _check_known(s, sequence, sequence.vocabulary, "is not in the vocabulary", owner.key_of("vocabulary"))
    embeddings = sequence.embeddings
    if isinstance(embeddings, Table):
        _check_known(s, sequence, embeddings.words, "has no embedding", embeddings.path)
    matrix = embeddings.matrix if isinstance(embeddings, Table) else embeddings
    width = s.axis("d_model").size or (matrix.columns if matrix is not None else None)
    if sequence.tokens is not None and matrix is not None and width is not None:
        key = sequence.sentence.key_of("tokens")
        s.claims.reserve(len(sequence.tokens) * width, sequence.tokens.nodes[0], key)


def _has_known_characters(s: Scope, sequence: TokenSequence, tokenizer: BytePairs) -> bool:
    """Whether each character of the text is a symbol, of the tokenizer or of the vocabulary."""
    symbols = {*tokenizer.alphabet, *(sequence.vocabulary or ())}
    used = dict.fromkeys(symbol for word in tokenizer.words(sequence.text) for symbol in word)
    unknown = [symbol for symbol in used if symbol not in symbols]
    sentence = sequence.sentence
    for symbol in unknown:
        message = f"the character {quote(symbol)} is no symbol of the tokenizer"
        known = "known: " + ", ".join(map(escape_label, sorted(one for one in symbols if len(one) == 1)))
        s.problems.fault(sentence, "text", message, known)
    return not unknown


def _check_count(s: Scope, sequence: TokenSequence, positions: int, tokens: int) -> None:
    """There is a position for each token."""
    if positions < tokens or (positions > tokens and not s.recorder.one_pass.first):
        message = f"positions has {pluralize(positions, 'entry', 'entries')}, expected {tokens}: one for each token"
        s.problems.fault(sequence.positions_from, "positions", message)


def _check_known(s: Scope, sequence: TokenSequence, known: Container[str] | None, fault: str, path: str) -> None:
    tokens = sequence.tokens
    for token, node in zip(tokens.words, tokens.nodes, strict=True) if tokens is not None else []:
        if known is not None and token not in known:
            s.problems.add(node, f"the token {quote(token)} {fault}", key=path, help=partial(_nearest, token, known))


def _nearest(token: str, known: Container[str]) -> str:
    words = list(known) if isinstance(known, Iterable) else []
    more = ", …" if len(words) > 8 else ""
    return did_you_mean(token, words) or "known: " + ", ".join(map(escape_label, words[:8])) + more


def missing_input(s: Scope, sequence: TokenSequence, n: Axis) -> Value | None:
    """Input of the stated width, where there must be some; what it lacks is reported."""
    if not is_read(s.calculation.spec, sequence):
        return None
    owner, sentence, training = sequence.owner, sequence.sentence, s.calculation.spec.training
    is_elsewhere = training is not None and training.has("examples") and s.calculation.scenario.example is None
    if sequence.tokens is None and not (sentence.has("tokens") or sentence.has("text") or is_elsewhere):
        s.problems.missing(sentence, "tokens", "text: …, or tokens: […]")
    if sequence.embeddings is None and not owner.has("embeddings"):
        s.problems.missing(owner, "embeddings", "token → vector, a matrix by id, or a row for each position")
    return unknown_value(n, s.calculation.stated_axis("d_model"))


def is_read(spec: ScenarioSpec, sequence: TokenSequence) -> bool:
    """Whether anything is computed from the embeddings of a sequence: a head given by its scores does not use them."""
    if sequence.owner is spec.decoder:
        return True
    if spec.has("tokenizer") and not any(map(spec.has, ("encoder", "decoder", "attention", "output_head"))):
        return False
    if spec.encoder is not None:
        return not spec.encoder.has("output")
    if spec.has("encoder"):
        return False
    return spec.attention is None or _reads_input(spec.attention)


def _reads_input(attention: Attention) -> bool:
    if not is_computed(attention):
        return False
    if attention.heads is None:
        return not attention.has("heads")
    return any(head.has(weight) for head in attention.heads for weight in ("w_q", "w_k", "w_v"))


def rows_of_embeddings(s: Scope, sequence: TokenSequence, matrix: Matrix, n: Axis) -> Axis:
    """The rows of an embedding matrix that has none for each id: one for each position."""
    if not s.calculation.is_checking or sequence.vocabulary is None or matrix.rows is None:
        return n
    count, ids = len(sequence.words), max(sequence.vocabulary.values()) + 1
    if matrix.rows == count:
        message = (
            f"embeddings has {pluralize(matrix.rows, 'row')}, fewer than the ids (0 to {ids - 1}): they are taken as "
        )
        message += "one for each position"
        s.problems.warn(matrix, message, help="give a row for each id to have them looked up")
        return n
    message = f"embeddings has {pluralize(matrix.rows, 'row')}, expected one for each id (at least {ids}, as ids "
    message += f"count from 0) or one for each of the {pluralize(count, 'token')}"
    s.problems.add(matrix, message)
    return Axis("n")


def appended_to(spec: ScenarioSpec, sequence: TokenSequence) -> int:
    """How many generated tokens are read again, all but the last, where it is this sequence that grows."""
    if spec.generate is None or (spec.has("decoder") and sequence.owner is not spec.decoder):
        return 0
    return spec.generate.max_tokens - 1


def check_positions(s: Scope, sequence: TokenSequence, table: Matrix, count: int) -> None:
    """A table of learned positions has a row for each position there will be, or more."""
    more = appended_to(s.calculation.spec, sequence)
    needed = max(sequence.positions_of(count + more), default=count + more - 1) + 1
    if table.init is not None and table.rows is None:
        table.rows = max([needed, *_lengths(s.calculation.scenario, sequence)])
    if table.rows is None or table.rows >= needed:
        return
    message = f"{table.name} has {pluralize(table.rows, 'row')}, expected at least {needed}, one for each position"
    help = f"the prompt has {count}, and generation reads up to {more} more" if more else ""
    if sequence.positions is not None:
        help = f"the last position is {needed - 1}, counted from 0"
    s.problems.add(table, message, help=help)


def _lengths(scenario: Scenario, sequence: TokenSequence) -> Iterator[int]:
    """How many positions a table needs for each sequence that reads it, in each example of a training."""
    for one in scenario.examples:
        for other in (one.sequence, one.target):
            if other is not None and other.positional_encoding is sequence.positional_encoding:
                yield max(other.positions_of(len(other.words)), default=len(other.words) - 1) + 1


def check_rotation(s: Scope, positions: Sinusoidal, width: Axis) -> None:
    """Every sine is rotated together with its cosine."""
    if positions.rotation is not None and positions.layout == "interleaved" and (width.size or 0) % 2:
        message = f"an odd d_model leaves the last sine, feature {width}, without its cosine: it cannot be rotated"
        help = "remove rotation, or use layout: halves"
        s.problems.fault(positions, "rotation", message, help)
