"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from walkthrough.checking.alike import coarser, remark, rounded
from walkthrough.checking.chosen import chosen
from walkthrough.checking.closeness import FINEST, beyond, far, is_nearer, strictly_beyond
from walkthrough.checking.likely import likely_cause
from walkthrough.checking.patterns import by_itself
from walkthrough.checking.replay import Replay
from walkthrough.checking.tensors import ExternalTensor, NotCompared, Theirs
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
    for value in trace:
        for tensor in by_step.get(value, ()):
            if id(tensor) not in read:
                read[id(tensor)] = chosen(tensor, best.replay)
        here = [one for tensor in by_step.get(value, ()) for one in read[id(tensor)] if one.value is value]
        is_behind = any(step.outcome == "differs" for step in steps)
        judged = _with_all_causes([_judged(one, best, other, is_behind, trace) for one in here])
        steps += judged
        if judged:
            judged.sort(key=lambda one: one.outcome == "differs")
            differs = judged[0].outcome == "differs"
            other.take(_turned_where_right(judged[0].theirs, best) if differs else judged[-1].theirs)
            best.take(judged[0].theirs)
    return Comparison(name, trace, tuple(steps), tuple(others))


def _with_all_causes(judged: list[Compared]) -> list[Compared]:
    """Where several names of theirs are one step and all differ, the first one's cause is that of each of them."""
    causes = list(dict.fromkeys(one.cause for one in judged if one.cause))
    if len(causes) < 2 or any(one.outcome != "differs" for one in judged):
        return judged
    return [replace(judged[0], cause="; ".join(causes)), *judged[1:]]


class _Inputs:
    """What the next steps are computed from: one of their matrices for each step that they gave."""

    def __init__(self) -> None:
        self.tensors: dict[Value, ExternalTensor] = {}
        self.replay = Replay({})

    def take(self, tensor: ExternalTensor) -> None:
        """Takes a matrix for its step."""
        self.tensors[tensor.value] = tensor
        self.replay.given[tensor.value] = tensor.array

    def is_like(self, other: _Inputs) -> bool:
        """Whether the other takes the same matrices."""
        return all(tensor.array is other.tensors[value].array for value, tensor in self.tensors.items())


def _turned_where_right(tensor: ExternalTensor, inputs: _Inputs) -> ExternalTensor:
    """A square matrix the other way round where it is right that way: perhaps it was only written so."""
    if tensor.value.shape[0] != tensor.value.shape[1]:
        return tensor
    turned = replace(tensor, array=tensor.array.T)
    return tensor if beyond(turned, inputs.replay.computed(tensor.value)).any() else turned


def _judged(tensor: ExternalTensor, best: _Inputs, other: _Inputs, is_behind: bool, trace: Trace) -> Compared:
    """Compares one step with what comes of either; `is_behind`: a step before it differs."""
    found = _compared(tensor, best, is_behind, trace)
    if found.outcome != "differs" or best.is_like(other):
        return found
    again = _compared(tensor, other, is_behind, trace)
    return found if again.outcome == "differs" else again


def _compared(tensor: ExternalTensor, inputs: _Inputs, is_behind: bool, trace: Trace) -> Compared:
    """Compares one step with what comes of the steps before it."""
    value, replay = tensor.value, inputs.replay
    right = replay.computed(value)
    from_ours, from_theirs = beyond(tensor, value.array), beyond(tensor, right)
    if value.inputs and all(one in inputs.tensors or one.operation is None for one in value.inputs):
        epsilons = [inputs.tensors[one].epsilon for one in value.inputs if one in inputs.tensors]
        arrays = [replay.array(one) for one in value.inputs]
        from_theirs = strictly_beyond(tensor, arrays, max(tensor.epsilon, *epsilons, 0.0), from_theirs)
    differs, is_off = from_theirs.any(), from_ours.any()
    row, column = divmod(int((from_theirs if differs else from_ours).argmax()), value.shape[1])
    alike = "follows" if is_behind and is_off else "same"
    if not differs:
        cause = _cause_of_little(tensor, right, replay, trace) if tensor.epsilon > FINEST else None
        return Compared(tensor, "differs", row, column, cause) if cause else Compared(tensor, alike, row, column)
    if not is_off and value.operation is None:
        return Compared(tensor, "same", row, column)
    if note := remark(tensor, (right, value.array), trace):
        return Compared(tensor, alike, row, column, note=note)
    if note := rounded(tensor, (right, value.array)):
        cause = _cause_of_little(tensor, right, replay, trace)
        return Compared(tensor, "differs" if cause else alike, row, column, cause, "" if cause else note)
    return Compared(tensor, "differs", row, column, _cause(tensor, replay, trace))


def _cause(tensor: ExternalTensor, replay: Replay, trace: Trace) -> str | None:
    """The mistake that gives these numbers: to the precision of their type, else to that of float32."""
    right, no_number = replay.computed(tensor.value), np.isnan(tensor.array)
    if cause := by_itself(tensor, right):
        return cause
    if no_number.any():
        replay = Replay(replay.given, may_break=True)
    for one in (tensor, coarser(tensor)):
        if one is None:
            continue
        explains = partial(_explains, one, no_number)
        if cause := likely_cause(tensor.value, replay, explains, partial(far, one), trace):
            return cause
    return None


def _explains(tensor: ExternalTensor, no_number: Any, array: Array) -> bool:
    return not beyond(tensor, array).any() and (tensor.value.unknown or np.array_equal(np.isnan(array), no_number))


def _cause_of_little(tensor: ExternalTensor, right: Array, replay: Replay, trace: Trace) -> str | None:
    """A mistake that fits numbers much better which are near the right ones: perhaps an epsilon in the wrong place."""
    if tensor.value.operation is None or not is_nearer(tensor, right, np.zeros(())):
        return None
    cause = likely_cause(
        tensor.value, replay, lambda array: is_nearer(tensor, right, array), partial(far, tensor), trace
    )
    is_rough = tensor.epsilon > _ROUGH and cause.startswith(_NUMBERED)
    return cause + ", or another near it" if is_rough else cause or None
