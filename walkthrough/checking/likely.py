"""Likely causes of a step that differs: the usual mistakes are made on purpose, and the one that fits is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from walkthrough.checking.replay import Replay
from walkthrough.checking.variants import TRANSPOSED, Instead, variants
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

Fits = Callable[[Array], bool]
"""Whether an array would explain their numbers."""


def likely_cause(value: Value, replay: Replay, fits: Fits) -> str:
    """What was done instead of the step, in a few words; nothing where no usual mistake gives their numbers.

    A mistake in a step before it that they did not give is named with its step.
    """
    if value.operation is None:
        is_turned = value.shape[0] == value.shape[1] and fits(value.array.T)
        return TRANSPOSED if is_turned else "other numbers than those in the scenario"
    for step in replay.not_given(value):
        if found := list(_fitting(value, step, replay, fits)):
            return ", or ".join(found) + ("" if step is value else f" ({step.path})")
    return ""


def _fitting(value: Value, step: Value, replay: Replay, fits: Fits) -> Iterator[str]:
    """The first mistake in a step that gives their numbers of the value; a transposition is only one of two.

    Of a symmetric matrix another mistake may give the same numbers.
    """
    for words, array in mistaken(value, step, replay):
        if words == TRANSPOSED and fits(replay.computed(value)):
            continue  # it is right: nothing has been transposed
        if fits(array):
            yield words
            if words != TRANSPOSED:
                return


def mistaken(value: Value, step: Value, replay: Replay) -> Iterator[tuple[str, Array]]:
    """The usual mistakes in a step, and what each makes of a value: of the step itself, or of one computed from it."""
    for words, instead in variants(step):
        array = _done(step, instead, replay)
        if array is not None:
            yield words, array if step is value else replay.instead(step, array).computed(value)


def _done(step: Value, instead: Instead, replay: Replay) -> Array | None:
    """The step done otherwise; None where that has another shape, or does not give numbers."""
    try:
        with np.errstate(all="ignore"):
            array = instead.array(replay.array)
    except ValueError:  # shapes that do not fit
        return None
    are_numbers = step.unknown or not np.isnan(array).any()
    return array if array.shape == step.shape and are_numbers else None
