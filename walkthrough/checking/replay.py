"""Somebody else's calculation: their numbers where they gave them, and what comes of these where they did not."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

_MOST_STEPS = 40
"""So far back a step is looked for that they did not give."""


class Replay:
    """Their numbers by step; the steps before them that they did not give are computed from what they gave.

    may_break: a mistake is looked for that gives what is no number
    """

    def __init__(self, given: dict[Value, Array], may_break: bool = False) -> None:
        self.given = given
        self.may_break = may_break
        self._computed: dict[Value, Array] = {}

    def array(self, value: Value) -> Array:
        """Their numbers of a step, or what these must be."""
        return self.given[value] if value in self.given else self.computed(value)

    def computed(self, value: Value) -> Array:
        """A step computed from their numbers; ours where none of theirs went in."""
        waiting = [value]
        while waiting:  # a long chain is not followed in one recursion
            missing = [one for one in waiting[-1].inputs if one not in self.given and one not in self._computed]
            waiting += missing
            if not missing:
                step = waiting.pop()
                self._computed[step] = self._forward(step)
        return self._computed[value]

    def _forward(self, value: Value) -> Array:
        """One step, whose inputs are there."""
        inputs = [self.given[one] if one in self.given else self._computed[one] for one in value.inputs]
        if value.operation is None or all(array is one.array for array, one in zip(inputs, value.inputs, strict=True)):
            return value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*inputs, **value.settings)

    def instead(self, step: Value, array: Array) -> Replay:
        """The same calculation with one step done otherwise."""
        return Replay({**self.given, step: array}, self.may_break)

    def not_given(self, value: Value) -> Iterator[Value]:
        """The step itself, and computed ones before it that they did not give, the nearest first."""
        waiting, seen = [value], {value}
        for _ in range(_MOST_STEPS):
            if not waiting:
                return
            step = waiting.pop(0)
            yield step
            fresh = [one for one in step.inputs if one not in seen and one not in self.given]
            seen.update(fresh)
            waiting += [one for one in fresh if one.operation is not None]
