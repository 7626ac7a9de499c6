"""Dropout: in training some numbers are dropped, and the others scaled up. Srivastava et al. 2014.

Where: the summed embeddings, the attention weights, the hidden layer, and each sub-layer's output before the residual
(Vaswani et al. 2017, §5.4, and common practice). Outside of training it does nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.operations.training.dropout import drop
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value
from walkthrough.scenario.schema import keys as schema
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import Problems
from walkthrough.text import did_you_mean, escape_label

MASK = Kind("mask", "M_D", "Dropout mask", fixed=True, words="dropout.mask")
OUTPUT = Kind("output", "Dr", "After dropout", words="dropout.output")

ArrayOf = Callable[[Matrix], Array]
"""The numbers of a matrix of the scenario."""


class Masks:
    """The masks that a scenario gives, by the place of their dropout; what is wrong with them goes to the problems."""

    def __init__(self, spec: schema.Dropout, array_of: ArrayOf, problems: Problems) -> None:
        self.given = spec.masks or {}
        self.array_of = array_of
        self.problems = problems
        self.places: list[str] = []

    def at(self, place: str, shape: tuple[int, int]) -> Array | None:
        """The mask of a place, whose numbers have this shape; None where none is given, or one that cannot be used."""
        self.places.append(place)
        matrix = self.given.get(place)
        if matrix is None:
            return None
        mask = self.array_of(matrix)
        if mask.shape != shape:
            found, expected = ("×".join(map(str, sizes)) for sizes in (mask.shape, shape))
            self.problems.add(matrix, f"the mask of {place} is {found}, expected {expected}")
        elif not np.isin(mask, (0, 1)).all():
            self.problems.add(matrix, f"the mask of {place} has numbers other than 0 and 1")
        else:
            return mask
        return None

    def apply(self, recorder: Recorder, name: str, x: Value) -> Value:
        """Looks at the mask of a dropout and drops nothing: enough where a model runs over shapes."""
        place = recorder.under(name).place
        if all(x.shape):
            self.at(place, x.shape)
        else:  # sizes that are not known
            self.places.append(place)
        return x

    def finish(self) -> None:
        """Notes the masks of places that there are not."""
        for place, matrix in self.given.items():
            if place not in self.places:
                help = did_you_mean(place, self.places) or f"known: {', '.join(self.places[:5])}"
                self.problems.add(matrix, f"there is no dropout called {escape_label(place)!r}", help=help)


class Dropout:
    """The dropout of one training step: its rate, its random numbers, and the masks that the scenario gives.

    number:  of the training step, counted from 1
    """

    def __init__(self, spec: schema.Dropout, array_of: ArrayOf, number: int) -> None:
        self.rate = spec.rate
        self.random = np.random.default_rng(spec.seed + number - 1)
        self.masks = Masks(spec, array_of, Problems())

    def apply(self, recorder: Recorder, name: str, x: Value) -> Value:
        """Records mask and result under `name`."""
        part = recorder.under(name)
        mask = self.masks.at(part.place, x.shape)
        if mask is None:
            mask = (self.random.random(x.shape) >= self.rate).astype(np.float64)
        keep = part.record_given(MASK, mask, x.rows, x.columns, fresh=True)
        return part.record(OUTPUT, drop, (x, keep), {"rate": self.rate})


def no_dropout(recorder: Recorder, name: str, x: Value) -> Value:
    """Outside of training nothing is dropped."""
    return x
