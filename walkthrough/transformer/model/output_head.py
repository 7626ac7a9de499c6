"""From the last hidden states to probabilities over the vocabulary. Vaswani et al. 2017, §3.4."""

from __future__ import annotations

from walkthrough.operations.activation import soft_cap
from walkthrough.operations.generation.prediction import prediction
from walkthrough.operations.matrix import linear_out_in
from walkthrough.operations.scaling import divide_by
from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind, Value, unknown_value
from walkthrough.scenario.schema.keys import OutputHead
from walkthrough.scenario.schema.matrices import Matrix, Table
from walkthrough.scenario.sequences import output_vocabulary
from walkthrough.text import pluralize
from walkthrough.transformer.model.softmax import record_softmax
from walkthrough.transformer.scope import Scope
from walkthrough.transformer.stream import Stream

LOGITS = Kind("logits", "L", "Logits")
CAPPED_LOGITS = Kind("capped_logits", "L_c", "Capped logits")
SCALED_LOGITS = Kind("scaled_logits", "L'", "Scaled logits")
PROBABILITIES = Kind("probabilities", "P", "Probabilities", is_distribution=True)
PREDICTION = Kind("prediction", "ŷ", "Prediction", ids=(0,), outcome="prediction")


def predict(s: Scope, stream: Stream, table: Value | None) -> Value:
    """Records logits and probabilities, n×vocabulary; the prediction of every position, n×2.

    table: the embeddings, for a tied head
    """
    if s.has("probabilities"):
        return _record_prediction(s, _given(s, PROBABILITIES, "probabilities", stream), stream)
    return predict_from(
        s, _given(s, LOGITS, "logits", stream) if s.has("logits") else _logits(s, stream, table), stream
    )


def predict_from(s: Scope, logits: Value, stream: Stream) -> Value:
    """Records what follows from logits, n×vocabulary: probabilities and prediction, n×2."""
    head: OutputHead = s.section
    if head.logit_cap is not None:
        logits = s.record(CAPPED_LOGITS, soft_cap, logits, settings={"cap": head.logit_cap})
    if head.temperature != 1:
        logits = s.record(SCALED_LOGITS, divide_by, logits, settings={"divisor": head.temperature})
    return _record_prediction(s, record_softmax(s, logits, PROBABILITIES), stream)


def _record_prediction(s: Scope, probabilities: Value, stream: Stream) -> Value:
    words = output_vocabulary(s.section, stream.sequence, probabilities.shape[1], s.calculation.out_in)
    predicted = s.record(
        PREDICTION, prediction, probabilities, settings={"ids": words.ids}, columns=("token", "probability")
    )
    if words.words is not None:
        predicted.names = dict(zip(words.ids, words.words, strict=True))
    return predicted


def logits_of(prediction: Value) -> Value | None:
    """What the probabilities of a prediction are the softmax of: the logits, capped and scaled, n×vocabulary.

    None where the probabilities are given.
    """
    value = prediction.inputs[0]
    while value.inputs and value.kind not in (LOGITS, CAPPED_LOGITS, SCALED_LOGITS):
        value = value.inputs[0]
    return value if value.inputs or value.kind == LOGITS else None


def _given(s: Scope, kind: Kind, key: str, stream: Stream) -> Value:
    """Logits or probabilities as the file gives them, n×vocabulary."""
    return s.given(kind, getattr(s.section, key), stream.n, _vocabulary(s, stream))


def _vocabulary(s: Scope, stream: Stream) -> Axis:
    """The columns of the logits."""
    words = output_vocabulary(s.section, stream.sequence, out_in=s.calculation.out_in).words
    return Axis("vocabulary", len(words) if words is not None else None, words)


def _logits(s: Scope, stream: Stream, table: Value | None) -> Value:
    """x·W_out + b_out, n×d_model → n×vocabulary; a tied head takes the embedding table, vocabulary×d_model, as W."""
    x, head = stream.x, s.section
    assert x is not None
    vocabulary = _vocabulary(s, stream)
    if head.tied and table is not None:
        s.check(check_table, x, table)
        b = s.vector("b", table.axes[0].with_symbol("vocabulary", vocabulary.labels))
        return s.record(LOGITS, linear_out_in, x, table, b, columns=vocabulary.labels)
    has_table = isinstance(stream.sequence.embeddings, Table) or stream.sequence.by_id
    instead = ", or tied: true" if has_table else ""
    if head.tied and stream.sequence.tokens is None and s.calculation.is_checking:  # without tokens no table is read
        return unknown_value(stream.n, vocabulary)
    w = s.weight("w", x.axes[1], vocabulary, instead)
    return s.project(LOGITS, x, w, s.vector("b", vocabulary))


def check_head(s: Scope, stream: Stream) -> None:
    """The output head has an input, and a table or a weight."""
    head: OutputHead = s.section
    if head.gives_numbers:
        return
    if stream.ended:
        s.problems.add(head, "output_head has no input: the attention before it has no values (w_v or v)")
    embeddings = stream.sequence.embeddings
    if head.tied and isinstance(embeddings, Matrix) and not stream.sequence.by_id:
        message = "tied: true needs an embedding table: token → vector, or a matrix by id with a vocabulary"
        s.problems.fault(head, "tied", message)


def check_table(s: Scope, x: Value, table: Value) -> None:
    """The table of a tied head is as wide as what it reads, and has a row for each word."""
    head, words, width, wide = s.section, table.axes[0].size, table.axes[1], x.axes[1]
    if None not in (width.size, wide.size) and width.size != wide.size:
        s.problems.fault(head, "tied", f"the tied embedding table is {width} wide, expected d_model = {wide}")
    if head.vocabulary is not None and words not in (None, len(head.vocabulary)):
        message = (
            f"vocabulary has {pluralize(len(head.vocabulary), 'word')}, the tied table {pluralize(words or 0, 'row')}"
        )
        help = "remove it: the words of the embeddings are used"
        s.problems.fault(head, "vocabulary", message, help)
