"""Checks the output head: w, or the embedding table, leads from d_model to the words of the vocabulary."""

from __future__ import annotations

from walkthrough.scenario.matrices import Table
from walkthrough.scenario.schema import OutputHead, ScenarioSpec
from walkthrough.scenario.sequence_shapes import Stream
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.shapes import Axis, Shapes
from walkthrough.text import counted


def check_head(keys: ScenarioSpec, stream: Stream, shapes: Shapes) -> None:
    """The shapes of the output head that follows a stream."""
    head = keys.output_head
    if head is None:
        return
    if stream.ended:
        message = "output_head has no input: the attention before it has no values (w_v or v)"
        shapes.problems.add(head, message, key=head.path)
    if head.tied:
        _check_tied(head, stream, shapes)
    elif head.w is None:
        if not head.has("w"):
            shapes.missing(head, "w", "d_model×vocabulary, or tied: true")
    else:
        words = Axis("vocabulary", _word_count(head, stream.sequence))
        columns = shapes.weight(head.w, Axis("d_model", stream.width), words)[1]
        shapes.vector(head.b, Axis("vocabulary", columns))


def head_words(head: OutputHead, sequence: TokenSequence) -> tuple[str, ...] | None:
    """The words that can be predicted, in the order of the columns; None where the columns have no words.

    A row of a tied table that no word has is called by its id.
    """
    if head.tied and not head.has("vocabulary"):
        if isinstance(sequence.embeddings, Table):
            return sequence.embeddings.words
        rows = sequence.embeddings.rows if sequence.embeddings is not None and sequence.by_id else None
        if rows is not None and sequence.vocabulary is not None:
            return sequence.row_words(rows)
    vocabulary = head.vocabulary if head.has("vocabulary") else sequence.vocabulary
    return tuple(sorted(vocabulary, key=vocabulary.__getitem__)) if vocabulary is not None else None


def _word_count(head: OutputHead, sequence: TokenSequence) -> int | None:
    words = head_words(head, sequence)
    return None if words is None else len(words)


def _check_tied(head: OutputHead, stream: Stream, shapes: Shapes) -> None:
    if head.w is not None:
        shapes.problems.add(head.w, "w is given, but tied: true takes the embedding table as w", key=head.key_of("w"))
    sequence = stream.sequence
    table = sequence.embeddings.matrix if isinstance(sequence.embeddings, Table) else sequence.embeddings
    if table is None:
        return  # missing or faulty: that has been said
    if not isinstance(sequence.embeddings, Table) and not sequence.by_id:
        message = "tied: true needs an embedding table: token → vector, or a matrix by id with a vocabulary"
        shapes.problems.add(head.at("tied"), message, key=head.key_of("tied"))
        return
    if None not in (table.columns, stream.width) and table.columns != stream.width:
        message = f"the tied embedding table is {table.columns} wide, expected d_model = {stream.width}"
        shapes.problems.add(head.at("tied"), message, key=head.key_of("tied"))
    shapes.vector(head.b, Axis("vocabulary", table.rows))
    if head.vocabulary is not None and table.rows not in (None, len(head.vocabulary)):
        message = f"vocabulary has {counted(len(head.vocabulary), 'word')}, the tied table {counted(table.rows, 'row')}"
        help = "leave it out: the words of the embeddings are taken"
        shapes.problems.add(head.at("vocabulary"), message, key=head.key_of("vocabulary"), help=help)
