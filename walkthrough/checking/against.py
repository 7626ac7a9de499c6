"""Compares an engineer's own intermediates with a trace: the first step and cell that differ, and what follows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from walkthrough.checking.likely import likely_cause
from walkthrough.checking.replay import Replay
from walkthrough.checking.tensors import ExternalTensor
from walkthrough.expressions.intervals import Arithmetic, Interval
from walkthrough.expressions.nodes import Cell
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

OUTCOMES = ("same", "follows", "differs")
_ROUNDINGS = 64
"""Roundings of the float type that a number may be off by, of the largest number of its row."""
_SLACK = 3.0
"""A number computed from theirs may lie so many widths beyond what the roundings of one operation explain."""
_MOST_READ = 100_000
"""Numbers that a step may read to be compared that closely."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One of theirs: `same`, `differs`, or `follows` (right for the numbers that went in); where it is most off.

    A matrix that fits in no layout of its step differs; it has no place.

    cause: what would explain the difference, if anything is known that would
    """

    theirs: ExternalTensor
    outcome: str
    row: int
    column: int
    cause: str = ""

    @property
    def value(self) -> Value:
        """Our step."""
        return self.theirs.value

    @property
    def shapes(self) -> str:
        """Both shapes, where they do not fit."""
        theirs, ours = ("×".join(map(str, shape)) for shape in (self.theirs.array.shape, self.value.shape))
        return "" if self.theirs.fits else f"theirs {theirs}, ours {ours}"

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
    """All of theirs that are steps of ours, in the order of the calculation; names of theirs that fit no step."""

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


def compare(trace: Trace, tensors: Sequence[ExternalTensor], unused: Sequence[str] = (), name: str = "") -> Comparison:
    """Compares their matrices with the trace, step by step in the order of the calculation.

    Where several of theirs are one step, each is compared; they may have gone on with any of them.
    """
    by_step: dict[Value, list[ExternalTensor]] = {}
    for tensor in tensors:
        by_step.setdefault(tensor.value, []).append(tensor)
    best, other = _Inputs(), _Inputs()
    steps: list[Compared] = []
    for value in trace:
        is_behind = any(step.outcome == "differs" for step in steps)
        judged = [_judged(tensor, best, other, is_behind, trace) for tensor in by_step.get(value, ())]
        steps += judged
        fitting = sorted((one for one in judged if one.theirs.fits), key=lambda one: one.outcome == "differs")
        if fitting:
            differs = fitting[0].outcome == "differs"
            other.take(_turned_where_right(fitting[0].theirs, best) if differs else fitting[-1].theirs)
            best.take(fitting[0].theirs)
    return Comparison(name, trace, tuple(steps), tuple(unused))


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
    if not tensor.fits:
        return Compared(tensor, "differs", 0, 0)
    found = _compared(tensor, best, is_behind, trace)
    if found.outcome != "differs" or best.is_like(other):
        return found
    again = _compared(tensor, other, is_behind, trace)
    return found if again.outcome == "differs" else again


def _compared(tensor: ExternalTensor, inputs: _Inputs, is_behind: bool, trace: Trace) -> Compared:
    """Compares one step with what comes of the steps before it."""
    value, replay = tensor.value, inputs.replay
    from_ours, from_theirs = beyond(tensor, value.array), beyond(tensor, replay.computed(value))
    if value.inputs and all(one in inputs.tensors or one.operation is None for one in value.inputs):
        epsilons = [inputs.tensors[one].epsilon for one in value.inputs if one in inputs.tensors]
        arrays = [replay.array(one) for one in value.inputs]
        from_theirs = strictly_beyond(tensor, arrays, max(tensor.epsilon, *epsilons, 0.0), from_theirs)
    differs, is_off = from_theirs.any(), from_ours.any()
    row, column = divmod(int((from_theirs if differs else from_ours).argmax()), value.shape[1])
    if not differs:
        return Compared(tensor, "follows" if is_behind and is_off else "same", row, column)
    if not is_off and value.operation is None:
        return Compared(tensor, "same", row, column)
    cause = likely_cause(value, replay, lambda array: not beyond(tensor, array).any(), trace)
    return Compared(tensor, "differs", row, column, cause)


def beyond(tensor: ExternalTensor, right: Array) -> Array:
    """By how much each number is off, beyond 64 roundings of the largest number of its row; 0 where it is not."""
    found = tensor.array
    with np.errstate(all="ignore"):
        largest = np.where(np.isfinite(right), np.abs(right), 0.0).max(axis=1, keepdims=True, initial=0.0)
        allowed = _ROUNDINGS * (tensor.epsilon * largest + tensor.smallest)
        off = np.abs(found - right)
        off = np.where((found == right) | np.isnan(right), 0.0, np.where(np.isnan(off), np.inf, off))
        hidden = np.isneginf(right) & (found < -1e4)  # they may hide with a large negative number
        return np.where(hidden | (off <= allowed), 0.0, off)


def strictly_beyond(tensor: ExternalTensor, inputs: Sequence[Array], epsilon: float, rough: Array) -> Array:
    """By how much numbers are off that were computed from known ones, beyond the roundings of this operation alone."""
    value, found = tensor.value, tensor.array
    if value.operation is None or found.size * max(sum(array.shape) for array in inputs) > _MOST_READ:
        return rough
    off = np.where(np.isfinite(rough), 0.0, rough)
    bounds = _points(inputs, epsilon / 2)
    for row, column in np.ndindex(value.shape):
        expression = value.operation.cell(row, column, *(one.shape for one in inputs), **value.settings)
        low, high = Arithmetic(bounds, epsilon / 2).interval(expression)
        slack = _SLACK * (high - low) + _ROUNDINGS * tensor.smallest
        number = found[row, column]
        if np.isfinite(number) and math.isfinite(slack) and not low - slack <= number <= high + slack:
            off[row, column] = max(low - number, number - high)
    return off


def _points(inputs: Sequence[Array], roundoff: float) -> Callable[[Cell], Interval]:
    """Each number, give or take its own rounding: theirs may have been kept with more digits, ours with fewer."""

    def point(cell: Cell) -> Interval:
        number = float(inputs[cell.operand][cell.row, cell.column])
        margin = abs(number) * roundoff if math.isfinite(number) else 0.0
        return number - margin, number + margin

    return point
