"""From the last hidden states to probabilities over the vocabulary. Vaswani et al. 2017, §3.4."""

from __future__ import annotations

from typing import NamedTuple

from walkthrough.operations.matrix import linear_out_in
from walkthrough.operations.prediction import prediction
from walkthrough.operations.scaling import divide_by
from walkthrough.recording.labels import Labels
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.matrices import Table
from walkthrough.scenario.schema import OutputHead
from walkthrough.scenario.sequences import TokenSequence
from walkthrough.transformer.build import Build
from walkthrough.transformer.embedding import table_labels
from walkthrough.transformer.softmax import record_softmax

LOGITS = Kind("logits", "L", "Logits", "How strongly each position (row) points at each word (column).")
SCALED_LOGITS = Kind("scaled_logits", "L'", "Logits over temperature", "Sharper below temperature 1, flatter above.")
PROBABILITIES = Kind(
    "probabilities", "P", "Probabilities", "The logits as shares of 1: what comes next, how surely.", True
)
PREDICTION = Kind(
    "prediction", "ŷ", "Prediction", "The most probable next word at each position, and its probability.", ids=True
)
W = Kind("w", "W_out", "Output weights", "Learned: how each feature speaks for each word.", trained=True)
B = Kind("b", "b_out", "Output bias", "Learned: how likely each word is to begin with.", trained=True)


class Words(NamedTuple):
    """The columns of the logits: their labels, or None for numbers, and their ids."""

    labels: Labels | None
    ids: tuple[int, ...]


def output_words(head: OutputHead, sequence: TokenSequence, columns: int) -> Words:
    """The words of the columns, in the order of ids; a tied table's rows are its own."""
    if head.tied and head.vocabulary is None:
        labels = table_labels(sequence)
        known = sequence.vocabulary or {}
        if isinstance(sequence.embeddings, Table):
            return Words(labels, tuple(known.get(word, at) for at, word in enumerate(labels)))
        return Words(labels, tuple(range(columns)))
    vocabulary = head.vocabulary or sequence.vocabulary
    if vocabulary is None:
        return Words(None, tuple(range(columns)))
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    return Words(tuple(words), tuple(vocabulary[word] for word in words))


def output_head(
    build: Build, recorder: Recorder, head: OutputHead, x: Value, sequence: TokenSequence, table: Value | None
) -> Value:
    """Records logits and probabilities; the prediction of every position. `table`: the embeddings, for a tied head."""
    logits = _logits(build, recorder, head, x, sequence, table)
    if head.temperature != 1:
        logits = recorder.record(SCALED_LOGITS, divide_by, logits, divisor=head.temperature)
    probabilities = record_softmax(recorder, logits, PROBABILITIES, build.spec.softmax)
    words = output_words(head, sequence, logits.shape[1])
    predicted = recorder.record(PREDICTION, prediction, probabilities, columns=("token", "probability"), ids=words.ids)
    if words.labels is not None:
        predicted.names = dict(zip(words.ids, words.labels, strict=True))
    return predicted


def _logits(
    build: Build, recorder: Recorder, head: OutputHead, x: Value, sequence: TokenSequence, table: Value | None
) -> Value:
    if head.tied and table is not None:
        bias = build.given(recorder, B, head.b)
        words = output_words(head, sequence, table.shape[0])
        return recorder.record(
            LOGITS, linear_out_in, x, table, *([bias] if bias is not None else []), columns=words.labels
        )
    assert head.w is not None
    words = output_words(head, sequence, (head.w.rows if build.out_in else head.w.columns) or 0)
    labels = (words.labels, None) if build.out_in else (None, words.labels)
    w = build.given(recorder, W, head.w, *labels)
    assert w is not None
    return build.project(recorder, LOGITS, x, w, build.given(recorder, B, head.b, columns=words.labels))
