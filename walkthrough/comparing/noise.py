"""How far roundings are carried: by a softmax of large scores, by Adam, which divides a gradient by its own size."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from walkthrough.comparing.harmless import SCORES
from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.thresholds import OF_A_FORMAT
from walkthrough.comparing.tolerance import largest_of_rows
from walkthrough.comparing.unmoved import gradient_of
from walkthrough.mistakes.mistake import Instead, change
from walkthrough.mistakes.search import redo_all
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import add
from walkthrough.operations.training.loss import cross_entropy_gradient
from walkthrough.operations.training.update import direction, gradient_step
from walkthrough.recording import parts
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value, finite_sizes

WHY = "gradients cancel, and Adam divides what roundings leave of them by its own size: this cannot be judged"
_DRAWN = 3
"""Other roundings that are drawn, beside those that are all one way."""


def largest_term(gradient: Value, replay: Recalculation) -> float:
    """How large what a gradient is computed from is: of a difference of near numbers roundings are left."""
    steps = list(steps_not_given(gradient, replay.given, FAR_BACK))
    terms = {one for step in steps for one in (step, *step.inputs) if parts.is_backwards(one.path)}
    sizes = [largest_of_rows(replay.array(one)).max(initial=0.0) for one in terms if one.operation is not None]
    starts = (step for step in steps if step.operation is cross_entropy_gradient)
    sizes += [1 / step.settings["count"] for step in starts]  # a share near 1, minus 1
    return max(sizes, default=0.0)


class Noise:
    """The parameters that Adam has moved, and how far other roundings of their gradients carry a step."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._moved = {  # the gradients, by what they move
            update: gradient_of(update, trace)
            for update in trace
            if update.operation is gradient_step and any(one.operation is direction for one in update.inputs)
        }
        self._gradients = {one for one in trace if parts.gradient_of(one.path)} if self._moved else set()
        self._terms: dict[Value, float] = {}

    def carried(self, tensor: ExternalTensor, replay: Recalculation) -> Array | float:
        """By how much each number may be off, as gradients before it that were not given may be rounded otherwise."""
        most = {
            gradient: OF_A_FORMAT * tensor.epsilon * self._term(gradient, replay)
            for gradient in self._not_given(tensor.value, replay)
        }
        return _drawn(tensor.value, most, replay) if most else 0.0

    def as_moved(self, value: Value, replay: Recalculation) -> Recalculation:
        """Such gradients are taken as they are: Adam leaves little but their signs, which other mistakes give too."""
        redone = replay
        for gradient in self._not_given(value, replay):
            redone = replay.with_changes({}) if redone is replay else redone
            clipped = self._trace.get(gradient.path.replace("gradient.", "clipped.", 1))
            for one in (gradient, clipped or gradient):
                redone.give(one, replay.array(one))
        return redone

    def _not_given(self, value: Value, replay: Recalculation) -> list[Value]:
        """The gradients that were not given, in the order of the calculation, of what Adam has moved before a step."""
        if not self._moved:
            return []
        before = set(steps_not_given(value, replay.given.keys() | self._gradients, FAR_BACK))
        return [of for update, of in self._moved.items() if update in before and of not in replay.given]

    def beside_scores(self, tensor: ExternalTensor, replay: Recalculation) -> ExternalTensor:
        """A matrix, and how far other roundings of scores carry it: a softmax turns them into shares of each weight."""
        value = tensor.value
        before = [] if parts.is_backwards(value.path) else list(steps_not_given(value, replay.given))[1:]
        own = {one for one in before if pass_of(one.path) == pass_of(value.path)}
        scores = [one for one in self._trace if one in own and one.path.rpartition(".")[2] in SCORES]
        most = {one: OF_A_FORMAT * tensor.epsilon * largest_of_rows(replay.array(one)) for one in scores}
        return tensor.replace(drift=_drawn(value, most, replay)) if most else tensor

    def _term(self, gradient: Value, replay: Recalculation) -> float:
        if gradient not in self._terms:
            self._terms[gradient] = largest_term(gradient, replay)
        return self._terms[gradient]


def _drawn(value: Value, most: Mapping[Value, Array | float], replay: Recalculation) -> Array:
    """How far a step is carried where others before it, in the order of the calculation, are off by up to so much."""
    right, off = replay.compute(value), []
    random = np.random.default_rng(0)
    for low, high in [(-1, -1), (1, 1), *[(-1, 1)] * _DRAWN]:
        drawn = {one: size * random.uniform(low, high, one.shape) for one, size in most.items()}
        places = [(one, Instead(add, (change(one), array))) for one, array in drawn.items()]
        _, redone = redo_all(places, replay)
        with np.errstate(invalid="ignore"):  # what is masked is -∞ either way
            off.append(finite_sizes(redone.compute(value) - right))
    return np.asarray(np.maximum.reduce(off))
