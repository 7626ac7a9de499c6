"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from walkthrough.comparing.cause import CauseFinder
from walkthrough.comparing.choice import choose_reading
from walkthrough.comparing.evidence import Evidence
from walkthrough.comparing.harmless import ROUNDED, as_written, is_rounded, why_harmless
from walkthrough.comparing.patterns import dropout, observations
from walkthrough.comparing.tensors import ExternalTensor, NotCompared, Theirs
from walkthrough.comparing.tolerance import FLOAT64_NOISE, beyond, is_nearer, is_visibly_off, strictly_beyond
from walkthrough.mistakes.mistake import TRANSPOSED, Mistake, mistake
from walkthrough.mistakes.replay import Replay
from walkthrough.mistakes.search import Hypothesis, hypotheses
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_ROUGH = 1e-4
"""A type with so few digits cannot tell one number in a cause from the next."""
_OR_NEAR = mistake("", "another near it")
_OTHER_NUMBERS = mistake("", "other numbers than those in the scenario")
OUTCOMES = ("same", "follows", "differs")


@dataclass(frozen=True, slots=True)
class Compared:
    """One of theirs: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    mistakes: what would explain the difference: several where the numbers do not tell them apart
    note:     why it is the same although numbers differ
    """

    theirs: ExternalTensor
    outcome: str
    row: int
    column: int
    mistakes: tuple[Mistake, ...] = ()
    note: str = ""

    @property
    def cause(self) -> str | None:
        """What would explain the difference, in words, if anything is known that would."""
        return ", or ".join(map(str, self.mistakes)) or None

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
    chosen_inputs, alternative_inputs = _Inputs(), _Inputs()
    read: dict[int, list[ExternalTensor]] = {}
    steps: list[Compared] = []
    comparer = _Comparer(trace, by_step)
    for value in trace:
        for tensor in by_step.get(value, ()):
            if id(tensor) not in read:
                read[id(tensor)] = choose_reading(tensor, chosen_inputs.replay)
        here = [one for tensor in by_step.get(value, ()) for one in read[id(tensor)] if one.value is value]
        comparer.is_first = not any(step.outcome == "differs" for step in steps)
        found = _with_the_last_cause([comparer.compared(one, chosen_inputs, alternative_inputs) for one in here])
        steps += found
        if found:
            found.sort(key=lambda one: one.outcome == "differs")
            first = found[0].theirs
            is_wrong = found[0].outcome == "differs"
            alternative_inputs.take(_transposed_where_right(first, chosen_inputs) if is_wrong else found[-1].theirs)
            chosen_inputs.take(first)
    return Comparison(name, trace, tuple(steps), tuple(others))


def _with_the_last_cause(found: list[Compared]) -> list[Compared]:
    """Where several names of theirs are one step and all differ, the last is what they went on with: it tells why."""
    causes = list(dict.fromkeys(one.mistakes for one in found if one.mistakes))
    if len(causes) < 2 or any(one.outcome != "differs" for one in found):
        return found
    return [replace(found[0], mistakes=causes[-1]), *found[1:]]


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


def _transposed_where_right(tensor: ExternalTensor, inputs: _Inputs) -> ExternalTensor:
    """A square matrix the other way round where it is right that way: perhaps it was only written so."""
    if tensor.value.shape[0] != tensor.value.shape[1]:
        return tensor
    other = replace(tensor, array=tensor.array.T)
    return tensor if beyond(other, inputs.replay.computed(tensor.value)).any() else other


class _Comparer:
    """Compares one step after the other with what comes of those before it.

    is_first: no step before it differs
    """

    def __init__(self, trace: Trace, given: Mapping[Value, Sequence[Theirs]]) -> None:
        self.trace = trace
        self.given = given
        self.is_first = True

    def compared(self, tensor: ExternalTensor, chosen: _Inputs, alternative: _Inputs) -> Compared:
        """One step beside what comes of either inputs."""
        found = self._compared(tensor, chosen)
        if found.outcome != "differs" or chosen.is_like(alternative):
            return found
        again = self._compared(tensor, alternative)
        return found if again.outcome == "differs" else again

    def _compared(self, tensor: ExternalTensor, inputs: _Inputs) -> Compared:
        """One step beside what comes of the steps before it."""
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
        outcome = "follows" if is_off and not self.is_first else "same"
        rights = (right, value.array)
        if differs and (note := why_harmless(tensor, rights, self.trace)):
            return Compared(tensor, outcome, row, column, note=note)
        if differs and not is_rounded(tensor, rights):
            return Compared(tensor, "differs", row, column, self._causes(tensor, replay))
        near = as_written(tensor) if differs else tensor
        causes = self._causes_of_little(near, right, replay) if differs or tensor.epsilon > FLOAT64_NOISE else ()
        if causes:
            return Compared(tensor, "differs", row, column, causes)
        return Compared(tensor, outcome, row, column, note=ROUNDED if differs else "")

    def _causes(self, tensor: ExternalTensor, replay: Replay) -> tuple[Mistake, ...]:
        """The mistake that gives these numbers: to the precision of their type, else to that of float32."""
        value, right, no_number = tensor.value, replay.computed(tensor.value), np.isnan(tensor.array)
        if made := dropout(tensor, right):
            return (made,)
        if no_number.any():
            replay = Replay(replay.given, may_break=True)
        fits = partial(_explains, tensor, no_number)
        if value.operation is None:
            is_transposed = value.shape[0] == value.shape[1] and fits(value.array.T)
            return (TRANSPOSED if is_transposed else _OTHER_NUMBERS,)
        finder = CauseFinder(tensor, right, self._evidence, fits)
        if causes := finder.best(hypotheses(value, replay, self.trace, self.is_first)):
            return causes
        return finder.best(Hypothesis(seen, value, {}, array) for seen, array in observations(tensor.array, right))

    def _causes_of_little(self, tensor: ExternalTensor, right: Array, replay: Replay) -> tuple[Mistake, ...]:
        """A mistake that fits numbers much better which are near the right ones: perhaps a misplaced epsilon."""
        if tensor.value.operation is None or not is_visibly_off(tensor, right):
            return ()
        finder = CauseFinder(tensor, right, self._evidence, partial(is_nearer, tensor, right))
        causes = finder.best(hypotheses(tensor.value, replay, self.trace, is_first=False))
        is_rough = tensor.epsilon > _ROUGH and any(one.is_one_of_several for one in causes)
        return (*causes, _OR_NEAR) if is_rough else causes

    @cached_property
    def _evidence(self) -> Evidence:
        """All that they gave, each read as it fits best."""
        read: dict[Value, list[ExternalTensor]] = {}
        nothing = Replay({})
        for tensor in {id(one): one for some in self.given.values() for one in some}.values():
            for one in choose_reading(tensor, nothing):
                read.setdefault(one.value, []).append(one)
        return Evidence(self.trace, read)


def _explains(tensor: ExternalTensor, no_number: Any, array: Array) -> bool:
    return not beyond(tensor, array).any() and (tensor.value.unknown or np.array_equal(np.isnan(array), no_number))
