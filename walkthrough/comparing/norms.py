"""What a program may have done otherwise with its norms: in another place, in too few bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.mistakes.mistake import Instead, Mistake, as_is, change, mistake
from walkthrough.mistakes.operations.normalization import Norm, norm_of
from walkthrough.mistakes.places import place_in_layer
from walkthrough.mistakes.search import Hypothesis, Places, try_changes, try_places
from walkthrough.number_formats import FloatFormat
from walkthrough.operations.matrix import add
from walkthrough.operations.normalization import mean_square
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_AFTER_RESIDUAL, _AFTER_PART = mistake("other.post_norm"), mistake("norm.before_residual")


class _Placed(NamedTuple):
    """A norm, the step that is its result, and the residual of its part: x + part(norm(x)), or norm(x + part(x))."""

    step: Value
    norm: Norm
    residual: Value

    @property
    def x(self) -> Value:
        return self.norm[1][0]

    @property
    def is_late(self) -> bool:
        """Whether it comes after the residual."""
        return self.x is self.residual

    def of(self, x: Value | Instead) -> Instead:
        """The norm of something else."""
        operation, (_, *given), settings = self.norm
        return Instead(operation, (x, *given), settings)


def other_norms(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Hypothesis]:
    """All norms before a step in another place."""
    before = set(steps_not_given(value, replay.given, FAR_BACK))
    order = {step: at for at, step in enumerate(step for step in trace if step in before)}
    placed = [one for step in order for one in _placed(step, trace) if one.residual in before]
    for made, places in _moved(placed, list(order)):
        if len(places) > 1:
            yield from try_places(made, sorted(places, key=lambda place: order[place[0]]), value, replay)


def moved_norm(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Hypothesis]:
    """The result of a norm that belongs before a part, and comes after the part, or after its residual."""
    for one in (one for one in _placed(value, trace) if not one.is_late):
        without = replay.with_changes({value: replay.array(one.x)})
        for made, end in ((_AFTER_RESIDUAL, one.residual), (_AFTER_PART, one.residual.inputs[1])):
            normed = one.of(end).array(without.compute)
            yield from try_changes(made, value, {value: normed}, value, replay)


def too_large_squares(value: Value, format: FloatFormat, replay: Recalculation) -> Iterator[Hypothesis]:
    """Squares that a number format does not hold: the mean of such a row, which was not given, is infinite."""
    for step in steps_not_given(value, replay.given, FAR_BACK):
        if step.operation is not mean_square:
            continue
        is_beyond = (np.square(replay.array(step.inputs[0])) > format.largest).any(axis=1, keepdims=True)
        if is_beyond.any():
            row = step.rows[int(is_beyond.argmax())]
            made = mistake("other.too_large", row=row, format=format.name, largest=f"{format.largest:g}")
            changes = {step: np.where(is_beyond, np.inf, replay.array(step))}
            yield from try_changes(made, step, changes, value, replay)


def _placed(step: Value, trace: Trace) -> list[_Placed]:
    """The norm of a part of a layer that a step is the result of."""
    norm, place = norm_of(step), place_in_layer(step.path)
    if norm is None or place is None:
        return []
    x, layer = norm[1][0], f"{place.stack}.{place.number}."
    after = [one for one in trace if one.operation is add and one.path.startswith(layer) and x in one.inputs]
    return [_Placed(step, norm, one) for one in after or ([x] if x.operation is add else [])]


def _moved(placed: Sequence[_Placed], steps: Sequence[Value]) -> Iterator[tuple[Mistake, Places]]:
    """Norms after the residual instead of before the part, or the other way round; after the part, either way."""
    left_out: Places = [(one.step, as_is(one.x)) for one in placed]
    late = [one for one in placed if one.is_late]
    if late:
        yield mistake("norm.before_part", norm=late[0].step), [*left_out, *(_before_part(late, steps))]
    else:
        yield _AFTER_RESIDUAL, [*left_out, *((one.residual, one.of(change(one.residual))) for one in placed)]
    yield _AFTER_PART, [*left_out, *((one.residual, _around_part(one)) for one in placed)]


def _around_part(one: _Placed) -> Instead:
    """The residual, where only what is added is normed."""
    x, *parts = one.residual.inputs
    return change(one.residual, x, *map(one.of, parts))


def _before_part(late: Sequence[_Placed], steps: Sequence[Value]) -> Iterator[tuple[Value, Instead]]:
    """The steps of a part that read its input, and read what is normed."""
    for one in late:
        x, layer = one.residual.inputs[0], one.step.path.rpartition(".norm_")[0]
        for step in steps:
            if x in step.inputs and step is not one.residual and step.path.startswith(f"{layer}."):
                yield step, change(step, *(one.of(x) if part is x else part for part in step.inputs))
