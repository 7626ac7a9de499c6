"""Numbers that differ and are right all the same: what a softmax does not see, roundings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.thresholds import NEARER, ROUNDINGS
from walkthrough.comparing.tolerance import excess, excess_over, largest_of_rows, margins
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.definition import Array
from walkthrough.operations.softmax import HIDES, exponential
from walkthrough.operations.softmax import mask as masking
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value, finite_sizes

CONSTANT = "each row differs by a constant, which the softmax does not see"
FACTOR = "each row differs by a factor, which the division by the row sum cancels"

SCORES = ("scores", "scaled_scores", "biased_scores")
"""The last words of the paths of scores, before a mask."""
_SEEN_BY_SOFTMAX = (*SCORES, "masked_scores", "shifted")


def why_harmless(tensor: ExternalTensor, rights: Sequence[Array], trace: Trace) -> str:
    """Why a matrix with scores is as good as one of the right ones, in words; empty where it is not."""
    is_exp = tensor.value.operation is exponential
    if _name(tensor) not in _SEEN_BY_SOFTMAX and not is_exp:
        return ""
    mask = trace.get(f"{tensor.value.path.partition('.head.')[0]}.mask")
    is_before = mask is not None and mask.shape == tensor.value.shape and not _is_masked(tensor.value)
    shown = mask.array != 0 if mask is not None and is_before else np.True_
    if any(_differs_by_row(tensor, right, shown, is_exp) for right in rights):
        return CONSTANT if _name(tensor) in _SEEN_BY_SOFTMAX else FACTOR
    return ""


def agrees(tensor: ExternalTensor, right: Array) -> bool:
    """Whether a matrix is the right one, to the precision of its numbers."""
    return not excess(tensor, right).any()


def is_beyond_float64(tensor: ExternalTensor, right: Array, replay: Recalculation) -> bool:
    """Whether numbers are farther off than float64 explains: of sums whose terms may be much larger than they are."""
    near = dict.fromkeys(other for one in tensor.value.inputs for other in (one, *one.inputs))
    arrays = [right, *map(replay.array, near)]
    largest = max(float(finite_sizes(array).max(initial=0.0)) for array in arrays)
    with np.errstate(invalid="ignore"):
        off = np.abs(tensor.array - right)
    return float(off[np.isfinite(off)].max(initial=0.0)) > OF_FLOAT64 * largest


def _name(tensor: ExternalTensor) -> str:
    return _name_of(tensor.value)


def _name_of(value: Value) -> str:
    return value.path.rpartition(".")[2]


def _is_masked(value: Value) -> bool:
    """Whether the mask has been applied to scores already."""
    while value.operation is not None and _name_of(value) in _SEEN_BY_SOFTMAX:
        if value.operation is masking:
            return True
        value = value.inputs[0]
    return False


def _differs_by_row(tensor: ExternalTensor, right: Array, shown: Any, is_exp: bool) -> bool:
    """Whether scores differ by a constant a row, or exponentials by a factor; of a single number nothing is known.

    shown: what no mask hides: elsewhere numbers that are going to be hidden may be any
    """
    with np.errstate(all="ignore"):
        mine, ours = (np.log(tensor.array), np.log(right)) if is_exp else (tensor.array, right)
        seen = np.isfinite(mine) & np.isfinite(ours) & (mine > HIDES) & shown
        if not (seen.sum(axis=1) > 1).any() or np.isnan(mine).any():
            return False
        moved = np.array(
            [[np.median(row[chosen]) if chosen.any() else 0.0] for row, chosen in zip(mine - ours, seen, strict=True)]
        )
        is_free = np.isfinite(mine) & ~np.broadcast_to(shown, mine.shape)
        off = excess_over(mine - moved, ours, _left_over(tensor, mine, ours, moved, seen))
        return not np.where(is_free, 0.0, off).any()


def _left_over(tensor: ExternalTensor, mine: Array, ours: Array, moved: Array, seen: Any) -> Array:
    """By how much scores may differ when the constants are taken away, n×1.

    A sum with a large constant has lost some of the score's digits. But what is left must be small beside the
    differences in the row, or any scores could be called the same.
    """
    spread = np.where(seen, ours, -np.inf).max(axis=1, keepdims=True) - np.where(seen, ours, np.inf).min(
        axis=1, keepdims=True
    )
    own = margins(tensor, ours)
    visible = np.maximum(spread / NEARER, tensor.epsilon * largest_of_rows(mine))
    return np.where(moved == 0, own, np.minimum(own + ROUNDINGS * tensor.epsilon * np.abs(moved), visible))
