"""Searches numbers whose steps are short to print: a draw is changed cell by cell while that makes it no longer."""

from __future__ import annotations

import random

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.sheets.make.draws import Draw, Draws, Numbers, change

MOST_DECIMALS = 6
_TRIES = 800
"""Changes that are tried; a number of them and no time, so that a seed always gives the same numbers."""
_NEAR = 1e-9


def mean_length(exact: Trace) -> float:
    """How many decimals a calculated number has on average, a long one counted as six."""
    arrays = [value.array[np.isfinite(value.array)] for value in exact if value.operation is not None]
    numbers = np.concatenate([array.ravel() for array in arrays]) if arrays else np.zeros(0)
    longer = [np.abs(numbers - np.round(numbers, count)) > _NEAR for count in range(MOST_DECIMALS)]
    return float(np.mean(np.sum(longer, axis=0))) if numbers.size else 0.0


def shorten(draws: Draws, draw: Draw, seed: int) -> Draw:
    """A draw as fit as another one, and shorter to print or the same."""
    generator = random.Random(f"{seed} nice")
    best, length = draw, _length(draws, draw.rows)
    for _ in range(_TRIES):
        rows = change(generator, draws.sources, best.rows)
        if rows is None or (found := _length(draws, rows)) > length:
            continue
        changed = draws.examine(rows)
        if not changed.faults and draws.is_usual(changed):
            best, length = changed, found
    return best


def _length(draws: Draws, rows: Numbers) -> float:
    try:
        return mean_length(draws.calculate(rows))
    except ScenarioError:  # a loss that is no number
        return float("inf")
