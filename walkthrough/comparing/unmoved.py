"""Parameters that a step of PyTorch's optimizers passes over, as they have no gradient there: it is None, not 0.

Such are those of an expert that was sent no token: neither decay nor moments move them, nor is the step counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Self

import numpy as np

from walkthrough.comparing.matching.passes import split_call
from walkthrough.comparing.matching.tensors import Theirs
from walkthrough.operations.definition import Array
from walkthrough.operations.training.update import correct_moment, decay, gradient_step, moment, velocity
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

WHY = "PyTorch leaves a parameter as it is whose gradient is None; here the gradient is 0, and the step moves it"


class Unmoved:
    """The parameters that may have had no gradient in a step, and what this changes.

    updates: the paths of their updates
    """

    def __init__(self, updates: Collection[str], trace: Trace) -> None:
        self._updates, self._trace = updates, trace
        self._passed_over = Counter[str]()

    @classmethod
    def as_captured(cls, tensors: Sequence[Theirs], names: Iterable[str], trace: Trace) -> Self:
        """Those that were captured after a step, and without a gradient; names: of all that was captured."""
        names = set(names)
        without = [one for one in tensors if _has_no_gradient(one.name, names)]
        return cls({value.path for one in without for reading in one.readings for value, _ in reading.pieces}, trace)

    def is_left(self, update: Value, replay: Recalculation) -> bool:
        """Whether an update leaves its parameter as it was: nothing else is said of it, and its gradient is 0."""
        if update.path not in self._updates:
            return False
        return not replay.array(gradient_of(update, self._trace)).any()

    def count(self, update: Value) -> None:
        """Takes down that a step has passed over a parameter."""
        self._passed_over[_parameter(update)] += 1

    def carried(self, value: Value, replay: Recalculation) -> Array | None:
        """What an optimizer has carried on for a parameter that it passed over; None where it is what is recorded."""
        if value.operation is correct_moment and (missed := self._passed_over[_parameter(value)]):
            step = value.settings["step"] - missed
            return correct_moment.forward(replay.array(value.inputs[0]), value.settings["beta"], step) if step else None
        if value.operation not in (moment, velocity):
            return None
        update = self._trace.get(f"{pass_of(value.path)}update.{_parameter(value)}")
        if update is None or not self.is_left(update, replay):
            return None
        before = value.inputs[1:] if value.operation is moment else value.inputs[:1]
        return replay.array(before[0]) if before else np.zeros(value.shape)


def left_where_there_is_none(value: Value, replay: Recalculation, trace: Trace) -> Array | None:
    """What follows for a step where each parameter without a gradient is left, and nobody captured what the steps did.

    None where there is none
    """
    before = set(steps_not_given(value, replay.given, FAR_BACK))
    updates = [one for one in before if one.operation is gradient_step]
    idle = {one.path for one in updates if not replay.array(gradient_of(one, trace)).any()}
    if not idle:
        return None
    unmoved, redone = Unmoved(idle, trace), replay.with_changes({})
    for step in trace:
        if step in before and unmoved.is_left(step, redone):
            redone.give(step, redone.array(before_step(step)))
            unmoved.count(step)
        elif step in before and (array := unmoved.carried(step, redone)) is not None:
            redone.give(step, array)
    return redone.compute(value)


def before_step(update: Value) -> Value:
    """A parameter before its update."""
    old = update.inputs[0]
    return old.inputs[0] if old.operation is decay else old


def gradient_of(update: Value, trace: Trace) -> Value:
    """The gradient of a parameter that is updated."""
    return trace[f"{pass_of(update.path)}gradient.{_parameter(update)}"]


def _has_no_gradient(name: str, names: set[str]) -> bool:
    """Whether a parameter was captured after a step, and no gradient of it before."""
    bare, _ = split_call(name)
    parameter, _, kind = bare.rpartition(".")
    call = name.removeprefix(bare)
    return kind == "update" and not {f"{parameter}.grad{call}", f"{parameter}.clipped{call}"} & names


def _parameter(value: Value) -> str:
    """The parameter that a step of an optimizer belongs to, by its path within a pass."""
    return within_pass(value.path).partition(".")[2]
