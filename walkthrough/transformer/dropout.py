"""Dropout: in training some numbers are dropped, and the others made larger. Srivastava et al. 2014.

Where: the summed embeddings, the attention weights, the hidden layer, and each sub-layer's output before the residual
(Vaswani et al. 2017, §5.4, and common practice). Outside of training it does nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.loss import drop
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario import schema
from walkthrough.scenario.matrices import Matrix
from walkthrough.scenario.problems import Problems, ScenarioError, Text
from walkthrough.text import did_you_mean, printable

MASK = Kind("mask", "M_D", "Dropout mask", "1: kept; 0: dropped in this training step.")
OUTPUT = Kind("output", "Dr", "After dropout", "What is kept, made larger so that sums stay as large as before.")


class DropoutError(ScenarioError):
    """Given masks that fit nowhere."""


class Dropout:
    """The dropout of one training step: its rate, its random numbers, and the masks that the scenario gives.

    array_of: the numbers of a matrix of the scenario
    number:   of the training step, counted from 1
    """

    def __init__(self, spec: schema.Dropout, source: Text, array_of: Callable[[Matrix], Array], number: int) -> None:
        self.spec = spec
        self.source = source
        self.array_of = array_of
        self.random = np.random.default_rng(spec.seed + number - 1)
        self.places: list[str] = []
        self.problems = Problems()

    def apply(self, recorder: Recorder, name: str, x: Value) -> Value:
        """Records mask and result under `name`."""
        part = recorder.under(name)
        self.places.append(part.place)
        mask = self._given(part.place, x)
        if mask is None:
            mask = (self.random.random(x.shape) >= self.spec.rate).astype(np.float64)
        keep = part.given(MASK, mask, x.rows, x.columns, fresh=True)
        return part.record(OUTPUT, drop, x, keep, rate=self.spec.rate)

    def check(self) -> None:
        """Raises a DropoutError with all faults of the given masks; a mask of which no dropout is the place is one."""
        for place, matrix in (self.spec.masks or {}).items():
            if place not in self.places:
                help = did_you_mean(place, self.places) or f"there are {', '.join(self.places[:5])}"
                self._note(matrix, f"no dropout is called {printable(place)!r}", help)
        if self.problems:
            raise DropoutError(self.source.name, self.problems.found, self.source.text)

    def _given(self, place: str, x: Value) -> Array | None:
        """The mask that the scenario gives; None where it gives none, or one that cannot be used."""
        matrix = (self.spec.masks or {}).get(place)
        if matrix is None:
            return None
        mask = self.array_of(matrix)
        if mask.shape != x.shape:
            found, expected = ("×".join(map(str, shape)) for shape in (mask.shape, x.shape))
            self._note(matrix, f"the mask of {place} is {found}, expected {expected}")
        elif not np.isin(mask, (0, 1)).all():
            self._note(matrix, f"the mask of {place} has numbers other than 0 and 1")
        else:
            return mask
        return None

    def _note(self, matrix: Matrix, message: str, help: str = "") -> None:
        self.problems.add(matrix, message, key=matrix.path, help=help)


def no_dropout(recorder: Recorder, name: str, x: Value) -> Value:
    """Outside of training nothing is dropped."""
    return x
