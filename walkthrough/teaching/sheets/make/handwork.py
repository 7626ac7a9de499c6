"""Whether numbers are fit for handwork: no large exponential, no near tie, no division by 0, no step all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags
from walkthrough.operations.generation.prediction import prediction
from walkthrough.operations.softmax import divide_rows, exponential, mask, row_sum
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

LARGEST_POWER = 99.0
_UNITS, _LEAST = 10, 0.05
"""The most probable word is ahead of the next by this many units of the last digit, or by so much if that is less."""

_SUM_UNITS, _LEAST_SUM = 100, 1.0
"""A sum of exponentials has so many units of the last digit, or so much if that is less."""

HUGE = f"an exponential is above {LARGEST_POWER:g}"
TIE = "two words are nearly as probable"
ZERO = "a sum of exponentials or a deviation is 0"
OTHER_WORD = "rounding changes the predicted word"
NO_NUMBER = "a step gives no number"
EQUAL_SCORES = "the scores of a row are all the same"
SMALL = "the exponentials of a row round to nearly nothing"
FLAT = "the numbers of a step are all the same"
CHOICE = "all shares of a step round to 0 and 1"
UNUSUAL = "more or less work than other draws"


def excess(value: Value) -> float:
    """By how much the exponents of an exponential that is too large are so, all together; of other steps 0."""
    if value.operation is not exponential:
        return 0.0
    return float(np.fmax(0, value.inputs[0].array - np.log(LARGEST_POWER)).sum())


def unfit(exact: Value, hand: Value) -> Iterator[str]:
    """What speaks against the numbers of a step, exact and by hand; nothing where they are fit, or given."""
    operation = exact.operation
    if operation is not None and any(value.is_broken and not value.unknown for value in (exact, hand)):
        yield NO_NUMBER
    if operation is divide_rows and any(not value.inputs[1].array.all() for value in (exact, hand)):
        yield ZERO
    if operation is prediction:
        yield from _predicted_words(exact, hand)


def is_large_power(value: Value) -> bool:
    """Whether it is an exponential that is too large."""
    return value.operation is exponential and bool((value.array > LARGEST_POWER).any())


def degenerate_steps(values: Iterable[Value]) -> set[tuple[str, str]]:
    """What makes steps by hand not worth working: the fault, and the path of the step."""
    return {(fault, value.path) for value in values if not value.holds_ids for fault in _degenerate(value)}


def _degenerate(value: Value) -> Iterator[str]:
    array, operation = value.array, value.operation
    finite = array[np.isfinite(array)]
    if operation is None or not finite.size:
        return
    if not finite.any() or (finite.size > 1 and (finite == finite[0]).all()):
        yield FLAT
    if value.kind.is_distribution and array.size > 1 and np.isin(array, (0, 1)).all():
        yield CHOICE
    is_softmax = operation is row_sum and value.inputs[0].operation is exponential
    if is_softmax and finite.min() < min(_SUM_UNITS * _unit(value), _LEAST_SUM):
        yield SMALL


def equal_scores(hand: Trace) -> Iterator[tuple[Value, int]]:
    """Scores that tell no word from another: the matrix, and a row of which all that is visible is the same number.

    A row counts where two positions or more are visible to it.
    """
    shown = dict(_shown(hand))
    for value in hand:
        if value.kind.name != "scores":  # nor a gradient of some
            continue
        visible = np.isfinite(value.array) & shown.get(value, np.ones(value.shape, bool))
        for row, (numbers, seen) in enumerate(zip(value.array, visible, strict=True)):
            if seen.sum() >= 2 and np.ptp(numbers[seen]) == 0:
                yield value, row


def _shown(hand: Trace) -> Iterator[tuple[Value, Flags]]:
    """Of the scores of each head that has a mask those that it leaves visible."""
    for masked in hand:
        if masked.operation is mask:
            scores = masked.inputs[0]
            while scores.kind.name != "scores" and scores.inputs:
                scores = scores.inputs[0]
            yield scores, masked.inputs[1].array == 1


def _predicted_words(exact: Value, hand: Value) -> Iterator[str]:
    if (exact.array[:, 0] != hand.array[:, 0]).any():
        yield OTHER_WORD
    shares = hand.inputs[0]
    if shares.shape[1] < 2:
        return
    least = min(_UNITS * _unit(shares), _LEAST)
    if any(float(_lead(array).min()) < least - 1e-12 for array in (exact.inputs[0].array, shares.array)):
        yield TIE


def _unit(value: Value) -> float:
    """One unit of the last digit of a number near 1."""
    return float(value.digits.unit(np.ones(1))[0]) if value.digits is not None else 0.0


def _lead(array: Array) -> Array:
    """By how much the largest number of each row is ahead of the next."""
    ordered = np.sort(array, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2])
