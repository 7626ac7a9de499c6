"""A calculation that goes on from the printed numbers exactly as printed, rounding nothing between."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value


class Points:
    """The numbers that follow from printed ones, computed when asked for."""

    def __init__(self) -> None:
        self._printed: dict[Value, dict[tuple[int, int], float]] = {}
        self._known: dict[Value, Array] = {}
        self._computed: dict[Value, Array] = {}

    def fork(self) -> Points:
        """Another calculation that has begun in the same way."""
        other = Points()
        other._printed = {value: dict(cells) for value, cells in self._printed.items()}
        other._known, other._computed = dict(self._known), dict(self._computed)
        return other

    def carry(self, value: Value, row: int, column: int, number: float) -> None:
        """Goes on with this number."""
        self._printed.setdefault(value, {})[row, column] = number
        self._known.pop(value, None)

    def carry_all(self, value: Value, numbers: Mapping[tuple[int, int], float]) -> None:
        """Goes on with these numbers of a value."""
        self._printed.setdefault(value, {}).update(numbers)
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
        printed = self._printed.get(value)
        if printed:
            array = array.copy()
            for (row, column), number in printed.items():
                array[row, column] = number
        return array
