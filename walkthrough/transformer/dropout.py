"""Dropout: in training some numbers are dropped, and the others made larger. Srivastava et al. 2014.

Where: the summed embeddings, the attention weights, the hidden layer, and each sub-layer's output before the residual
(Vaswani et al. 2017, §5.4, and common practice). Outside of training it does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.loss import drop
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Step, Value

MASK = Step("mask", "K", "Dropout mask", "1: kept; 0: dropped in this training step.")
OUTPUT = Step("output", "Dr", "After dropout", "What is kept, made larger so that sums stay as large as before.")


@dataclass(frozen=True, slots=True)
class Dropout:
    """The dropout of one training step: its rate, its random numbers, and the masks that the scenario gives."""

    rate: float
    random: np.random.Generator
    given: dict[str, Array]

    def apply(self, recorder: Recorder, name: str, x: Value) -> Value:
        """Records mask and result under `name`."""
        part = recorder.under(name)
        mask = self.given.get(part.place)
        if mask is None:
            mask = (self.random.random(x.shape) >= self.rate).astype(np.float64)
        keep = part.given(MASK, mask, x.rows, x.columns, fresh=True)
        return part.record(OUTPUT, drop, x, keep, rate=self.rate)


def no_dropout(recorder: Recorder, name: str, x: Value) -> Value:
    """Outside of training nothing is dropped."""
    return x
