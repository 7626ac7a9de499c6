"""From tokens to the input matrix: look-up, scale, positions, segments. Vaswani et al. 2017, §3.4 and §3.5."""

from __future__ import annotations

from typing import Any

import numpy as np

from walkthrough.operations.matrix import add, product_transposed, repeat_row, select_rows, subtract
from walkthrough.operations.positions import position_rotation, sinusoidal_positions
from walkthrough.operations.scaling import scale_by, scale_by_root
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.matrices import Matrix, Table
from walkthrough.scenario.schema import LayerNorm
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.values import Sinusoidal
from walkthrough.transformer.build import Build, token_labels
from walkthrough.transformer.norm import layer_norm

TOKEN_IDS = Kind("token_ids", "ids", "Token ids", "The number of each token in the vocabulary.", ids=True)
EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table", "The vector of each word.")
TRAINED_EMBEDDINGS = Kind("embeddings", "W_E", "Embedding table", "The vector of each id, learned.", trained=True)
TOKEN_EMBEDDING = Kind("token_embedding", "E", "Token embedding", "One vector for each token: what the word means.")
SCALED_EMBEDDING = Kind(
    "scaled_embedding", "E'", "Scaled embedding", "The embeddings made larger, so that the positions do not drown them."
)
POSITION_TABLE = Kind("position_table", "W_P", "Position table", "A learned vector for each position, counted from 0.")
POSITIONAL_ENCODING = Kind(
    "positional_encoding", "PE", "Positional encoding", "One vector for each position: where in the sentence it stands."
)
ROTATION = Kind("matrix", "M", "Rotation", "The one matrix that moves the encoding of any position on by the offset.")
ROTATED = Kind("rotated", "PE_M", "Rotated encoding", "The encoding of each position, turned by the rotation.")
SHIFTED = Kind(
    "shifted", "PE_k", "Encoding further on", "The encoding so many positions further on, by the formula itself."
)
DIFFERENCE = Kind("difference", "Δ", "Difference", "Zero everywhere: turning and moving on are the same.")
SEGMENT = Kind("segment", "s", "Segment vector", "The vector of the segment that all positions belong to.")
SEGMENT_EMBEDDING = Kind(
    "segment_embedding", "Seg", "Segment embedding", "One vector for each position: which segment it belongs to."
)
EMBEDDING_SUM = Kind("embedding_sum", "X_0", "Summed embeddings", "Meaning, position and segment in one vector.")
INPUT = Kind("input", "X", "Input", "Meaning and position in one vector: what the first layer sees.")


def embed(build: Build, recorder: Recorder, sequence: TokenSequence, table: Value | None = None) -> Value | None:
    """Records the input matrix of a sequence, n×d_model; None where the scenario has no embeddings.

    table: the embedding table, where another sequence has recorded it already
    """
    tokens = token_labels(sequence)
    recorder.trace.add_tokens(tokens)
    if sequence.vocabulary is not None and tokens:
        _token_ids(recorder, sequence, tokens)
    embedded = _look_up(build, recorder, sequence, tokens, table)
    if embedded is None:
        return None
    parts = [_scaled(recorder, sequence, embedded)]
    if (positions := _positions(build, recorder, sequence, tokens, embedded.shape[1])) is not None:
        parts.append(positions)
    if sequence.segment_embedding is not None:
        parts.append(_segments(build, recorder, sequence.segment_embedding, tokens))
    return _input(build, recorder, sequence, parts)


def _token_ids(recorder: Recorder, sequence: TokenSequence, tokens: Labels) -> None:
    assert sequence.vocabulary is not None
    ids = np.array([[float(sequence.vocabulary[word])] for word in sequence.words])
    recorder.given(TOKEN_IDS, ids, rows=tokens)


def _look_up(
    build: Build, recorder: Recorder, sequence: TokenSequence, tokens: Labels, table: Value | None
) -> Value | None:
    embeddings = sequence.embeddings
    if embeddings is None or not tokens:
        return None
    if isinstance(embeddings, Matrix) and not sequence.by_id:
        return build.given(recorder, TOKEN_EMBEDDING, embeddings, rows=tokens)
    if table is None:
        matrix = embeddings.matrix if isinstance(embeddings, Table) else embeddings
        step = TRAINED_EMBEDDINGS if sequence.by_id or build.is_tied(sequence) else EMBEDDINGS
        table = build.given(recorder, step, matrix, rows=table_labels(sequence))
    else:
        recorder.alias(EMBEDDINGS.name, table)
    assert table is not None
    return recorder.record(TOKEN_EMBEDDING, select_rows, table, rows=tokens, indices=table_rows(sequence))


def table_rows(sequence: TokenSequence) -> tuple[int, ...]:
    """The row of the embedding table that each token takes, counted from 0."""
    if isinstance(sequence.embeddings, Table):
        place = {word: row for row, word in enumerate(sequence.embeddings.words)}
        return tuple(place[word] for word in sequence.words)
    assert sequence.vocabulary is not None
    return tuple(sequence.vocabulary[word] for word in sequence.words)


def table_labels(sequence: TokenSequence) -> Labels:
    """The rows of the embedding table: words; an id without a word is its own label."""
    if isinstance(sequence.embeddings, Table):
        return sequence.embeddings.words
    assert sequence.embeddings is not None
    return sequence.row_words(sequence.embeddings.rows or 0)


def _scaled(recorder: Recorder, sequence: TokenSequence, embedded: Value) -> Value:
    scale = sequence.embedding_scale
    if scale == "sqrt_d_model":
        return recorder.record(SCALED_EMBEDDING, scale_by_root, embedded, root_of=embedded.shape[1], name="d_model")
    if isinstance(scale, float):
        return recorder.record(SCALED_EMBEDDING, scale_by, embedded, factor=scale)
    return embedded


def _positions(build: Build, recorder: Recorder, sequence: TokenSequence, tokens: Labels, width: int) -> Value | None:
    positions = sequence.positional_encoding
    if isinstance(positions, Sinusoidal):
        return _sinusoidal(recorder, positions, tokens, width)
    if not isinstance(positions, Matrix):
        return None
    if positions.rows == len(tokens):
        return build.given(recorder, POSITIONAL_ENCODING, positions, rows=tokens)
    table = build.given(recorder, POSITION_TABLE, positions, rows=tuple(map(str, range(positions.rows or 0))))
    assert table is not None
    return recorder.record(POSITIONAL_ENCODING, select_rows, table, rows=tokens, indices=tuple(range(len(tokens))))


def _sinusoidal(recorder: Recorder, positions: Sinusoidal, tokens: Labels, width: int) -> Value:
    options: dict[str, Any] = {
        "width": width,
        "base": positions.base,
        "layout": positions.layout,
        "angle": positions.angle,
    }
    size: dict[str, Any] = {"count": len(tokens), **options}
    encoding = recorder.record(POSITIONAL_ENCODING, sinusoidal_positions, rows=tokens, first=0, **size)
    if positions.rotation is not None:
        part = recorder.under("rotation")
        rotation = part.record(ROTATION, position_rotation, offset=positions.rotation, **options)
        rotated = part.record(ROTATED, product_transposed, encoding, rotation)
        shifted = part.record(SHIFTED, sinusoidal_positions, rows=tokens, first=positions.rotation, **size)
        part.record(DIFFERENCE, subtract, rotated, shifted)
    return encoding


def _segments(build: Build, recorder: Recorder, segments: Matrix, tokens: Labels) -> Value:
    array = build.array(segments)
    if array.shape[0] == len(tokens):
        return recorder.given(SEGMENT_EMBEDDING, array, rows=tokens)
    return recorder.record(
        SEGMENT_EMBEDDING, repeat_row, recorder.given(SEGMENT, array), rows=tokens, count=len(tokens)
    )


def _input(build: Build, recorder: Recorder, sequence: TokenSequence, parts: list[Value]) -> Value:
    """The sum of the parts; with an embedding norm its output is the input."""
    norm = sequence.embedding_norm
    step = INPUT if norm is None else EMBEDDING_SUM
    result = recorder.record(step, add, *parts) if len(parts) > 1 else parts[0]
    if norm is not None:
        result = layer_norm(build, recorder.under("embedding_norm"), result, norm, _embedding_norm_options(norm))
    return build.drop(recorder, "dropout", recorder.alias(INPUT.name, result))


def _embedding_norm_options(norm: LayerNorm) -> LayerNorm:
    """BERT's epsilon, unless the norm says its own."""
    return LayerNorm(epsilon=1e-12, node=norm.node, path=norm.path)
