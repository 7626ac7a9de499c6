"""Likely causes of a step that differs: the usual mistakes are made on purpose, and the one that fits is named."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from walkthrough.comparing.stories import Judge, Story
from walkthrough.mistakes import layers as layer_orders
from walkthrough.mistakes import program as program_variants
from walkthrough.mistakes.mistake import TRANSPOSED, Instead
from walkthrough.mistakes.norms import late_norms
from walkthrough.mistakes.replay import Replay
from walkthrough.mistakes.variants import variants
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_HEAD = re.compile(r"\.head\.\d+\.")
_LAYER = re.compile(r"\b(encoder|decoder)\.\d+\.")
_MOST_EVERYWHERE = 600
"""Steps in which a mistake is made alike."""


def likely_cause(value: Value, replay: Replay, judge: Judge, trace: Trace, is_first: bool = True) -> str:
    """What was done instead of the step, in a few words; nothing where no usual mistake gives their numbers.

    A mistake in a step before it that they did not give is named with its step; one that was made in several heads or
    layers, with the first of them. is_first: nothing differs before it, so that mistakes in many steps are tried too
    """
    if value.operation is None:
        is_turned = value.shape[0] == value.shape[1] and judge.fits(value.array.T)
        return TRANSPOSED if is_turned else "other numbers than those in the scenario"
    return judge.told(_stories(value, replay, trace, is_first))


def _stories(value: Value, replay: Replay, trace: Trace, is_first: bool) -> Iterator[Story]:
    """What may have happened, the likelier and nearer first."""
    steps = list(replay.not_given(value))
    yield from _of_step(value, value, replay, trace)
    for words, step, array in layer_orders.orders(value, replay, trace) if is_first else ():
        yield from _story(words, step, {step: array}, value, replay)
    for step in steps[1:]:
        yield from _of_step(step, value, replay, trace)
    for step in steps:
        for words, instead in program_variants.variants(step, trace):
            done = _done(step, instead, replay)
            if done is not None:
                yield from _told(words, step, {step: done}, value, replay)
    for words, step, array in program_variants.scaled(steps, replay):
        yield from _story(words, step, {step: array}, value, replay)
    if is_first:
        yield from _late(value, replay, trace)
        yield from _everywhere(value, replay, trace)


def _of_step(step: Value, value: Value, replay: Replay, trace: Trace) -> Iterator[Story]:
    """The usual mistakes in one step; a symmetric matrix is not transposed."""
    for words, array in _mistakes(step, replay, trace):
        if step is not value or words != TRANSPOSED or not np.array_equal(array, replay.computed(value)):
            yield from _told(words, step, {step: array}, value, replay)


def _told(words: str, step: Value, changes: Mapping[Value, Array], value: Value, replay: Replay) -> Iterator[Story]:
    """The story of one mistake: in the step itself, or in one before it, which is named."""
    yield from _story(words if step is value else f"{words} ({step.path})", step, changes, value, replay)


def _story(words: str, step: Value, changes: Mapping[Value, Array], value: Value, replay: Replay) -> Iterator[Story]:
    """Nothing where it does not give numbers of the shape."""
    array = changes[value] if value in changes else _computed(value, replay.instead(changes))
    if array is not None and _are_numbers(value, array, replay):
        yield Story(words, step, changes, array)


def _late(value: Value, replay: Replay, trace: Trace) -> Iterator[Story]:
    """A norm that belongs before a part of a layer, and comes after the part and its residual."""
    for (operation, (x, *given), settings), residual in late_norms(value, trace):
        array = replay.instead({value: replay.array(x)}).computed(residual)
        normed = operation.forward(array, *(replay.array(one) for one in given), **settings)
        words = "the norm comes after the residual (post-LN) instead of before the part (pre-LN)"
        yield from _story(words, value, {value: normed}, value, replay)


def _everywhere(value: Value, replay: Replay, trace: Trace) -> Iterator[Story]:
    """A mistake that was made in several heads alike, or in the same step of all layers."""
    made: dict[str, dict[Value, Instead]] = {}
    for step in replay.not_given(value, _MOST_EVERYWHERE):
        for words, instead in variants(step, trace):
            if not words.startswith(TRANSPOSED):
                for alike in _alike(words, step.path):
                    made.setdefault(alike, {}).setdefault(step, instead)
    order = {step: at for at, step in enumerate(trace)}
    seen: set[frozenset[int]] = set()
    for alike, places in made.items():
        ordered = sorted(places.items(), key=lambda place: order[place[0]])
        same = frozenset(id(instead) for instead in places.values())
        if len(ordered) > 1 and same not in seen:
            seen.add(same)
            first = ordered[0][0]
            if changes := _all_done(ordered, replay):
                said = f"{alike.partition('|')[0]} ({first.path} and others)"
                yield from _story(said, first, changes, value, replay)


def _alike(words: str, path: str) -> Iterator[str]:
    """What mistakes have in common that may have been made together, after their words and a |."""
    words, role = _HEAD.sub(".head.*.", words), _HEAD.sub(".head.*.", path)
    said, everywhere = (_LAYER.sub(r"\1.*.", one) for one in (words, role))
    if role != path:
        yield f"{words}|{role.partition('.head.')[0]}"
        yield f"{said}|"
    yield f"{said}|{everywhere}"


def _all_done(places: Sequence[tuple[Value, Instead]], replay: Replay) -> dict[Value, Array]:
    """The steps done otherwise, each after those before it; empty where one of them cannot be."""
    changes: dict[Value, Array] = {}
    for step, instead in places:
        array = _done(step, instead, replay.instead(changes), any_rows=True)
        if array is None:
            return {}
        changes[step] = array
    return changes


def _mistakes(step: Value, replay: Replay, trace: Trace | None) -> Iterator[tuple[str, Array]]:
    for words, instead in variants(step, trace):
        if (array := _done(step, instead, replay)) is not None:
            yield words, array


def mistaken(value: Value, step: Value, replay: Replay, trace: Trace | None = None) -> Iterator[tuple[str, Array]]:
    """The usual mistakes in a step, and what each makes of a value: of the step itself, or of one computed from it.

    trace: where the step stands, for those that take one step for another
    """
    for words, array in _mistakes(step, replay, trace):
        for story in _story(words, step, {step: array}, value, replay):
            yield words, story.array


def _computed(value: Value, replay: Replay) -> Array | None:
    """What comes of another calculation; None where its shapes do not fit, or it has another shape."""
    try:
        array = replay.computed(value)
    except ValueError:
        return None
    return array if array.shape == value.shape else None


def _done(step: Value, instead: Instead, replay: Replay, any_rows: bool = False) -> Array | None:
    """The step done otherwise; None where that has another shape, or does not give numbers.

    any_rows: it may have another number of rows: keys and values of another sequence
    """
    try:
        with np.errstate(all="ignore"):
            array = instead.array(replay.array)
    except ValueError:  # shapes that do not fit
        return None
    fits = array.shape[1:] == step.shape[1:] if any_rows else array.shape == step.shape
    return array if fits and _are_numbers(step, array, replay) else None


def _are_numbers(value: Value, array: Array, replay: Replay) -> bool:
    """Whether a mistake gives numbers: what is none would explain anything."""
    return replay.may_break or value.unknown or not np.isnan(array).any()
