"""The loss of a training step: of each sentence that it reads, and of all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.operations.matrix import add
from walkthrough.operations.scaling import divide_by
from walkthrough.operations.training.loss import (
    Targets,
    cross_entropy,
    smooth_targets,
    smoothed_cross_entropy,
    sum_of_kept,
)
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import Training

PER_TOKEN = Kind("per_token", "ℓ", "Loss per token", words="loss.per_token")
SMOOTHED = Kind("smoothed_targets", "t", "Smoothed targets", words="loss.smoothed_targets")
SMOOTHED_PER_TOKEN = PER_TOKEN._replace(words="loss.per_token.smoothed")
TOTAL = Kind("total", "ℓ_sum", "Total loss", words="loss.total", outcome="loss")
TOTAL_OF_EXAMPLES = TOTAL._replace(words="loss.total.examples")
MEAN = Kind("mean", "ℓ_mean", "Mean loss", words="loss.mean", outcome="loss")
PERPLEXITY = Kind("perplexity", "PPL", "Perplexity", words="loss.perplexity")


class Reading(NamedTuple):
    """What a training step has made of one sentence.

    recorder:   of its pass
    scenario:   that with this sentence
    prediction: of every position
    targets:    the column of each position's target; None where it has none
    """

    recorder: Recorder
    scenario: Scenario
    prediction: Value
    targets: Targets

    @property
    def probabilities(self) -> Value:
        """Of every position, n×vocabulary."""
        return self.prediction.inputs[0]

    @property
    def width(self) -> int:
        """The width of what the output head reads."""
        return self.recorder.trace[f"{self.recorder.prefix}output_head.logits"].inputs[0].shape[1]

    @property
    def kept(self) -> tuple[int, ...]:
        """The positions that have a target, from 0."""
        return tuple(row for row, target in enumerate(self.targets) if target is not None)


def read(recorder: Recorder, scenario: Scenario, prediction: Value) -> Reading:
    """The prediction for a sentence with the targets of its positions."""
    assert scenario.targets is not None
    left_out = (None, scenario.spec.padding_token)
    column = {word: at for at, word in enumerate(prediction.inputs[0].columns)}
    targets = tuple(None if word in left_out else column[word] for word in scenario.targets.known)
    return Reading(recorder, scenario, prediction, targets)


def record_sentence_loss(reading: Reading, training: Training, total: Kind) -> Value:
    """The loss of each position of a sentence, and their sum."""
    under, probabilities = reading.recorder.under("loss"), reading.probabilities
    per_token = _record_per_token(under, probabilities, reading.targets, training)
    return under.record(total, sum_of_kept, (per_token,), {"kept": reading.kept})


def _record_per_token(under: Recorder, probabilities: Value, targets: Targets, training: Training) -> Value:
    """−ln of the right word's probability; with smoothed targets −Σ target·ln of all."""
    if not training.label_smoothing:
        return under.record(PER_TOKEN, cross_entropy, (probabilities,), {"targets": targets})
    settings = {"targets": targets, "words": probabilities.shape[1], "smoothing": training.label_smoothing}
    smoothed = under.record(SMOOTHED, smooth_targets, (), settings, probabilities.rows, probabilities.columns)
    return under.record(SMOOTHED_PER_TOKEN, smoothed_cross_entropy, (probabilities, smoothed), {"targets": targets})


def record_total(recorder: Recorder, total: Kind, totals: Sequence[Value]) -> Value:
    """The sum of the losses of all sentences; that of a single one is the sum itself."""
    if len(totals) == 1:
        return recorder.alias(f"loss.{total.name}", totals[0])
    return recorder.under("loss").record(total, add, tuple(totals))


def record_mean(recorder: Recorder, mean: Kind, total: Value, readings: Sequence[Reading]) -> Value:
    """The loss of an average position that has a target."""
    count = sum(len(reading.kept) for reading in readings)
    return recorder.under("loss").record(mean, divide_by, (total,), {"divisor": float(count)})
