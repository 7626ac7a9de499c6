"""Checks tokens against embeddings, positions against tokens, and the output head against its vocabulary."""

from __future__ import annotations

from walkthrough.scenario.matrices import Matrix, Size, Table
from walkthrough.scenario.schema import Dimensions, OutputHead, ScenarioKeys
from walkthrough.scenario.sequences import Sequence
from walkthrough.scenario.shapes import Axis, Shapes
from walkthrough.text import counted, did_you_mean, printable


def check_sequence(sequence: Sequence, shapes: Shapes, dimensions: Dimensions, needed: bool) -> tuple[Size, Size]:
    """The number of tokens and the width of the input; problems are noted.

    needed: something is computed from the embeddings, so that they must be there
    """
    owner = sequence.owner
    count: Size = len(sequence.tokens) if sequence.tokens else None
    if count is None:
        if needed and not owner.has("tokens") and not owner.has("text"):
            shapes.problems.add(
                owner.node, "tokens is missing: text: …, or tokens: […]", key=_key(owner.path, "tokens")
            )
        return None, dimensions.d_model
    _check_vocabulary(sequence, shapes)
    width = _embeddings(sequence, count, shapes, dimensions, needed)
    _positions(sequence, count, width, shapes)
    if sequence.segment_embedding is not None:
        _segments(sequence.segment_embedding, count, width, shapes)
    if sequence.embedding_norm is not None:
        shapes.vector(sequence.embedding_norm.gamma, Axis("d_model", width))
        shapes.vector(sequence.embedding_norm.beta, Axis("d_model", width))
    return count, width


def _key(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _check_vocabulary(sequence: Sequence, shapes: Shapes) -> None:
    if sequence.vocabulary is None or sequence.tokens is None:
        return
    for token, node in zip(sequence.tokens.words, sequence.tokens.nodes, strict=True):
        if token not in sequence.vocabulary:
            help = did_you_mean(token, sequence.vocabulary)
            shapes.problems.add(node, f"the token {printable(token)!r} is not in the vocabulary", help=help)


def _embeddings(sequence: Sequence, count: int, shapes: Shapes, dimensions: Dimensions, needed: bool) -> Size:
    """The width of the embeddings."""
    embeddings, owner = sequence.embeddings, sequence.owner
    width = Axis("d_model", dimensions.d_model)
    if embeddings is None:
        if needed and not owner.has("embeddings"):
            message = "embeddings is missing: a mapping token → vector, a matrix by id, or a row for each position"
            shapes.problems.add(owner.node, message, key=_key(owner.path, "embeddings"))
        return width.size
    if isinstance(embeddings, Table):
        _check_words(sequence, embeddings, shapes)
        return shapes.matrix(embeddings.matrix, Axis("tokens"), width)[1]
    shapes.resolve(embeddings)
    if sequence.by_id and sequence.vocabulary is not None:
        largest = max(sequence.vocabulary.values())
        rows = Axis("vocabulary", embeddings.rows or largest + 1)
    elif sequence.vocabulary is not None and embeddings.rows != count:
        largest = max(sequence.vocabulary.values())
        message = (
            f"embeddings has {counted(embeddings.rows or 0, 'row')}: expected a row for each id (at least {largest + 1}) "
            f"or for each of the {counted(count, 'position')}"
        )
        shapes.problems.add(embeddings, message, key=embeddings.path)
        return embeddings.columns
    else:
        rows = Axis("n", count)
    return shapes.matrix(embeddings, rows, width)[1]


def _check_words(sequence: Sequence, table: Table, shapes: Shapes) -> None:
    assert sequence.tokens is not None
    for token, node in zip(sequence.tokens.words, sequence.tokens.nodes, strict=True):
        if token not in table.words:
            help = did_you_mean(token, table.words) or "known: " + ", ".join(map(printable, table.words[:8]))
            shapes.problems.add(node, f"the token {printable(token)!r} has no embedding", key=table.path, help=help)


def _positions(sequence: Sequence, count: int, width: Size, shapes: Shapes) -> None:
    positions = sequence.positional_encoding
    if not isinstance(positions, Matrix):
        return
    shapes.resolve(positions)
    rows = positions.rows if positions.rows is not None and positions.rows >= count else count
    shapes.matrix(positions, Axis("positions", rows), Axis("d_model", width))


def _segments(segments: Matrix, count: int, width: Size, shapes: Shapes) -> None:
    if segments.is_vector:
        shapes.vector(segments, Axis("d_model", width))
    else:
        shapes.resolve(segments)
        rows = 1 if segments.rows == 1 else count
        shapes.matrix(segments, Axis("n", rows), Axis("d_model", width))


def check_head(keys: ScenarioKeys, sequence: Sequence, width: Size, ended: bool, shapes: Shapes) -> None:
    """The output head: w leads from d_model to the words of the vocabulary."""
    head = keys.output_head
    if head is None:
        return
    if ended:
        message = "output_head has no input: the attention before it has no values (w_v or v)"
        shapes.problems.add(head.node, message, key="output_head")
    words = head.vocabulary or sequence.vocabulary
    if head.tied:
        _check_tied(head, sequence, width, shapes)
        return
    if head.w is None:
        if not head.has("w"):
            shapes.problems.add(head.node, "w is missing: d_model×vocabulary, or tied: true", key="output_head.w")
        return
    columns = shapes.weight(head.w, Axis("d_model", width), Axis("vocabulary", len(words) if words else None))[1]
    shapes.vector(head.b, Axis("vocabulary", columns))


def _check_tied(head: OutputHead, sequence: Sequence, width: Size, shapes: Shapes) -> None:
    if head.w is not None:
        shapes.problems.add(head.w, "w is given, but tied: true takes the embedding table as w", key="output_head.w")
    table = sequence.embeddings
    if not isinstance(table, Table) and not sequence.by_id:
        if not sequence.owner.has("embeddings"):
            return
        message = "tied: true needs an embedding table: token → vector, or a matrix by id with a vocabulary"
        shapes.problems.add(head.node, message, key="output_head.tied")
        return
    matrix = table.matrix if isinstance(table, Table) else table
    assert matrix is not None
    if None not in (matrix.columns, width) and matrix.columns != width:
        message = f"the tied table has vectors of {matrix.columns}, expected d_model = {width}"
        shapes.problems.add(head.node, message, key="output_head.tied")
    rows = len(table.words) if isinstance(table, Table) else matrix.rows
    shapes.vector(head.b, Axis("vocabulary", rows))
    if head.vocabulary is not None and rows is not None and len(head.vocabulary) > rows:
        message = f"the vocabulary has {len(head.vocabulary)} words, the tied table {counted(rows, 'row')}"
        shapes.problems.add(head.node, message, key="output_head.vocabulary")
