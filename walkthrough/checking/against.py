"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from walkthrough.checking.likely import likely_cause
from walkthrough.checking.tensors import Theirs
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

OUTCOMES = ("same", "follows", "differs")
_ROUNDINGS = 64
"""Roundings of the float type that a number may be off by, of the largest number of its row."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One step: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    cause: what would explain the difference, if anything is known that would
    """

    theirs: Theirs
    outcome: str
    row: int
    column: int
    cause: str = ""

    @property
    def value(self) -> Value:
        """Our step."""
        return self.theirs.value

    @property
    def found(self) -> float:
        """Their number where they differ."""
        return float(self.theirs.array[self.row, self.column])

    @property
    def right(self) -> float:
        """Our number there."""
        return float(self.value.array[self.row, self.column])


@dataclass(frozen=True, slots=True)
class Comparison:
    """All steps that both have, in the order of the calculation; names of theirs that fit no step."""

    name: str
    trace: Trace
    steps: tuple[Compared, ...]
    unused: tuple[str, ...] = ()

    @property
    def first(self) -> Compared | None:
        """The first step that differs."""
        return next((step for step in self.steps if step.outcome == "differs"), None)

    @property
    def summary(self) -> dict[str, int]:
        """How many steps have each outcome."""
        counts = Counter(step.outcome for step in self.steps)
        return {outcome: counts[outcome] for outcome in OUTCOMES}


def compare(trace: Trace, theirs: Sequence[Theirs], unused: Sequence[str] = (), name: str = "") -> Comparison:
    """Compares their matrices with the trace, step by step in the order of the calculation."""
    by_value = {id(one.value): one for one in theirs}
    given = {id(one.value): one.array for one in theirs}
    known = _Followed(given)
    steps = [_compared(by_value[id(value)], known) for value in trace if id(value) in by_value]
    return Comparison(name, trace, tuple(steps), tuple(unused))


class _Followed:
    """Their calculation: their numbers where they gave them, and what comes of these where they did not."""

    def __init__(self, given: dict[int, Array]) -> None:
        self.given = given
        self._known: dict[int, Array] = {}

    def array(self, value: Value) -> Array:
        """Their numbers of a step, or what they must be."""
        if id(value) in self.given:
            return self.given[id(value)]
        if id(value) not in self._known:
            self._known[id(value)] = self.computed(value)
        return self._known[id(value)]

    def computed(self, value: Value) -> Array:
        """A step computed from their numbers; ours where none of theirs went in."""
        if value.operation is None:
            return value.array
        inputs = [self.array(given) for given in value.inputs]
        if all(array is given.array for array, given in zip(inputs, value.inputs, strict=True)):
            return value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*inputs, **value.settings)


def _compared(theirs: Theirs, known: _Followed) -> Compared:
    value = theirs.value
    off = beyond(theirs.array, value.array, theirs.epsilon)
    if off.max(initial=0.0) <= 0:
        return Compared(theirs, "same", 0, 0)
    wanted = known.computed(value)
    left = beyond(theirs.array, wanted, theirs.epsilon * _growth(value))
    follows = wanted is not value.array and left.max(initial=0.0) <= 0
    row, column = divmod(int((off if follows else left).argmax()), value.shape[1])
    if follows:
        return Compared(theirs, "follows", row, column)
    inputs = [known.array(given) for given in value.inputs]
    cause = likely_cause(value, inputs, lambda array: bool(beyond(theirs.array, array, theirs.epsilon).max() <= 0))
    return Compared(theirs, "differs", row, column, cause)


def _growth(value: Value) -> float:
    """How much more the rounding of their own numbers may matter in a step computed from these."""
    return 4.0 if value.operation is not None and value.operation.name not in ("mask", "concatenate") else 1.0


def beyond(found: Array, right: Array, epsilon: float) -> Array:
    """By how much each number is off, beyond 64 roundings of the largest number of its row; 0 where it is not."""
    with np.errstate(all="ignore"):
        finite = np.where(np.isfinite(right), np.abs(right), 0.0)
        allowed = _ROUNDINGS * epsilon * np.maximum(finite.max(axis=1, keepdims=True, initial=0.0), 1e-30)
        off = np.abs(found - right)
        off = np.where(found == right, 0.0, np.where(np.isnan(right), 0.0, np.where(np.isnan(off), np.inf, off)))
        hidden = np.isneginf(right) & (found < -1e4)  # they may hide with a large negative number
        return np.where(hidden | (off <= allowed), 0.0, off)
