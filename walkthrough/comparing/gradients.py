"""What goes wrong in training: another reduction, sign, or target; gradients that add up; what else is trained."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise, takewhile

import numpy as np

from walkthrough.comparing.matching.passes import prefixes_of, split_call
from walkthrough.comparing.matching.tensors import NotCompared
from walkthrough.mistakes.mistake import Instead, Mistake, as_is, change, mistake
from walkthrough.mistakes.search import Hypothesis, redo_all, try_changes, try_places
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import add
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import softmax_gradient
from walkthrough.operations.training.loss import cross_entropy_gradient
from walkthrough.operations.training.update import correct_moment, decay, gradient_step, moment
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.selectors import pass_of, within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_TIMES = 16
"""Backward passes whose gradients may have been added up."""
_MOST_ALONE = 8
"""Softmaxes each of which is gone back through by itself: each takes the whole backward pass."""


Moved = Mapping[str, Mapping[Value, Array]]
"""By what the paths of a pass begin with: given matrices that somebody has trained before it, and the scenario not."""


def trained_too(others: Iterable[NotCompared], trace: Trace) -> Moved:
    """What their optimizer has made of matrices that the scenario does not train."""
    passes = prefixes_of(trace)
    moved: dict[str, dict[Value, Array]] = {}
    for one in others:
        for value, numbers in one.own:
            number = split_call(one.theirs)[1]
            if value.operation is None and number < len(passes) and not np.array_equal(numbers, value.array):
                moved.setdefault(passes[number], {})[value] = numbers
    return moved


def left_out_of_training(value: Value, replay: Recalculation, moved: Moved) -> Iterator[Hypothesis]:
    """Their own matrices, where they have trained them and the scenario has not, in the steps of one pass."""
    trained = moved.get(pass_of(value.path), {})
    places = []
    for step in reversed([*steps_not_given(value, replay.given, FAR_BACK)] if trained else []):
        inputs = [_as_trained(one, trained, pass_of(value.path)) for one in step.inputs]
        if any(one is not before for one, before in zip(inputs, step.inputs, strict=True)):
            places.append((step, change(step, *inputs)))
    changes, redone = redo_all(places, replay)
    if changes:
        made = mistake("other.trained_too").made_in(next(iter(trained)), more=len(trained) > 1)
        yield from try_changes(made, places[0][0], changes, value, redone)


def _as_trained(one: Value, trained: Mapping[Value, Array], own: str) -> Value | Array | Instead:
    """An operand with the trained matrices; what a pass takes from one before it is looked up anew."""
    if one in trained:
        return trained[one]
    if pass_of(one.path) != own and not trained.keys().isdisjoint(one.inputs):
        return change(one, *(trained.get(each, each) for each in one.inputs))
    return one


def positions_trained_too(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Hypothesis]:
    """Learned positions that the scenario leaves as they are, where nobody captured what training makes of them.

    Each pass adds them to its embeddings: their gradient is that of the sum.
    """
    own, passes, places = pass_of(value.path), prefixes_of(trace), list[tuple[Value, Instead]]()
    for before, after in pairwise(passes[: passes.index(own) + 1] if own in passes else ()):
        update = next((one for one in trace if one.path.startswith(f"{before}update.")), None)
        if update is None:
            return
        for step, positions in _positions_added(after, trace):
            first = trace[f"{passes[0]}{within_pass(positions.path)}"]
            table, name = next(iter(first.inputs), first), within_pass(step.path)
            if table.operation is not None or f"{before}gradient.{name}" not in trace:
                return
            made, moved = mistake("other.trained_too").made_in(table), _updated_alike(update, first, name, trace)
            summed = change(step, *(moved if one is positions else one for one in step.inputs))
            places.append((positions, as_is(moved)) if pass_of(positions.path) == after else (step, summed))
    changes, redone = redo_all(places, replay)
    if changes:
        yield from try_changes(made, places[0][0], changes, value, redone)


def _positions_added(one_pass: str, trace: Trace) -> Iterator[tuple[Value, Value]]:
    """The steps of a pass that add positions to embeddings, and these."""
    for step in trace:
        if step.operation is add and pass_of(step.path) == one_pass:
            yield from ((step, one) for one in step.inputs if one.path.endswith("positional_encoding"))


def _updated_alike(update: Value, other: Value, read_by: str, trace: Trace) -> Value | Instead:
    """What an update makes of something else, whose gradient is that of the step that reads it."""
    parameter = within_pass(update.path).removeprefix("update.")

    def redo(one: Value) -> Value | Instead:
        name = within_pass(one.path)
        if name == parameter:
            return other
        if name == f"gradient.{parameter}":
            return trace[f"{pass_of(one.path)}gradient.{read_by}"]
        return change(one, *map(redo, one.inputs)) if name.endswith(f".{parameter}") else one

    return redo(update)


def backward_mistakes(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Hypothesis]:
    """What may have happened to a gradient, in a step of training, or in one before the step."""
    if value.operation is gradient_step:
        yield from _other_decay(value, replay)
        yield from _uncorrected(value, replay)
    if not within_pass(value.path).startswith("gradient."):
        return
    start = _start_of(value, trace)
    if start is not None and (start is value or start not in replay.given):
        for made, instead in _other_starts(start):
            yield from try_places(made, [(start, instead)], value, replay)
    yield from _without_jacobian(value, replay)
    if (left := _left_from_step_before(value, trace)) is not None:
        yield from try_places(
            mistake("accumulated.steps"), [(value, Instead(add, (change(value), left)))], value, replay
        )
    for times in range(2, _MOST_TIMES + 1):
        made = mistake("accumulated.times", times=str(times))
        for step in (start, value):
            if step is not None and (step is value or step not in replay.given):
                several = Instead(scale_by, (change(step),), {"factor": float(times)})
                yield from try_places(made, [(step, several)], value, replay)


def _left_from_step_before(gradient: Value, trace: Trace) -> Value | None:
    """What the same parameter's gradient was when it had last moved the parameter: clipped, where it was."""
    own = pass_of(gradient.path)
    kind, _, parameter = within_pass(gradient.path).partition(".")
    number = own.removeprefix("train.").removesuffix(".")
    if not number.isdigit():
        return None
    before = f"train.{int(number) - 1}."
    return trace.get(f"{before}clipped.{parameter}") or trace.get(f"{before}{kind}.{parameter}")


def _other_decay(value: Value, replay: Recalculation) -> Iterator[Hypothesis]:
    """None, or Adam where AdamW is meant: its moments are those of a gradient to which the decay has been added."""
    decayed = value.inputs[0]
    if decayed.operation is not decay:
        return
    old = decayed.inputs[0]
    yield from try_places(mistake("other.no_decay"), [(decayed, as_is(old))], value, replay)
    steps = steps_not_given(value, replay.given)
    own = [one for one in steps if one.operation is moment and pass_of(one.path) == pass_of(value.path)]
    places = [(decayed, as_is(old))]
    for one in own:
        gradient, *before = one.inputs
        raised = Instead(gradient_step, (gradient, old), {"rate": -decayed.settings["decay"]})
        places.append((one, change(one, raised, *before)))
    yield from try_places(mistake("other.coupled_decay"), places, value, replay)


def _uncorrected(value: Value, replay: Recalculation) -> Iterator[Hypothesis]:
    """Both moments of Adam as they are, with their bias towards 0."""
    own = [one for one in steps_not_given(value, replay.given) if one.operation is correct_moment]
    places = [(one, as_is(one.inputs[0])) for one in own if pass_of(one.path) == pass_of(value.path)]
    if places:
        yield from try_places(mistake("other.uncorrected"), places, value, replay)


def _start_of(value: Value, trace: Trace) -> Value | None:
    """Where the backward pass begins, in the pass of a gradient."""
    own = pass_of(value.path)
    before = takewhile(lambda one: one is not value, trace)
    found = [one for one in (*before, value) if one.operation is cross_entropy_gradient and pass_of(one.path) == own]
    return found[-1] if found else None


def _other_starts(start: Value) -> Iterator[tuple[Mistake, Instead]]:
    targets, count = start.settings["targets"], start.settings["count"]
    kept = sum(target is not None for target in targets)
    if count > 1:
        made = mistake("sum_for_mean")
        yield made, change(start, count=1)
    elif kept > 1:
        made = mistake("mean_for_sum")
        yield made, change(start, count=kept)
    yield mistake("sign"), Instead(scale_by, (change(start),), {"factor": -1.0})
    if len(start.inputs) == 1:  # nothing smooths its targets
        yield from _other_targets(start, targets, count, kept)


def _other_targets(
    start: Value, targets: tuple[int | None, ...], count: int, kept: int
) -> Iterator[tuple[Mistake, Instead]]:
    """The inputs as targets: of all positions, or of those that have one."""
    column: Mapping[str, int] = {word: at for at, word in enumerate(start.columns)}
    inputs = tuple(column.get(label, column.get(label.rpartition("@")[0])) for label in start.rows)
    of_same = tuple(None if target is None else own for own, target in zip(inputs, targets, strict=True))
    for other in dict.fromkeys((of_same, inputs)):
        number = sum(target is not None for target in other)
        if number and other != targets:
            made = mistake("unshifted_targets")
            yield made, change(start, targets=other, count=count if count == 1 else number)


def _without_jacobian(value: Value, replay: Recalculation) -> Iterator[Hypothesis]:
    """The gradient of the scores is that of the weights: in all heads, or in the one head behind a step."""
    steps = [step for step in steps_not_given(value, replay.given, FAR_BACK) if step.operation is softmax_gradient]
    made = mistake("no_softmax_jacobian")
    for places in ([[*reversed(steps)]] if len(steps) > 1 else []) + [[step] for step in steps[:_MOST_ALONE]]:
        yield from try_places(made, [(step, as_is(step.inputs[1])) for step in places], value, replay)
