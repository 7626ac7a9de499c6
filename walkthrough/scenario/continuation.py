"""Checks what goes on from the predictions: generation and training."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from walkthrough.scenario.head_shapes import head_words
from walkthrough.scenario.matrices import Matrix, Table
from walkthrough.scenario.nodes import quoted
from walkthrough.scenario.schema import Attention, Generate, OutputHead, ScenarioSpec, Training
from walkthrough.scenario.sequence_shapes import Stream
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.scenario.shapes import Shapes
from walkthrough.text import counted, did_you_mean


def check_generate(keys: ScenarioSpec, sequence: TokenSequence, shapes: Shapes) -> None:
    """Whatever is predicted can be appended to the sequence and read again."""
    generate, head = keys.generate, keys.output_head
    if generate is None or not _has_head(keys, generate, shapes):
        return
    words = head_words(head, sequence) if head is not None else None
    if head is not None and words is None and not head.has("vocabulary") and not sequence.owner.has("vocabulary"):
        shapes.missing(head, "vocabulary", "the words that can be predicted")
    if words is not None and generate.end_token is not None and generate.end_token not in words:
        message = f"the end token {quoted(generate.end_token)} is not in the output vocabulary"
        help = did_you_mean(generate.end_token, words)
        shapes.problems.add(generate.at("end_token"), message, key=generate.key_of("end_token"), help=help)
    if generate.max_tokens > 1:
        if head is not None and words is not None:
            _check_words(generate, head, words, sequence, shapes)
        for matrix in _given(keys):
            message = f"{matrix.name} has a row for each token of the prompt, and none for a generated one"
            shapes.problems.add(matrix, message, key=matrix.path, help="leave it out, or generate with max_tokens: 1")


def _has_head(keys: ScenarioSpec, section: Generate | Training, shapes: Shapes) -> bool:
    if not keys.has("output_head"):
        shapes.problems.add(section, f"{section.path} needs an output_head, which makes predictions", key=section.path)
    return keys.has("output_head")


def _check_words(
    generate: Generate, head: OutputHead, words: tuple[str, ...], sequence: TokenSequence, shapes: Shapes
) -> None:
    """Every word that can be predicted, except the one that ends, has an embedding."""
    if sequence.embeddings is None:
        return
    if not isinstance(sequence.embeddings, Table) and not sequence.by_id:
        if sequence.embeddings.rows is not None:
            message = "generate needs the embeddings of all words: this matrix has a row for each position"
            help = "give a mapping token → vector, or a matrix by id and a vocabulary"
            shapes.problems.add(sequence.embeddings, message, key=sequence.embeddings.path, help=help)
        return
    without = [word for word in words if not sequence.has_embedding(word) and word != generate.end_token]
    if not without:
        return
    named = ", ".join(map(quoted, without[:5])) + (", …" if len(without) > 5 else "")
    if head.tied and sequence.by_id:
        message = f"{counted(len(without), 'id')} of the tied table without a word: {named}"
        help = "generate may append them: give each a word in the vocabulary"
    else:
        message = f"{counted(len(without), 'word')} of the output vocabulary without an embedding: {named}"
        ids = "" if sequence.vocabulary is None else " and an id"
        help = f"generate may append them: give each an embedding{ids}, or make it the end_token"
    shapes.problems.add(generate, message, key=generate.path, help=help)


def _given(keys: ScenarioSpec) -> Iterator[Matrix]:
    """The matrices with a row for each token of the sequence that grows: they cannot grow with it."""
    parts: list[Matrix | None] = []
    stack = keys.decoder if keys.has("decoder") else keys.encoder
    if keys.encoder is not None and stack is keys.encoder:
        parts.append(keys.encoder.output)
    for layer in (stack.layers if stack is not None else None) or []:
        parts += _given_to(layer.attention)
        parts += _given_to(getattr(layer, "cross_attention", None), crosses=True)
        parts.append(layer.feed_forward.output if layer.feed_forward is not None else None)
    parts += _given_to(keys.attention)
    return (matrix for matrix in parts if matrix is not None)


def _given_to(attention: Attention | None, crosses: bool = False) -> list[Matrix | None]:
    if attention is None:
        return []
    names = ("q", "scores", "weights") if crosses else ("q", "k", "v", "scores", "weights")
    mask = attention.mask.matrix if attention.mask is not None else None
    return [mask, attention.output, *(getattr(head, name) for head in attention.heads or [] for name in names)]


def check_training(keys: ScenarioSpec, stream: Stream, shapes: Shapes) -> None:
    """Each position of the sequence has a target: null, padding or a word that can be predicted."""
    training, head = keys.training, keys.output_head
    if training is None or not _has_head(keys, training, shapes) or training.targets is None:
        return
    targets, path = training.targets, training.key_of("targets")
    if stream.rows not in (None, len(targets)):
        message = f"targets has {counted(len(targets), 'entry', 'entries')}, expected {stream.rows}: one for each token"
        shapes.problems.add(training.at("targets"), message, key=path, help="null where none is wanted")
    if all(word in (None, keys.padding_token) for word in targets.known):
        shapes.problems.add(training.at("targets"), "no position has a target", key=path)
    words = head_words(head, stream.sequence) if head is not None else None
    if head is not None and words is None and not head.has("vocabulary"):
        shapes.missing(head, "vocabulary", "the words that can be predicted")
    allowed = {None, keys.padding_token, *(words or ())}
    for word, node in zip(targets.known, targets.nodes, strict=True):
        if words is not None and word not in allowed:
            message = f"the target {quoted(str(word))} is not in the output vocabulary"
            shapes.problems.add(node, message, key=path, help=partial(did_you_mean, str(word), words))
