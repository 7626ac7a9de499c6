"""What their other steps say of a hypothesis: one that changes a step must agree with everything computed from it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from walkthrough.comparing.harmless import agrees
from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.operations.definition import Array
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


class Support(NamedTuple):
    """How many other steps agree with a hypothesis only, with the right calculation only, and with neither."""

    gain: int
    against: int
    open: int


class Evidence:
    """All matrices that they gave, by step: also those after the step that is looked at."""

    def __init__(self, trace: Trace, given: Mapping[Value, Sequence[ExternalTensor]]) -> None:
        self._given = given
        self._replay = Recalculation({value: tensors[-1].array for value, tensors in given.items()})
        self._right: dict[Value, bool] = {}
        self._readers: dict[Value, list[Value]] = {}
        for value in trace:
            for one in value.inputs:
                self._readers.setdefault(one, []).append(value)

    def support(self, value: Value, changes: Mapping[Value, Array]) -> Support:
        """What the other steps say of a hypothesis about a step that changes it or steps before it."""
        changed = self._replay.with_changes(changes)
        gain = against = left = 0
        for step in self._computed_from(value, changes):
            agrees, is_right = self._agrees(step, changed), self._is_right(step)
            gain += agrees and not is_right
            against += is_right and not agrees
            left += not is_right and not agrees
        return Support(gain, against, left)

    def _is_right(self, step: Value) -> bool:
        if step not in self._right:
            self._right[step] = self._agrees(step, self._replay)
        return self._right[step]

    def _agrees(self, step: Value, replay: Recalculation) -> bool:
        array = replay.compute(step)
        return any(agrees(one, array) for one in self._given[step])

    def _computed_from(self, value: Value, changes: Mapping[Value, Array]) -> Iterator[Value]:
        """The steps they gave, besides one, that are computed from changed ones without another of theirs between."""
        waiting, seen = list(changes), {value, *changes}
        while waiting:
            for reader in self._readers.get(waiting.pop(), ()):
                if reader in seen:
                    continue
                seen.add(reader)
                if reader in self._given:
                    yield reader
                else:
                    waiting.append(reader)
