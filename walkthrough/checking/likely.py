"""Likely causes of a step that differs: the usual mistakes are made on purpose, and the one that fits is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from walkthrough.checking.closeness import is_much_nearer
from walkthrough.checking.instead import Instead
from walkthrough.checking.norm_variants import late_norms
from walkthrough.checking.replay import Replay
from walkthrough.checking.variants import TRANSPOSED, variants
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_HEAD = re.compile(r"\.head\.\d+\.")

Fits = Callable[[Array], bool]
"""Whether an array would explain their numbers."""
Far = Callable[[Array], float]
"""How far an array is from their numbers, in roundings."""


def likely_cause(value: Value, replay: Replay, fits: Fits, far: Far, trace: Trace) -> str:
    """What was done instead of the step, in a few words; nothing where no usual mistake gives their numbers.

    A mistake in a step before it that they did not give is named with its step; one that was made in several heads,
    with the first of them.
    """
    if value.operation is None:
        is_turned = value.shape[0] == value.shape[1] and fits(value.array.T)
        return TRANSPOSED if is_turned else "other numbers than those in the scenario"
    steps = list(replay.not_given(value))
    turned = ""
    for step in steps:
        if found := list(_fitting(value, step, replay, fits, far, trace)):
            found = found[-1:] if step is not value else found
            words = ", or ".join(found) + ("" if step is value else f" ({step.path})")
            if found != [TRANSPOSED] or step is value:
                return words
            turned = turned or words  # a mistake in a step before it may say why
    return turned or _everywhere(value, steps, replay, fits, trace) or _late(value, replay, fits, trace)


def _late(value: Value, replay: Replay, fits: Fits, trace: Trace) -> str:
    """A norm that belongs before a part of a layer, and comes after the part and its residual."""
    for (operation, (x, *given), settings), residual in late_norms(value, trace):
        array = replay.instead(value, replay.array(x)).computed(residual)
        if fits(operation.forward(array, *(replay.array(one) for one in given), **settings)):
            return "the norm comes after the residual (post-LN) instead of before the part (pre-LN)"
    return ""


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
            array = _done(step, instead, done, any_rows=True)
            done = done.instead(step, array) if array is not None else done
        array = _computed(value, done)
        if array is not None and _are_numbers(value, array, replay) and fits(array):
            return f"{words} ({places[0][0].path} and others)"
    return ""


def _fitting(value: Value, step: Value, replay: Replay, fits: Fits, far: Far, trace: Trace) -> Iterator[str]:
    """The mistake in a step that gives their numbers of the value; a transposition is only one of two.

    Of a symmetric matrix another mistake may give the same numbers. Of several mistakes the first is taken, unless a
    later one is much nearer: epsilons in the wrong place are near each other.
    """
    named, nearest = "", 0.0
    for words, array in mistaken(value, step, replay, trace):
        if named and words == TRANSPOSED:
            continue
        if words == TRANSPOSED and fits(replay.computed(value)):
            continue  # it is right: nothing has been transposed
        if not fits(array):
            continue
        if words == TRANSPOSED:
            yield words
        elif not named or is_much_nearer(far(array), nearest):
            named, nearest = words, far(array)
    if named:
        yield named


def mistaken(value: Value, step: Value, replay: Replay, trace: Trace | None = None) -> Iterator[tuple[str, Array]]:
    """The usual mistakes in a step, and what each makes of a value: of the step itself, or of one computed from it.

    trace: where the step stands, for those that take one step for another
    """
    for words, instead in variants(step, trace):
        array = _done(step, instead, replay)
        if array is not None and step is not value:
            array = replay.instead(step, array).computed(value)
        if array is not None and _are_numbers(value, array, replay):
            yield words, array


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
