"""From the last hidden states to probabilities over the vocabulary. Vaswani et al. 2017, §3.4."""

from __future__ import annotations

from walkthrough.operations.matrix import linear_out_in
from walkthrough.operations.prediction import prediction
from walkthrough.operations.scaling import divide_by
from walkthrough.recording.axes import Axis
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema.keys import OutputHead
from walkthrough.scenario.sequences import output_vocabulary
from walkthrough.transformer.calculation import Calculation, Stream, some
from walkthrough.transformer.model.softmax import record_softmax

LOGITS = Kind("logits", "L", "Logits", "How strongly each position (row) favours each word (column).")
SCALED_LOGITS = Kind(
    "scaled_logits", "L'", "Scaled logits", "Divided by the temperature: sharper below 1, flatter above."
)
PROBABILITIES = Kind(
    "probabilities", "P", "Probabilities", "How likely each word (column) is to come next; each row adds up to 1.", True
)
PREDICTION = Kind(
    "prediction", "ŷ", "Prediction", "The most probable next word at each position, and its probability.", ids=True
)
W = Kind("w", "W_out", "Output weights", "Learned: how strongly each feature supports each word.", trained=True)
B = Kind("b", "b_out", "Output bias", "Learned: how likely each word is, whatever comes before it.", trained=True)

INSTEAD = ", or tied: true"


def output_head(
    calculation: Calculation, recorder: Recorder, head: OutputHead, stream: Stream, table: Value | None
) -> Value:
    """Records logits and probabilities; the prediction of every position. `table`: the embeddings, for a tied head."""
    logits = _logits(calculation, recorder, head, stream, table)
    if head.temperature != 1:
        logits = recorder.record(SCALED_LOGITS, divide_by, (logits,), {"divisor": head.temperature})
    probabilities = record_softmax(recorder, logits, PROBABILITIES, calculation.spec.softmax)
    words = output_vocabulary(head, stream.sequence, logits.shape[1], calculation.out_in)
    predicted = recorder.record(
        PREDICTION, prediction, (probabilities,), {"ids": words.ids}, columns=("token", "probability")
    )
    if words.words is not None:
        predicted.names = dict(zip(words.ids, words.words, strict=True))
    return predicted


def _logits(
    calculation: Calculation, recorder: Recorder, head: OutputHead, stream: Stream, table: Value | None
) -> Value:
    """x·W_out + b_out, n×d_model → n×vocabulary; a tied head takes the embedding table, vocabulary×d_model, as W."""
    x, words = some(stream.x), output_vocabulary(head, stream.sequence, out_in=calculation.out_in).words
    if head.tied and table is not None:
        table = calculation.check_table(head, x, table)
        b = calculation.vector(recorder, B, head.b, table.axes[0].named("vocabulary"), words)
        return recorder.record(LOGITS, linear_out_in, (x, table, *([b] if b is not None else [])), columns=words)
    vocabulary = Axis("vocabulary", len(words) if words is not None else None)
    w = calculation.weight(recorder, W, head.w, x.axes[1], vocabulary, (None, words), needed=(head, "w", INSTEAD))
    b = calculation.vector(recorder, B, head.b, vocabulary, words)
    return calculation.project(recorder, LOGITS, x, some(w), b)
