"""Probabilities, or their logarithm, in place of logits: the numbers themselves tell."""

from __future__ import annotations

import numpy as np

from walkthrough.checkpoints.paths import RETURNED
from walkthrough.comparing.matching.readings import Reading
from walkthrough.comparing.thresholds import OF_A_FORMAT
from walkthrough.expressions.bounds.forms import BFLOAT16
from walkthrough.operations.definition import Array
from walkthrough.operations.softmax import logarithm
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class Shares:
    """Reads them so; the logarithm of a step is one step, however many tensors are read as it."""

    def __init__(self) -> None:
        self._logarithms: dict[Value, Value] = {}

    def read(self, reading: Reading, trace: Trace) -> Reading:
        """What was read as logits, as probabilities or their logarithm where that is what its rows are."""
        value, array = reading.pieces[0]
        probabilities = trace.get("output_head.probabilities")
        if probabilities is None or value not in [trace.get(path) for path in RETURNED]:
            return reading
        if (array >= 0).all() and are_shares(array):
            return reading._replace(pieces=((probabilities, array),), words="the probabilities")
        with np.errstate(over="ignore"):
            is_logarithm = are_shares(np.exp(array))
        if not is_logarithm:
            return reading
        logarithm = self._logarithms.setdefault(probabilities, _logarithm_of(probabilities))
        return reading._replace(pieces=((logarithm, array),), words="the logarithm of the probabilities, ln P")


def are_shares(array: Array) -> bool:
    """Whether rows add up to 1; theirs may be rounded to bfloat16."""
    return bool((np.abs(array.sum(axis=-1) - 1) <= OF_A_FORMAT * BFLOAT16).all())


def _logarithm_of(probabilities: Value) -> Value:
    """ln of a step that is recorded itself: it goes by the same path."""
    kind = probabilities.kind._replace(symbol=f"ln {probabilities.kind.symbol}", is_distribution=False)
    with np.errstate(divide="ignore"):
        return Value(probabilities.path, kind, np.log(probabilities.array), logarithm, (probabilities,))
