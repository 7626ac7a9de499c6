"""Dropout: in training some numbers are dropped, and the others made larger. Srivastava et al. 2014.

Where: the summed embeddings, the attention weights, the hidden layer, and each sub-layer's output before the residual
(Vaswani et al. 2017, §5.4, and common practice). Outside of training it does nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.loss import drop
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.text import did_you_mean, printable

MASK = Kind("mask", "M_D", "Dropout mask", "1: kept; 0: dropped in this training step.")
OUTPUT = Kind("output", "Dr", "After dropout", "What is kept, made larger so that sums stay as large as before.")


class DropoutError(ValueError):
    """A given mask that fits nowhere."""


class Dropout:
    """The dropout of one training step: its rate, its random numbers, and the masks that the scenario gives."""

    def __init__(self, rate: float, seed: int, given: Mapping[str, Array]) -> None:
        self.rate = rate
        self.random = np.random.default_rng(seed)
        self.given = given
        self.places: list[str] = []

    def apply(self, recorder: Recorder, name: str, x: Value) -> Value:
        """Records mask and result under `name`."""
        part = recorder.under(name)
        self.places.append(part.place)
        mask = self._given(part.place, x)
        if mask is None:
            mask = (self.random.random(x.shape) >= self.rate).astype(np.float64)
        keep = part.given(MASK, mask, x.rows, x.columns, fresh=True)
        return part.record(OUTPUT, drop, x, keep, rate=self.rate)

    def check(self) -> None:
        """Raises a DropoutError for a given mask of which no dropout is the place."""
        for place in self.given:
            if place not in self.places:
                hint = did_you_mean(place, self.places) or f"there are {', '.join(self.places[:5])}"
                raise DropoutError(f"dropout.masks: no dropout is called {printable(place)!r}; {hint}")

    def _given(self, place: str, x: Value) -> Array | None:
        mask = self.given.get(place)
        if mask is not None and mask.shape != x.shape:
            wrong, right = ("×".join(map(str, shape)) for shape in (mask.shape, x.shape))
            raise DropoutError(f"dropout.masks: the mask of {place} is {wrong}, expected {right}")
        if mask is not None and not np.isin(mask, (0, 1)).all():
            raise DropoutError(f"dropout.masks: the mask of {place} has numbers that are neither 0 nor 1")
        return mask


def no_dropout(recorder: Recorder, name: str, x: Value) -> Value:
    """Outside of training nothing is dropped."""
    return x
