"""A calculation that goes on from the printed numbers exactly as printed, rounding nothing between."""

from __future__ import annotations

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags, Places
from walkthrough.recording.values import Value


class Points:
    """The numbers that follow from printed ones, computed when asked for."""

    def __init__(self) -> None:
        self._printed: dict[Value, tuple[Array, Flags]] = {}  # row by row, and which of them were printed
        self._known: dict[Value, Array] = {}
        self._computed: dict[Value, Array] = {}

    def fork(self) -> Points:
        """Another calculation that has begun in the same way."""
        other = Points()
        other._printed = {value: (held.copy(), is_held.copy()) for value, (held, is_held) in self._printed.items()}
        other._known, other._computed = dict(self._known), dict(self._computed)
        return other

    def carry(self, value: Value, at: Places | int, numbers: Array | float) -> None:
        """Goes on with these numbers of a value. at: their places, row by row"""
        if value not in self._printed:
            size = value.array.size
            self._printed[value] = np.zeros(size), np.zeros(size, dtype=bool)
        held, is_held = self._printed[value]
        held[at], is_held[at] = numbers, True
        self._known.pop(value, None)

    def computed(self, value: Value) -> Array:
        """A value as its inputs give it: worked out once all numbers before it have been carried."""
        if value not in self._computed:
            self._computed[value] = self._forward(value)
        return self._computed[value]

    def _forward(self, value: Value) -> Array:
        if value.operation is None or not any(self._moves(given) for given in value.inputs):
            return value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*(self.of(given) for given in value.inputs), **value.settings)

    def of(self, value: Value) -> Array:
        """A value as the calculation goes on with it."""
        waiting = [value]
        while waiting:
            step = waiting[-1]
            missing = [] if step in self._known else [one for one in step.inputs if one not in self._known]
            waiting += missing
            if not missing:
                waiting.pop()
                if step not in self._known:
                    self._known[step] = self._continued(step)
        return self._known[value]

    def _moves(self, value: Value) -> bool:
        return self.of(value) is not value.array

    def _continued(self, value: Value) -> Array:
        array = self.computed(value)
        if value in self._printed:
            held, is_held = self._printed[value]
            array = np.where(is_held, held, array.ravel()).reshape(array.shape)
        return array
