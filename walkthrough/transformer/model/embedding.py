"""From tokens to the input matrix: look-up, scale, positions, segments. Vaswani et al. 2017, §3.4."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import partial

import numpy as np

from walkthrough.operations.matrix import add, repeat_row, select_rows
from walkthrough.operations.scaling import scale_by, scale_by_root
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.byte_pairs import BytePairs
from walkthrough.scenario.resolved import embedding_norm_plan, is_read
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.yaml.nodes import quote
from walkthrough.text import did_you_mean, escape_label, pluralize
from walkthrough.transformer.model.norms import record_norm
from walkthrough.transformer.model.positions import check_count, record_positions
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream, token_labels

TOKEN_IDS = Kind("token_ids", "ids", "Token ids", ids=(0,), fixed=True)
EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table")
TRAINED_EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table", trained=True, words="embeddings.trained")
TOKEN_EMBEDDING = Kind("token_embedding", "E", "Token embedding")
SCALED_EMBEDDING = Kind("scaled_embedding", "E'", "Scaled embedding")
SEGMENT = Kind("segment", "s", "Segment vector")
SEGMENT_EMBEDDING = Kind("segment_embedding", "Seg", "Segment embedding")
EMBEDDING_SUM = Kind("embedding_sum", "X_0", "Summed embeddings")
INPUT = Kind("input", "X", "Input")


def embed(s: Scope, sequence: TokenSequence, table: Value | None = None) -> Stream:
    """The input matrix of a sequence, E·√d_model + PE + segments, n×d_model; none where it has no embeddings.

    table: the embedding table, where another sequence has recorded it already
    """
    rows = _rows_of(s.recorder, sequence)
    s.check(check_sequence, sequence)
    if sequence.vocabulary is not None and rows.names:
        _record_ids(s, rows, sequence.vocabulary)
    embedded = _look_up(s, rows, table)
    if embedded is None:
        return rows
    d_model = embedded.axes[1]
    scaled = _scale(s, embedded, sequence.embedding_scale)
    positions = record_positions(s, rows, d_model)
    return rows._replace(x=_add(s, sequence, scaled, positions, _segments(s, rows, d_model)))


def bare_stream(recorder: Recorder, sequence: TokenSequence) -> Stream:
    """The rows of a sequence without numbers: those that come later are given."""
    labels = token_labels(sequence)
    recorder.trace.add_tokens(labels)
    return Stream(None, Axis("n", len(labels) or None, labels or None), labels, (), sequence)


def _rows_of(recorder: Recorder, sequence: TokenSequence) -> Stream:
    """The rows that the pass computes, before they have numbers."""
    first, names = recorder.one_pass.first, token_labels(sequence)
    position_ids = sequence.positions_of(len(names) or len(sequence.positions or ()))
    n = Axis("n", len(names[first:]) or len(position_ids) or None, names[first:] or None)
    padded = tuple(word == sequence.padding_token for word in sequence.words)
    for labels in (names, names[first:]):
        recorder.trace.add_tokens(labels)
    return Stream(None, n, names, padded, sequence, first=first, position_ids=position_ids)


def _record_ids(s: Scope, rows: Stream, vocabulary: Mapping[str, int]) -> None:
    """The id of each token, n×1."""
    recorder = s.recorder
    tokens = recorder.trace.get(f"{recorder.prefix}tokenizer.tokens")
    if tokens is not None and recorder.one_pass.step is None and rows.sequence.text:
        s.alias(TOKEN_IDS, tokens)
        return
    ids = [[float(vocabulary.get(word, 0))] for word in rows.sequence.words[rows.first :]]
    s.made(TOKEN_IDS, lambda: np.array(ids), rows.n, Axis("1", 1), fresh=rows.first > 0)


def _look_up(s: Scope, rows: Stream, table: Value | None) -> Value | None:
    """One vector for each token, n×d_model: given by position, or looked up in the table."""
    sequence, embeddings = rows.sequence, rows.sequence.embeddings
    if embeddings is None or not rows.names:
        return missing_input(s, sequence, rows.n) if s.calculation.is_checking else None
    d_model = s.axis("d_model")
    if isinstance(embeddings, Matrix) and not sequence.by_id:
        return s.given(TOKEN_EMBEDDING, embeddings, rows_of_embeddings(s, sequence, embeddings, rows.n), d_model)
    if table is None:
        kind = TRAINED_EMBEDDINGS if sequence.by_id or s.calculation.is_tied(sequence) else EMBEDDINGS
        matrix = embeddings.matrix if isinstance(embeddings, Table) else embeddings
        table = s.given(kind, matrix, Axis("vocabulary", sequence.table_size, sequence.table_words), d_model)
    else:
        s.recorder.home.alias(EMBEDDINGS.name, table)
    indices = sequence.table_rows[rows.first :]
    return s.record(TOKEN_EMBEDDING, select_rows, table, settings={"indices": indices}, rows=rows.labels)


def _scale(s: Scope, embedded: Value, scale: str | float | None) -> Value:
    """E·√d_model, or as the file says."""
    if scale == "sqrt_d_model":
        settings = {"root_of": embedded.shape[1], "name": "d_model"}
        return s.record(SCALED_EMBEDDING, scale_by_root, embedded, settings=settings)
    if isinstance(scale, float):
        return s.record(SCALED_EMBEDDING, scale_by, embedded, settings={"factor": scale})
    return embedded


def _segments(s: Scope, rows: Stream, d_model: Axis) -> Value | None:
    """A vector for all positions, or one for each, n×d_model; None where the scenario has none."""
    segments, count = rows.sequence.segment_embedding, len(rows.names)
    if segments is None:
        return None
    is_one = segments.is_vector or segments.rows == 1
    if is_one and (count != 1 or s.calculation.has_examples):
        one, settings = s.given(SEGMENT, segments, Axis("1", 1), d_model), {"count": count - rows.first}
        return s.record(SEGMENT_EMBEDDING, repeat_row, one, settings=settings, rows=rows.labels)
    return s.given(SEGMENT_EMBEDDING, segments, rows.n, d_model)


def _add(s: Scope, sequence: TokenSequence, embedded: Value, *added: Value | None) -> Value:
    """The sum of the parts; with an embedding norm its output is the input."""
    norm = sequence.embedding_norm
    x = s.record(INPUT if norm is None else EMBEDDING_SUM, add, embedded, *added) if any(added) else embedded
    if norm is not None:
        x = record_norm(s.under("embedding_norm"), x, embedding_norm_plan(norm))
    return s.drop("dropout", s.alias(INPUT, x))


def check_sequence(s: Scope, sequence: TokenSequence) -> None:
    """Every token has an id, where there are ids, and a vector, where these have names; their vectors can be held."""
    owner = sequence.owner
    if sequence.tokenizer is not None and not _has_known_characters(s, sequence, sequence.tokenizer):
        return
    if sequence.positions is not None and sequence.tokens is not None:
        check_count(s, sequence, len(sequence.positions), len(sequence.tokens))
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


def rows_of_embeddings(s: Scope, sequence: TokenSequence, matrix: Matrix, n: Axis) -> Axis:
    """The rows of an embedding matrix that has none for each id: one for each position."""
    if not s.calculation.is_checking or sequence.vocabulary is None or matrix.rows is None:
        return n
    count, ids = len(sequence.words), max(sequence.vocabulary.values()) + 1
    found = f"embeddings has {pluralize(matrix.rows, 'row')}"
    if matrix.rows == count:
        few = f"fewer than the ids (0 to {ids - 1}): they are taken as one for each position"
        s.problems.warn(matrix, f"{found}, {few}", help="give a row for each id to have them looked up")
        return n
    expected = (
        f"one for each id (at least {ids}, as ids count from 0) or one for each of the {pluralize(count, 'token')}"
    )
    s.problems.add(matrix, f"{found}, expected {expected}")
    return Axis("n")
