"""What comes out of a model: the likeliest words, or one number that stands for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.labels import numbered_labels
from walkthrough.recording.parts import is_after_training, training_step_of
from walkthrough.recording.selectors import is_aside, tick_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.text import escape_label
from walkthrough.views.passes import Pass
from walkthrough.views.text.cells import cell_texts

_LIKELIEST = 5


class Likely(Record):
    """A word that may come next: its probability in digits and as a share of the largest, and the cell that it is."""

    word: str
    text: str
    share: float
    cell: tuple[tuple[str, str], ...]


def likeliest_words(trace: Trace, values: Sequence[Value], decimals: int | None) -> list[Likely]:
    """The likeliest words of the last row of what these steps predict, the likeliest first; none of no prediction."""
    value = predicted_from(values)
    if value is None:
        return []
    row = value.shape[0] - 1
    numbers, texts = value.array[row], cell_texts(trace, value, decimals)[row]
    order = sorted(np.flatnonzero(np.isfinite(numbers)), key=lambda at: -float(numbers[at]))[:_LIKELIEST]
    return [
        Likely(
            escape_label(value.columns[at]),
            texts[at],
            float(numbers[at]) / (float(numbers[order[0]]) or 1.0),
            (("of", value.path), ("c", f"{row},{at}")),
        )
        for at in order
    ]


def predicted_from(values: Sequence[Value]) -> Value | None:
    """The last probabilities here that a prediction is made of; those of a look inside where nothing else predicts."""
    here = set(values)
    shares = [
        given
        for value in sorted(values, key=lambda value: not is_aside(value.path))
        if value.names is not None
        for given in value.inputs
        if given.kind.is_distribution and given in here
    ]
    return shares[-1] if shares else None


class Outcome(Record):
    """What comes out of a pass, in words: the key of the sentence, the facts in it, and the cells that it says."""

    key: str
    value: Value
    columns: tuple[int, ...]
    facts: Mapping[str, object] = {}


def outcome_of(trace: Trace, shown: Pass, values: Sequence[Value]) -> Outcome:
    """Of a training step the loss, of any other pass what is predicted last, else the last step.

    values: all that is there beside the pass, as the loss of several examples
    """
    losses = [value for value in values if value.kind.outcome == "loss" and tick_of(value.path) == shown.tick]
    if losses and shown.name:
        steps = max(training_step_of(value.path) for value in values) or 1
        said = _SAID_AFTER if is_after_training(losses[-1].path) else _SAID_AT
        return Outcome(said[steps == 1], losses[-1], (0,), {"count": steps, "step": shown.name})
    words = [value for value in shown.values if value.names is not None and value.shape[1] > 1]
    predicted = [value for value in words if not is_aside(value.path)]
    if predicted:
        value = predicted[-1]
        columns = (value.word_column, value.word_column + 1)
        return Outcome("outcome_next_word" if _is_of_text(value) else "outcome_prediction", value, columns)
    value = shown.values[-1]
    title = catalogue(trace.language).title(value.kind)
    facts = {
        "title": title,
        "row": escape_label(value.rows[-1]),
        "column": escape_label(value.columns[0]),
        "count": value.shape[1],
    }
    is_numbered = value.columns == numbered_labels(value.shape[1])
    output = "outcome_output" if value.shape[1] > 1 else "outcome_output_one"
    return Outcome(output if is_numbered else "outcome_cell", value, (0,), facts)


_SAID_AFTER, _SAID_AT = ("outcome_loss_after", "outcome_loss_after_one"), ("outcome_loss_at", "outcome_loss_at")


def _is_of_text(prediction: Value) -> bool:
    """Whether words are predicted from words of the same vocabulary, so that the text goes on."""
    return {label.partition("@")[0] for label in prediction.rows} <= {*(prediction.names or {}).values()}


def losses_after(values: Iterable[Value]) -> list[Value]:
    """The losses after a training, that of all its examples last."""
    return [value for value in values if value.kind.outcome == "loss" and is_after_training(value.path)]


def outcome_text(trace: Trace, outcome: Outcome, decimals: int | None) -> str:
    """It in a line."""
    last = cell_texts(trace, outcome.value, decimals)[-1]
    facts = dict(outcome.facts) | {"outcome": " ".join(last[column] for column in outcome.columns)}
    return catalogue(trace.language)(outcome.key, **facts)
