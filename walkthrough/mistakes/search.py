"""Mistakes are made on purpose with somebody's numbers: in a step, in those before it, or in many steps alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from walkthrough.mistakes import heads, layers, wiring
from walkthrough.mistakes.mistake import TRANSPOSED, Instead, Mistake, Variant, as_is, change, mistake, transpose
from walkthrough.mistakes.operations import (
    activation,
    delta_rule,
    experts,
    matrix,
    normalization,
    positions,
    scaling,
    softmax,
)
from walkthrough.mistakes.places import in_any_head, in_any_layer
from walkthrough.operations.definition import Array
from walkthrough.recording.graph import FAR_BACK, steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record

_FILES = (
    matrix,
    scaling,
    softmax,
    normalization,
    activation,
    positions,
    experts,
    delta_rule,
    heads,
    wiring,
)


class Hypothesis(Record):
    """A mistake, the step where it was made, what it makes of some steps, and of the step that differs."""

    mistake: Mistake
    step: Value
    changes: Mapping[Value, Array]
    array: Array

    @property
    def is_transposition(self) -> bool:
        """Whether a step is only said to be transposed."""
        return self.mistake.key == TRANSPOSED.key


def usual_mistakes(value: Value, trace: Trace) -> Iterator[Variant]:
    """The usual mistakes in a computed step of a trace, the likelier first."""
    assert value.operation is not None
    if value.shape[0] == value.shape[1]:
        yield TRANSPOSED, transpose(change(value))
    yield from _variants(value, trace, _FILES)
    for one in value.inputs:
        if one.shape == value.shape:
            yield mistake("copied.step", cell=one), as_is(one)


def _variants(value: Value, trace: Trace, files: Iterable[Any]) -> Iterator[Variant]:
    for file in files:
        if (make := file.MISTAKES.get(value.operation)) is not None:
            yield from make(value, trace)


def make_mistakes(value: Value, step: Value, replay: Recalculation, trace: Trace) -> Iterator[tuple[Mistake, Array]]:
    """The usual mistakes in a step, and what each makes of a value: of the step itself, or of one computed from it."""
    for hypothesis in _in_step(step, value, replay, trace):
        yield hypothesis.mistake, hypothesis.array


def hypotheses(
    value: Value, replay: Recalculation, trace: Trace, is_first: bool = True, everywhere: bool = True
) -> Iterator[Hypothesis]:
    """What may have happened to a computed step or to those before it, the likelier and nearer first.

    is_first:   nothing differs before it, so that layers in another order are tried too
    everywhere: mistakes in many steps are tried too
    """
    steps = list(steps_not_given(value, replay.given))
    if is_first and everywhere:
        yield from _try_groups(_choices(value, replay, trace), value, replay, trace)
    yield from _in_step(value, value, replay, trace)
    for made, step, array in layers.reorder_layers(value, replay, trace) if is_first else ():
        yield from try_changes(made, step, {step: array}, value, replay)
    for step in steps[1:]:
        yield from _in_step(step, value, replay, trace)
    for step in steps:
        yield from _try_each(wiring.rewire(step, trace), step, value, replay)
    for made, step, array in wiring.scaled_states(steps, replay):
        yield from try_changes(made, step, {step: array}, value, replay)
    if everywhere:
        groups = _alike(value, replay, lambda step: usual_mistakes(step, trace))
        yield from _try_groups(groups, value, replay, trace, near=steps)


def _in_step(step: Value, value: Value, replay: Recalculation, trace: Trace) -> Iterator[Hypothesis]:
    """The usual mistakes in one step; a symmetric matrix is not transposed."""
    for hypothesis in _try_each(usual_mistakes(step, trace), step, value, replay):
        is_itself = step is value and hypothesis.is_transposition
        if not (is_itself and np.array_equal(hypothesis.array, replay.compute(value))):
            yield hypothesis


def _try_each(variants: Iterator[Variant], step: Value, value: Value, replay: Recalculation) -> Iterator[Hypothesis]:
    """Mistakes in one step: in the one that is looked at, or in one before it, which is named."""
    for made, instead in variants:
        array = _redo(step, instead, replay)
        if array is not None:
            yield from try_changes(made if step is value else made.made_in(step), step, {step: array}, value, replay)


def try_changes(
    made: Mistake, step: Value, changes: Mapping[Value, Array], value: Value, replay: Recalculation
) -> Iterator[Hypothesis]:
    """What changed steps make of a value; nothing where that has another shape."""
    array = changes[value] if value in changes else _compute(value, replay.with_changes(changes))
    if array is not None:
        yield Hypothesis(made, step, changes, array)


Places = Sequence[tuple[Value, Instead]]
"""Steps, and how each was calculated instead."""
Group = tuple[Mistake, str, int]
"""A mistake with what its facts have in common, the role of the steps, and which of its variants in each of them."""
Groups = dict[Group, dict[Value, Variant]]
"""By step, the mistake there and how it was calculated instead."""


_CHOICES = (
    "activation.name",
    "not_scaled",
    "not_masked",
    "layout.rotary",
    "epsilon.missing",
    "epsilon.of_variance",
    "epsilon.of_deviation",
    "epsilon.other",
    "angles.base",
)
"""What a program may have chosen otherwise for all layers, the likeliest first; the makers are in these files."""
_FILES_OF_CHOICES = (activation, scaling, softmax, positions, normalization)


def _choices(value: Value, replay: Recalculation, trace: Trace) -> Groups:
    """Another choice in all layers, where none of them is given."""

    def of(step: Value) -> Iterator[Variant]:
        found = _variants(step, trace, _FILES_OF_CHOICES)
        return ((made, instead) for made, instead in found if made.key in _CHOICES)

    in_layers = {
        group: places
        for group, places in _alike(value, replay, of).items()
        if len({in_any_head(step.path) for step in places}) > 1
    }
    return dict(sorted(in_layers.items(), key=lambda one: _CHOICES.index(one[0][0].key)))


def _alike(value: Value, replay: Recalculation, variants: Callable[[Value], Iterator[Variant]]) -> Groups:
    """Mistakes that were made in several heads alike, or in the same step of all layers."""
    groups: Groups = {}
    for step in steps_not_given(value, replay.given, FAR_BACK):
        before = Counter[Mistake]()
        for made, instead in variants(step):
            for alike, role in _in_common(made, step.path) if made != TRANSPOSED else ():
                groups.setdefault((alike, role, before[made]), {}).setdefault(step, (made, instead))
            before[made] += 1
    return groups


def _try_groups(
    groups: Groups, value: Value, replay: Recalculation, trace: Trace, near: Container[Value] | None = None
) -> Iterator[Hypothesis]:
    """The same mistake in all steps of a group.

    near: steps that each have been tried by themselves: a single one is tried where it is none of these
    """
    order = {step: at for at, step in enumerate(trace)}
    seen: set[frozenset[int]] = set()
    for (made, *_), places in groups.items():
        ordered = sorted(places.items(), key=lambda place: order.get(place[0], len(order)))
        same = frozenset(id(instead) for _, instead in places.values())
        is_tried = len(ordered) == 1 and (near is None or ordered[0][0] in near)
        if not is_tried and same not in seen:
            seen.add(same)
            of_all = made if len(ordered) > 1 else ordered[0][1][0]
            yield from try_places(of_all, [(step, instead) for step, (_, instead) in ordered], value, replay)


def _in_common(made: Mistake, path: str) -> Iterator[tuple[Mistake, str]]:
    """What may have been done alike: in all heads of an attention, wherever it can be, in that step of all layers."""
    role = in_any_head(path)
    in_layers = made.rename_paths(lambda name: in_any_layer(in_any_head(name)))
    if role != path:
        yield made.rename_paths(in_any_head), role.partition(".head.")[0]
    yield in_layers, ""
    yield in_layers, in_any_layer(role)


def try_places(made: Mistake, places: Places, value: Value, replay: Recalculation) -> Iterator[Hypothesis]:
    """What comes of a step where others before it, or it itself, were calculated otherwise, in their order."""
    first = places[0][0]
    changes, redone = redo_all(places, replay)
    if changes:
        own = made if first is value else made.made_in(first, more=len(places) > 1)
        yield from try_changes(own, first, changes, value, redone)


def redo_all(places: Places, replay: Recalculation) -> tuple[dict[Value, Array], Recalculation]:
    """The steps done otherwise, each after those before it, and what follows; empty where one of them cannot be."""
    changes, redone = dict[Value, Array](), replay.with_changes({})
    for step, instead in places:
        array = _redo(step, instead, redone, any_rows=True)
        if array is None:
            return {}, replay
        changes[step] = array
        redone.give(step, array if redone.rounding is None else redone.rounding(step, array))
    return changes, redone


def _compute(value: Value, replay: Recalculation) -> Array | None:
    """What comes of another calculation; None where its shapes do not fit, or it has another shape."""
    array = _unless_unfit(lambda: replay.compute(value))
    return array if array is not None and array.shape == value.shape else None


def _redo(step: Value, instead: Instead, replay: Recalculation, any_rows: bool = False) -> Array | None:
    """The step done otherwise; None where that has another shape.

    any_rows: it may have another number of rows: keys and values of another sequence
    """
    array = _unless_unfit(lambda: instead.array(replay.array))
    if array is None:
        return None
    fits = array.shape[1:] == step.shape[1:] if any_rows else array.shape == step.shape
    return array if fits else None


def _unless_unfit(calculate: Callable[[], Array]) -> Array | None:
    """The result of a calculation; None where shapes do not fit."""
    try:
        return calculate()
    except (ValueError, IndexError):
        return None
