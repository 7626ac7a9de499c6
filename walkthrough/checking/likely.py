"""Likely causes of a step that differs: the usual mistakes are made on purpose, and the one that fits is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from walkthrough.checking.instead import Instead
from walkthrough.checking.replay import Replay
from walkthrough.checking.variants import TRANSPOSED, variants
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_HEAD = re.compile(r"\.head\.\d+\.")

Fits = Callable[[Array], bool]
"""Whether an array would explain their numbers."""


def likely_cause(value: Value, replay: Replay, fits: Fits, trace: Trace) -> str:
    """What was done instead of the step, in a few words; nothing where no usual mistake gives their numbers.

    A mistake in a step before it that they did not give is named with its step; one that was made in several heads,
    with the first of them.
    """
    if value.operation is None:
        is_turned = value.shape[0] == value.shape[1] and fits(value.array.T)
        return TRANSPOSED if is_turned else "other numbers than those in the scenario"
    steps = list(replay.not_given(value))
    for step in steps:
        if found := list(_fitting(value, step, replay, fits, trace)):
            return ", or ".join(found) + ("" if step is value else f" ({step.path})")
    return _everywhere(value, steps, replay, fits, trace)


def _everywhere(value: Value, steps: Sequence[Value], replay: Replay, fits: Fits, trace: Trace) -> str:
    """A mistake that was made in several heads alike; nothing where none of those gives their numbers."""
    made: dict[str, list[tuple[Value, Instead]]] = {}
    for step in steps:
        for words, instead in variants(step, trace):
            if _HEAD.search(step.path):
                made.setdefault(_HEAD.sub(".head.*.", words), []).append((step, instead))
    order = {step: at for at, step in enumerate(trace)}
    for words, places in made.items():
        if words == TRANSPOSED or len(places) < 2:
            continue
        places.sort(key=lambda place: order[place[0]])
        done = replay
        for step, instead in places:
            array = _done(step, instead, done)
            done = done.instead(step, array) if array is not None else done
        array = done.computed(value)
        if _are_numbers(value, array) and fits(array):
            return f"{words} ({places[0][0].path} and others)"
    return ""


def _fitting(value: Value, step: Value, replay: Replay, fits: Fits, trace: Trace) -> Iterator[str]:
    """The first mistake in a step that gives their numbers of the value; a transposition is only one of two.

    Of a symmetric matrix another mistake may give the same numbers.
    """
    for words, array in mistaken(value, step, replay, trace):
        if words == TRANSPOSED and fits(replay.computed(value)):
            continue  # it is right: nothing has been transposed
        if fits(array):
            yield words
            if words != TRANSPOSED:
                return


def mistaken(value: Value, step: Value, replay: Replay, trace: Trace | None = None) -> Iterator[tuple[str, Array]]:
    """The usual mistakes in a step, and what each makes of a value: of the step itself, or of one computed from it.

    trace: where the step stands, for those that take one step for another
    """
    for words, instead in variants(step, trace):
        array = _done(step, instead, replay)
        if array is not None and step is not value:
            array = replay.instead(step, array).computed(value)
        if array is not None and _are_numbers(value, array):
            yield words, array


def _done(step: Value, instead: Instead, replay: Replay) -> Array | None:
    """The step done otherwise; None where that has another shape, or does not give numbers."""
    try:
        with np.errstate(all="ignore"):
            array = instead.array(replay.array)
    except ValueError:  # shapes that do not fit
        return None
    return array if array.shape == step.shape and _are_numbers(step, array) else None


def _are_numbers(value: Value, array: Array) -> bool:
    """Whether a mistake gives numbers: what is none would explain anything."""
    return value.unknown or not np.isnan(array).any()
