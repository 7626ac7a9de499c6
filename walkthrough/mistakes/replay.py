"""Somebody else's calculation: their numbers where they gave them, and what comes of these where they did not."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Mapping

from walkthrough.operations.definition import Array
from walkthrough.recording.recalculation import Recalculation, Rounding
from walkthrough.recording.values import Value

_MOST_STEPS = 40
"""So far back a step is looked for that they did not give."""
FAR_BACK = 600
"""The same for what may have been done alike in many steps, or long before."""


class Replay(Recalculation):
    """Their numbers by step; the steps before them that they did not give are computed from what they gave.

    may_break: a mistake is looked for that gives what is no number
    rounding:  of what follows from their numbers; by default nothing is rounded
    before:    the calculation that this one differs from: what its own numbers do not go into is taken from there
    """

    def __init__(
        self,
        given: Mapping[Value, Array],
        may_break: bool = False,
        before: Replay | None = None,
        rounding: Rounding | None = None,
    ) -> None:
        super().__init__(given, rounding, before)
        self.may_break = may_break

    def with_changes(self, changes: Mapping[Value, Array]) -> Replay:
        """The same calculation with other numbers of some steps."""
        if self.rounding is not None:
            changes = {value: self.rounding(value, array) for value, array in changes.items()}
        return Replay({**self.given, **changes}, self.may_break, self, self.rounding)

    def without(self, dropped: Container[Value]) -> Replay:
        """The same calculation where they did not give some of the steps."""
        kept = {value: array for value, array in self.given.items() if value not in dropped}
        return Replay(kept, self.may_break, rounding=self.rounding)

    def steps_not_given(self, value: Value, most: int = _MOST_STEPS) -> Iterator[Value]:
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
