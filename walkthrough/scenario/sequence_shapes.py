"""Checks tokens against vocabulary and embeddings, and positions and segments against tokens."""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import partial
from typing import NamedTuple

from walkthrough.scenario.matrices import Matrix, Size, Table
from walkthrough.scenario.nodes import quoted
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.shapes import Axis, Shapes
from walkthrough.scenario.values import Sinusoidal
from walkthrough.text import counted, did_you_mean, printable


class Stream(NamedTuple):
    """The matrix that flows through the layers: its rows, one for each token of a sequence, and its width.

    A size is None where a fault makes it unknown. ended: an attention without values came before.
    """

    sequence: TokenSequence
    rows: Size
    width: Size
    ended: bool = False


def check_sequence(
    sequence: TokenSequence, shapes: Shapes, read_as: Size = None, needed: bool = True, more: int = 0
) -> Stream:
    """The input that a sequence makes.

    read_as: the width that all weights expect that read it
    needed:  something is computed from it, so that there must be tokens and embeddings
    more:    how many tokens may be appended and read again
    """
    tokens, owner = sequence.tokens, sequence.owner
    if tokens is None and needed and not owner.has("tokens") and not owner.has("text"):
        shapes.missing(owner, "tokens", "text: …, or tokens: […]")
    count = None if tokens is None else len(tokens)
    _check_words(sequence, sequence.vocabulary, "is not in the vocabulary", owner.key_of("vocabulary"), shapes)
    width = _embeddings(sequence, shapes, read_as, needed)
    _positions(sequence, None if count is None else count + more, width, shapes)
    _segments(sequence, count, width, more, shapes)
    if sequence.embedding_norm is not None:
        shapes.norm(sequence.embedding_norm, None, width)
    if tokens is not None and width is not None:
        shapes.reserve(len(tokens) * width, tokens.nodes[0], owner.key_of("tokens"))
    return Stream(sequence, count, width)


def _check_words(sequence: TokenSequence, known: Container[str] | None, fault: str, path: str, shapes: Shapes) -> None:
    """Every token must be among the known words."""
    tokens = sequence.tokens
    for token, node in zip(tokens.words, tokens.nodes, strict=True) if tokens is not None else []:
        if known is not None and token not in known:
            shapes.problems.add(
                node, f"the token {quoted(token)} {fault}", key=path, help=partial(_nearest, token, known)
            )


def _nearest(token: str, known: Container[str]) -> str:
    words = list(known) if isinstance(known, Iterable) else []
    more = ", …" if len(words) > 8 else ""
    return did_you_mean(token, words) or "known: " + ", ".join(map(printable, words[:8])) + more


def _embeddings(sequence: TokenSequence, shapes: Shapes, read_as: Size, needed: bool) -> Size:
    """The width of the embeddings."""
    embeddings = sequence.embeddings
    d_model = shapes.dimensions.d_model
    if embeddings is None:
        if needed and not sequence.owner.has("embeddings"):
            shapes.missing(sequence.owner, "embeddings", "token → vector, a matrix by id, or a row for each position")
        return d_model
    matrix = embeddings
    if isinstance(embeddings, Table):
        matrix = embeddings.matrix
        _check_words(sequence, embeddings.words, "has no embedding", embeddings.path, shapes)
    assert isinstance(matrix, Matrix)
    shapes.resolve(matrix)
    if matrix.columns is not None and d_model not in (None, matrix.columns):
        message = f"embeddings are {matrix.columns} wide, expected d_model = {d_model} as dimensions say"
        shapes.problems.add(matrix, message, key=matrix.path)
        return d_model if read_as == d_model else matrix.columns
    if isinstance(embeddings, Matrix) and sequence.tokens is not None:
        _check_rows(sequence, embeddings, shapes)
    if None not in (matrix.columns, read_as) and matrix.columns != read_as:
        message = f"embeddings are {matrix.columns} wide, but the weights that read them all expect d_model = {read_as}"
        shapes.problems.add(matrix, message, key=matrix.path)
        return read_as
    return matrix.columns or d_model or read_as


def _check_rows(sequence: TokenSequence, matrix: Matrix, shapes: Shapes) -> None:
    """An embedding matrix has a row for each id of the vocabulary, or for each position."""
    count = len(sequence.words)
    columns = Axis("d_model", shapes.dimensions.d_model)
    if sequence.vocabulary is None or matrix.rows == count:
        shapes.matrix(matrix, Axis("n", count) if not sequence.by_id else Axis("vocabulary", matrix.rows), columns)
        return
    ids = max(sequence.vocabulary.values()) + 1
    if sequence.by_id:
        shapes.matrix(matrix, Axis("vocabulary", matrix.rows or ids), columns)
    elif matrix.rows is not None:
        message = f"embeddings has {counted(matrix.rows, 'row')}, expected one for each id (at least {ids}, as ids "
        message += f"count from 0) or one for each of the {counted(count, 'token')}"
        shapes.problems.add(matrix, message, key=matrix.path)


def _positions(sequence: TokenSequence, needed: Size, width: Size, shapes: Shapes) -> None:
    """A table of learned positions has a row for each position there will be, or more."""
    table = sequence.positional_encoding
    if isinstance(table, Sinusoidal):
        _rotation(table, width, shapes)
    if not isinstance(table, Matrix):
        return
    shapes.resolve(table)
    if needed is None or table.rows is None or table.rows >= needed:
        shapes.matrix(table, Axis("positions", table.rows or needed), Axis("d_model", width))
        return
    message = f"{table.name} has {counted(table.rows, 'row')}, expected at least {needed}, one for each position"
    count = len(sequence.words)
    help = f"the prompt has {count}, and generate may append {needed - count} before the last" if needed > count else ""
    shapes.problems.add(table, message, key=table.path, help=help)


def _rotation(positions: Sinusoidal, width: Size, shapes: Shapes) -> None:
    """Every sine turns together with its cosine."""
    if positions.rotation is not None and positions.layout == "interleaved" and (width or 0) % 2:
        message = f"an odd d_model leaves the last sine, feature {width}, without its cosine: it cannot be rotated"
        help = "leave the rotation out, or take layout: halves"
        shapes.problems.add(positions.at("rotation"), message, key=positions.key_of("rotation"), help=help)


def _segments(sequence: TokenSequence, count: Size, width: Size, more: int, shapes: Shapes) -> None:
    segments = sequence.segment_embedding
    if segments is None:
        return
    shapes.resolve(segments)
    if segments.is_vector or segments.rows == 1:
        shapes.vector(segments, Axis("d_model", width))
        return
    shapes.matrix(segments, Axis("n", count), Axis("d_model", width))
    if more:
        message = f"{segments.name} has a row for each token of the prompt, and none for a generated one"
        shapes.problems.add(segments, message, key=segments.path, help="give one vector for all positions")
