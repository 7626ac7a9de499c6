"""What comes out of a model: the likeliest words, or one number that stands for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from walkthrough.recording.parts import is_after_training
from walkthrough.recording.selectors import is_aside
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.text.cells import cell_texts

_LIKELIEST = 5


def likeliest(values: Sequence[Value]) -> tuple[Value, int, list[int]] | None:
    """The last probabilities here that a prediction is made of, their last row, and the columns of its largest numbers.

    Those of a look inside count where nothing else predicts.
    """
    here = set(values)
    shares = [
        given
        for value in sorted(values, key=lambda value: not is_aside(value.path))
        if value.names is not None
        for given in value.inputs
        if given.kind.is_distribution and given in here
    ]
    if not shares:
        return None
    value = shares[-1]
    row = value.shape[0] - 1
    numbers = value.array[row]
    order = sorted(np.flatnonzero(np.isfinite(numbers)), key=lambda at: -float(numbers[at]))
    return value, row, [int(at) for at in order[:_LIKELIEST]]


def outcome_of(values: Sequence[Value]) -> Value:
    """What comes out: the loss after a training, else what is predicted last, else the last step."""
    words = [value for value in values if value.names is not None and value.shape[1] > 1 and not is_aside(value.path)]
    return (losses_after(values) or words or list(values))[-1]


def losses_after(values: Iterable[Value]) -> list[Value]:
    """The losses after a training, that of all its examples last."""
    return [value for value in values if value.kind.outcome == "loss" and is_after_training(value.path)]


def outcome_text(trace: Trace, value: Value, decimals: int | None) -> tuple[str, str]:
    """It in a line: a word with its probability, or a cell with its number; the symbol of its step, and the rest."""
    texts = cell_texts(trace, value, decimals)
    if value.names is not None and value.shape[1] > 1:
        return "", " ".join(texts[-1][value.word_column : value.word_column + 2])
    place = f"[{escape_label(value.rows[-1])}, {escape_label(value.columns[0])}]"
    return value.kind.symbol, f"{place} = {texts[-1][0]}"
