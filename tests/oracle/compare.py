"""How near two calculations of one scenario must be, path by path. Needs numpy alone.

Rounding errors are multiplied by what follows them: by the scores under e^x, by 1/std in a layer norm. So how far
apart two correct calculations may be is measured, not guessed: `sensitivity` is by how much a path moves when every
number of the scenario moves by a relative 1e-13. A scenario that moves more than MOST_SENSITIVE times as much (a layer
norm of equal numbers, an arg-max among equals) says nothing about a program and is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Arrays = Mapping[str, np.ndarray]
NUDGE = 1e-13
MOST_SENSITIVE = 1e4
RELATIVE = ("softmax.exp", "softmax.sum", "weights", "probabilities")  # positive: right in each small one too
# last words that stand only where a scenario asks for them
CONDITIONAL = [
    "token_ids", "scaled_embedding", "positional_encoding", "segment_embedding", "scaled_scores", "masked_scores",
    "shifted", "concat", "residual_1", "residual_2", "residual_3", "normalized", "scaled_logits", "mean",
    "centered", "variance", "std",
]  # fmt: skip


def nudged(value: Any, source: random.Random) -> Any:
    """A scenario with each float in a list or a table moved by a relative 1e-13."""
    if isinstance(value, dict):
        return {key: nudged(item, source) if isinstance(item, dict | list) else item for key, item in value.items()}
    if isinstance(value, list):
        return [nudged(item, source) for item in value]
    return value * (1 + NUDGE * source.uniform(-1, 1)) if isinstance(value, float) else value


def sensitivity(expected: Callable[[Any], Arrays], scenario: Any, arrays: Arrays) -> dict[str, float]:
    """By path; infinite where the nudge adds or removes a path, or what is finite in one and not in the other."""
    moved = expected(nudged(scenario, random.Random(1)))
    if moved.keys() != arrays.keys() or not _far_from_underflow(arrays):
        return {path: float("inf") for path in arrays}
    return {path: _moved(array, moved[path], path) for path, array in arrays.items()}


def _moved(before: np.ndarray, after: np.ndarray, path: str) -> float:
    finite = np.isfinite(before)
    if not np.array_equal(finite, np.isfinite(after)):
        return float("inf")
    before, after = before[finite], after[finite]
    move = float(np.abs(after - before).max(initial=0)) / NUDGE / scale(before)
    if not path.endswith(RELATIVE):
        return move
    positive = before > 1e-290
    return max(move, float((np.abs(after - before)[positive] / before[positive]).max(initial=0)) / NUDGE)


def _far_from_underflow(arrays: Arrays) -> bool:
    """No row of e^x is near all zeros, none near infinity: there the SPEC does not say which arithmetic is used."""
    sums = [array for path, array in arrays.items() if path.endswith("softmax.sum")]
    return all(np.all(~np.isfinite(one) | ((one > 1e-250) & (one < 1e300))) for one in sums)


def scale(array: np.ndarray) -> float:
    """The largest finite number, 1 at least."""
    finite = array[np.isfinite(array)]
    return max(1.0, float(np.abs(finite).max(initial=0)))


def difference(actual: Any, wanted: np.ndarray, path: str, sensitive: float) -> str | None:
    """What is wrong with an array, or None.

    Everywhere 1e-9, relative and absolute; and nearer, to 1e-12 of the path's largest number, as far as the
    conditioning lets it: a hundred roundings of 1e-16, magnified by the measured sensitivity.
    """
    array = np.asarray(actual, dtype=np.float64)
    if array.shape != wanted.shape:
        return f"{path}: shape {array.shape}, expected {wanted.shape}"
    near = 1e-12 * max(1.0, sensitive / 100)
    rough = np.allclose(array, wanted, rtol=1e-9, atol=1e-9, equal_nan=True)
    strict = np.allclose(array, wanted, rtol=near, atol=near * scale(wanted), equal_nan=True)
    if path.endswith(RELATIVE):  # down to the numbers that float64 holds with all their digits
        strict = strict and np.allclose(array, wanted, rtol=max(1e-11, 10 * near), atol=1e-290, equal_nan=True)
    return None if rough and strict else f"{path}:\n{array}\nexpected\n{wanted}\nby {near}"


def unexpected(names: Any, wanted: Arrays) -> list[str]:
    """Paths of steps that a scenario should not have: no mask, no masked_scores."""
    return [name for name in names if name.rpartition(".")[2] in CONDITIONAL and name not in wanted]


def gradient_difference(actual: Any, wanted: np.ndarray, path: str, sensitive: float, largest: float) -> str | None:
    """What is wrong with a gradient, or None: to 1e-10 of its largest number, as far as the conditioning lets it.

    largest: of all gradients of the training; a gradient that is 0 but for rounding (that of a key's bias) is as good
    as 0 to 1e-13 of it. All of them begin with probabilities less 1: where the model is sure, little more than their
    rounding is left, and it is not less than 1e-16.
    """
    array = np.asarray(actual, dtype=np.float64)
    if array.shape != wanted.shape:
        return f"{path}: shape {array.shape}, expected {wanted.shape}"
    rounding = 1e-14 * sensitive * scale(wanted) + 1e-13 * max(1.0, largest)
    near = 1e-10 * float(np.abs(wanted).max(initial=0)) + rounding
    worst = float(np.abs(array - wanted).max(initial=0))
    if np.allclose(array, wanted, rtol=1e-9, atol=1e-9) and worst <= near:
        return None
    return f"{path}:\n{array}\nexpected\n{wanted}\nby {near}; {worst} off"
