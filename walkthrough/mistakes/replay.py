"""Somebody else's calculation: their numbers where they gave them, and what comes of these where they did not."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

_MOST_STEPS = 40
"""So far back a step is looked for that they did not give."""


class _Origins:
    """Which steps each step is computed from, as bits of a number."""

    def __init__(self) -> None:
        self._of: dict[Value, int] = {}

    def of(self, value: Value) -> int:
        """The bits of a step and of all before it."""
        waiting = [value]
        while waiting:
            missing = [one for one in waiting[-1].inputs if one not in self._of]
            waiting += missing
            if not missing:
                step = waiting.pop()
                bits = self._of.get(step, 1 << len(self._of))
                for one in step.inputs:
                    bits |= self._of[one]
                self._of[step] = bits
        return self._of[value]

    def own(self, value: Value) -> int:
        """The bit of a step."""
        bits = self.of(value)
        for one in value.inputs:
            bits &= ~self._of[one]
        return bits


class Replay:
    """Their numbers by step; the steps before them that they did not give are computed from what they gave.

    may_break: a mistake is looked for that gives what is no number
    before:    the calculation that this one differs from in `changes`: what these do not touch is taken from there
    """

    def __init__(
        self,
        given: dict[Value, Array],
        may_break: bool = False,
        before: Replay | None = None,
        changes: Iterable[Value] = (),
    ) -> None:
        self.given = given
        self.may_break = may_break
        self._before = before
        self._origins: _Origins = before._origins if before else _Origins()
        self._changed = reduce(or_, map(self._origins.own, changes), 0)
        self._computed: dict[Value, Array] = {}

    def array(self, value: Value) -> Array:
        """Their numbers of a step, or what these must be."""
        return self.given[value] if value in self.given else self.computed(value)

    def computed(self, value: Value) -> Array:
        """A step computed from their numbers; ours where none of theirs went in."""
        if self._before and not self._is_touched(value):
            return self._before.computed(value)
        waiting = [value]
        while waiting:  # a long chain is not followed in one recursion
            missing = [one for one in waiting[-1].inputs if self._is_missing(one)]
            waiting += missing
            if not missing:
                step = waiting.pop()
                self._computed[step] = self._forward(step)
        return self._computed[value]

    def _is_touched(self, value: Value) -> bool:
        return self._before is None or bool(self._origins.of(value) & self._changed)

    def _is_missing(self, value: Value) -> bool:
        return value not in self.given and value not in self._computed and self._is_touched(value)

    def _forward(self, value: Value) -> Array:
        """One step, whose inputs are there."""
        inputs = [self._known(one) for one in value.inputs]
        if value.operation is None or all(array is one.array for array, one in zip(inputs, value.inputs, strict=True)):
            return value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*inputs, **value.settings)

    def _known(self, value: Value) -> Array:
        if value in self.given:
            return self.given[value]
        if value in self._computed or self._before is None:
            return self._computed[value]
        return self._before.array(value)

    def instead(self, changes: Mapping[Value, Array]) -> Replay:
        """The same calculation with other numbers of some steps."""
        return Replay({**self.given, **changes}, self.may_break, self, changes)

    def without(self, dropped: Container[Value]) -> Replay:
        """The same calculation where they did not give some of the steps."""
        return Replay({value: array for value, array in self.given.items() if value not in dropped}, self.may_break)

    def not_given(self, value: Value, most: int = _MOST_STEPS) -> Iterator[Value]:
        """The step itself, and computed ones before it that they did not give, the nearest first."""
        waiting, seen = deque([value]), {value}
        for _ in range(most):
            if not waiting:
                return
            step = waiting.popleft()
            yield step
            fresh = [one for one in step.inputs if one not in seen and one not in self.given]
            seen.update(fresh)
            waiting += [one for one in fresh if one.operation is not None]
