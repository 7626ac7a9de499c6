"""Somebody else's calculation: their numbers where they gave them, and what comes of these where they did not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

_MOST_STEPS = 40
"""So far back a step is looked for that they did not give."""


class Replay:
    """Their numbers by step; steps before them that they did not give are computed from what they gave."""

    def __init__(self, given: dict[int, Array]) -> None:
        self.given = given
        self._known: dict[int, Array] = {}

    def array(self, value: Value) -> Array:
        """Their numbers of a step, or what they must be."""
        if id(value) in self.given:
            return self.given[id(value)]
        waiting = [value]
        while waiting:  # a long chain is not followed in one recursion
            missing = [one for one in waiting[-1].inputs if id(one) not in self.given and id(one) not in self._known]
            waiting += missing
            if not missing:
                done = waiting.pop()
                self._known[id(done)] = self._computed(done)
        return self._known[id(value)]

    def computed(self, value: Value) -> Array:
        """A step computed from their numbers; ours where none of theirs went in."""
        for given in value.inputs:
            self.array(given)
        return self._computed(value)

    def _computed(self, value: Value) -> Array:
        if value.operation is None:
            return value.array
        inputs = [self.given.get(id(one), self._known.get(id(one), one.array)) for one in value.inputs]
        if all(array is given.array for array, given in zip(inputs, value.inputs, strict=True)):
            return value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*inputs, **value.settings)

    def instead(self, step: Value, array: Array) -> Replay:
        """The same calculation with one step done otherwise."""
        return Replay({**self.given, id(step): array})

    def not_given(self, value: Value) -> Iterator[Value]:
        """The step itself, and those before it that they did not give, the nearest first."""
        waiting, seen = [value], {id(value)}
        for _ in range(_MOST_STEPS):
            if not waiting:
                return
            step = waiting.pop(0)
            yield step
            for given in step.inputs:
                if id(given) not in seen and id(given) not in self.given and given.operation is not None:
                    seen.add(id(given))
                    waiting.append(given)
