"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from walkthrough.comparing.alike import as_written, remark, rounded
from walkthrough.comparing.chosen import chosen
from walkthrough.comparing.evidence import Witnesses
from walkthrough.comparing.matching import ExternalTensor, NotCompared, Theirs
from walkthrough.comparing.patterns import dropped, observations
from walkthrough.comparing.search import likely_cause
from walkthrough.comparing.stories import Judge, Story
from walkthrough.comparing.tolerance import FINEST, beyond, is_nearer, strictly_beyond
from walkthrough.mistakes.replay import Replay
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_ROUGH = 1e-4
"""A type with so few digits cannot tell one number in a cause from the next."""
_NUMBERED = ("the base is", "epsilon is 1", "divided by √", "the slope is")
OUTCOMES = ("same", "follows", "differs")


@dataclass(frozen=True, slots=True)
class Compared:
    """One of theirs: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    cause: what would explain the difference, if anything is known that would
    note:  why it is the same although numbers differ
    """

    theirs: ExternalTensor
    outcome: str
    row: int
    column: int
    cause: str | None = None
    note: str = ""

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


@dataclass(frozen=True)
class Comparison:
    """All of theirs that are steps of ours, in the order of the calculation; those of theirs that fit no step."""

    name: str
    trace: Trace
    steps: tuple[Compared, ...]
    not_compared: tuple[NotCompared, ...] = ()

    @property
    def first(self) -> Compared | None:
        """The first step that differs."""
        return next((step for step in self.steps if step.outcome == "differs"), None)

    @property
    def cause(self) -> str | None:
        """What would explain the first difference, if anything is known that would."""
        return self.first.cause if self.first is not None else None

    @property
    def summary(self) -> dict[str, int]:
        """How many steps have each outcome."""
        counts = Counter(step.outcome for step in self.steps)
        return {outcome: counts[outcome] for outcome in OUTCOMES}


def compare(trace: Trace, tensors: Sequence[Theirs], others: Iterable[NotCompared] = (), name: str = "") -> Comparison:
    """Compares their matrices with the trace, step by step in the order of the calculation.

    Where several of theirs are one step, each is compared; they may have gone on with any of them.
    """
    by_step: dict[Value, list[Theirs]] = {}
    for tensor in tensors:
        for value in dict.fromkeys(value for reading in tensor.readings for value, _ in reading.pieces):
            by_step.setdefault(value, []).append(tensor)
    best, other = _Inputs(), _Inputs()
    read: dict[int, list[ExternalTensor]] = {}
    steps: list[Compared] = []
    judging = _Judging(trace, by_step)
    for value in trace:
        for tensor in by_step.get(value, ()):
            if id(tensor) not in read:
                read[id(tensor)] = chosen(tensor, best.replay)
        here = [one for tensor in by_step.get(value, ()) for one in read[id(tensor)] if one.value is value]
        judging.is_first = not any(step.outcome == "differs" for step in steps)
        judged = _with_the_last_cause([judging.judged(one, best, other) for one in here])
        steps += judged
        if judged:
            judged.sort(key=lambda one: one.outcome == "differs")
            differs = judged[0].outcome == "differs"
            other.take(_turned_where_right(judged[0].theirs, best) if differs else judged[-1].theirs)
            best.take(judged[0].theirs)
    return Comparison(name, trace, tuple(steps), tuple(others))


def _with_the_last_cause(judged: list[Compared]) -> list[Compared]:
    """Where several names of theirs are one step and all differ, the last is what they went on with: it tells why."""
    causes = list(dict.fromkeys(one.cause for one in judged if one.cause))
    if len(causes) < 2 or any(one.outcome != "differs" for one in judged):
        return judged
    return [replace(judged[0], cause=causes[-1]), *judged[1:]]


class _Inputs:
    """What the next steps are computed from: one of their matrices for each step that they gave."""

    def __init__(self) -> None:
        self.tensors: dict[Value, ExternalTensor] = {}
        self.replay = Replay({})

    def take(self, tensor: ExternalTensor) -> None:
        """Takes a matrix for its step."""
        self.tensors[tensor.value] = tensor
        self.replay.give(tensor.value, tensor.array)

    def is_like(self, other: _Inputs) -> bool:
        """Whether the other takes the same matrices."""
        return all(tensor.array is other.tensors[value].array for value, tensor in self.tensors.items())


def _turned_where_right(tensor: ExternalTensor, inputs: _Inputs) -> ExternalTensor:
    """A square matrix the other way round where it is right that way: perhaps it was only written so."""
    if tensor.value.shape[0] != tensor.value.shape[1]:
        return tensor
    turned = replace(tensor, array=tensor.array.T)
    return tensor if beyond(turned, inputs.replay.computed(tensor.value)).any() else turned


class _Judging:
    """Compares one step after the other with what comes of those before it.

    is_first: no step before it differs
    """

    def __init__(self, trace: Trace, given: Mapping[Value, Sequence[Theirs]]) -> None:
        self.trace = trace
        self.given = given
        self.is_first = True

    def judged(self, tensor: ExternalTensor, best: _Inputs, other: _Inputs) -> Compared:
        """Compares one step with what comes of either."""
        found = self._compared(tensor, best)
        if found.outcome != "differs" or best.is_like(other):
            return found
        again = self._compared(tensor, other)
        return found if again.outcome == "differs" else again

    def _compared(self, tensor: ExternalTensor, inputs: _Inputs) -> Compared:
        """Compares one step with what comes of the steps before it."""
        value, replay = tensor.value, inputs.replay
        right = replay.computed(value)
        from_ours, from_theirs = beyond(tensor, value.array), beyond(tensor, right)
        if not from_ours.any() and from_theirs.any():  # right, whatever was given before it
            return Compared(tensor, "same", *divmod(int(from_theirs.argmax()), value.shape[1]))
        if value.inputs and all(one in inputs.tensors or one.operation is None for one in value.inputs):
            epsilons = [inputs.tensors[one].epsilon for one in value.inputs if one in inputs.tensors]
            arrays = [replay.array(one) for one in value.inputs]
            from_theirs = strictly_beyond(tensor, arrays, max(tensor.epsilon, *epsilons, 0.0), from_theirs)
        differs, is_off = from_theirs.any(), from_ours.any()
        row, column = divmod(int((from_theirs if differs else from_ours).argmax()), value.shape[1])
        alike = "follows" if is_off and not self.is_first else "same"
        if not differs:
            cause = self._cause_of_little(tensor, right, replay) if tensor.epsilon > FINEST else None
            return Compared(tensor, "differs", row, column, cause) if cause else Compared(tensor, alike, row, column)
        if note := remark(tensor, (right, value.array), self.trace):
            return Compared(tensor, alike, row, column, note=note)
        if note := rounded(tensor, (right, value.array)):
            cause = self._cause_of_little(as_written(tensor), right, replay)
            return Compared(tensor, "differs" if cause else alike, row, column, cause, "" if cause else note)
        return Compared(tensor, "differs", row, column, self._cause(tensor, replay))

    def _cause(self, tensor: ExternalTensor, replay: Replay) -> str | None:
        """The mistake that gives these numbers: to the precision of their type, else to that of float32."""
        right, no_number = replay.computed(tensor.value), np.isnan(tensor.array)
        if cause := dropped(tensor, right):
            return cause
        if no_number.any():
            replay = Replay(replay.given, may_break=True)
        judge = Judge(tensor, right, self._witnesses, partial(_explains, tensor, no_number))
        if cause := likely_cause(tensor.value, replay, judge, self.trace, self.is_first):
            return cause
        seen = observations(tensor.array, right)
        return judge.told(Story(words, tensor.value, {}, array) for words, array in seen) or None

    def _cause_of_little(self, tensor: ExternalTensor, right: Array, replay: Replay) -> str | None:
        """A mistake that fits numbers much better which are near the right ones: perhaps a misplaced epsilon."""
        if tensor.value.operation is None or not is_nearer(tensor, right, np.zeros(())):
            return None
        judge = Judge(tensor, right, self._witnesses, partial(is_nearer, tensor, right))
        cause = likely_cause(tensor.value, replay, judge, self.trace, is_first=False)
        is_rough = tensor.epsilon > _ROUGH and cause.startswith(_NUMBERED)
        return cause + ", or another near it" if is_rough else cause or None

    @cached_property
    def _witnesses(self) -> Witnesses:
        """All that they gave, each read as it fits best."""
        read: dict[Value, list[ExternalTensor]] = {}
        nothing = Replay({})
        for tensor in {id(one): one for some in self.given.values() for one in some}.values():
            for one in chosen(tensor, nothing):
                read.setdefault(one.value, []).append(one)
        return Witnesses(self.trace, read)


def _explains(tensor: ExternalTensor, no_number: Any, array: Array) -> bool:
    return not beyond(tensor, array).any() and (tensor.value.unknown or np.array_equal(np.isnan(array), no_number))
