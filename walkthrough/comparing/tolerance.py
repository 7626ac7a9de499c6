"""How near two matrices are: by how much numbers are off beyond the roundings that explain a difference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.thresholds import NEARER, OF_A_FORMAT, ROUNDINGS, VISIBLE
from walkthrough.expressions.bounds.affine import AffineArithmetic
from walkthrough.expressions.bounds.forms import numbers
from walkthrough.expressions.bounds.matrices import forms_of
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.constants import FEWEST
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.definition import Array
from walkthrough.operations.softmax import HIDES
from walkthrough.recording.values import finite_sizes

_MOST_READ = 4_000
"""Numbers that a step may read to be compared that closely."""


def excess(tensor: ExternalTensor, right: Array) -> Array:
    """By how much each number is off, beyond some roundings of the largest number of its row; 0 where it is not."""
    off = excess_over(tensor.array, _as_held(tensor, right), margins(tensor, right))
    return np.where(tensor.is_given, off, 0.0) if tensor.rows else off


def _as_held(tensor: ExternalTensor, right: Array) -> Array:
    """The right numbers; where their number format has none so large, what it makes of them."""
    if tensor.format is None:
        return right
    held = tensor.format.round(right)
    return np.where(np.isfinite(held), right, held)


def margins(tensor: ExternalTensor, right: Array) -> Array:
    """By how much the numbers of each row may be off, n×1: some roundings of the largest of the right ones.

    Where somebody has said a tolerance: that, times the largest where it is above 1. In a number format: 8 u, what the
    roundings of steps that were not given make of it, and its smallest number.
    """
    if tensor.tolerance is not None:
        return tensor.tolerance * np.maximum(1.0, largest_of_rows(right))
    if tensor.format is not None:
        return OF_A_FORMAT * tensor.format.roundoff * largest_of_rows(right) + tensor.drift + tensor.smallest
    size = np.maximum(largest_of_rows(right), tensor.terms)
    if tensor.epsilon < OF_FLOAT64:
        own = np.full((len(right), 1), OF_FLOAT64 * size.max(initial=0.0) + tensor.smallest)
    else:
        own = ROUNDINGS * (tensor.epsilon * size + tensor.smallest)
    found: Array = own + tensor.drift
    return found


def part_of_format(tensor: ExternalTensor) -> float:
    """What part of the largest number of its row a number may be off in its format, of all rows the most; else 0."""
    if tensor.format is None or tensor.tolerance is not None:
        return 0.0
    size = largest_of_rows(tensor.array)
    return float(
        np.where(size > 0, margins(tensor, tensor.array) / np.where(size > 0, size, 1.0), 0.0).max(initial=0.0)
    )


def largest_of_rows(numbers: Array) -> Array:
    """How large the largest finite number of each row is, n×1."""
    sizes: Array = finite_sizes(numbers).max(axis=1, keepdims=True, initial=0.0)
    return sizes


def excess_over(found: Array, right: Array, margin: Array) -> Array:
    """By how much each number is off, if by more than the margin; 0 where it is not."""
    with np.errstate(all="ignore"):
        off = np.abs(found - right)
        is_same = (found == right) | (np.isnan(found) & np.isnan(right))
        off = np.where(is_same, 0.0, np.where(np.isnan(off), np.inf, off))
        hidden = np.isneginf(right) & (found < HIDES)  # they may hide with a large negative number
        return np.where(hidden | (off <= margin), 0.0, off)


def strict_excess(tensor: ExternalTensor, inputs: Sequence[Array], epsilon: float, rough: Array) -> Array:
    """By how much numbers are off that were computed from known ones, beyond the roundings of this operation alone.

    In float64 it excuses only what cancels: another order of the same sums is no fault.
    """
    value, found = tensor.value, tensor.array
    if value.operation is None or found.size * max(sum(array.shape) for array in inputs) > _MOST_READ:
        return rough
    # each number, give or take its own rounding: theirs may have been kept with more digits, ours with fewer
    operands = [numbers(array, np.abs(array) * epsilon / 2) for array in inputs]
    forms = forms_of(value.fold(), value.shape, operands, AffineArithmetic(epsilon / 2))
    with np.errstate(all="ignore"):
        slack = VISIBLE * (forms.high - forms.low) + ROUNDINGS * tensor.smallest
        explained = (forms.low - slack <= found) & (found <= forms.high + slack)
        is_off = (
            (rough > 0 if epsilon < OF_FLOAT64 else True)
            & np.isfinite(found)
            & np.isfinite(slack)
            & ~explained
            & tensor.is_given
        )
        off = np.maximum(forms.low - found, found - forms.high)
    return np.where(is_off, off, np.where(np.isfinite(rough), 0.0, rough))


_MOST = 100_000
"""Numbers that are looked at."""


def is_visibly_off(tensor: ExternalTensor, right: Array) -> bool:
    """Whether numbers that may be roundings of the right ones are off by more than a few, of all on average."""
    off = _in_roundings(tensor, right, right)
    return off is not None and _is_visible(off)


def is_nearer(tensor: ExternalTensor, right: Array, other: Array) -> bool:
    """Whether numbers are visibly off, and much nearer to others than to the right ones.

    Roundings are not: to come near to a mistake by chance, all of them would have to fall alike.
    """
    if other.shape != right.shape or (np.isfinite(other) != np.isfinite(right)).any():
        return False
    off, rest = _in_roundings(tensor, right, right), _in_roundings(tensor, right, other)
    if off is None or rest is None or not _is_visible(off):
        return False
    return bool(_length(rest) * NEARER < _length(off))


def _in_roundings(tensor: ExternalTensor, right: Array, other: Array) -> Array | None:
    """How many roundings of the right numbers theirs are off others; None where too few or too many can be told."""
    seen = np.isfinite(tensor.given) & np.isfinite(right)
    if not FEWEST <= seen.sum() <= _MOST:
        return None
    with np.errstate(all="ignore"):
        return (
            np.abs(tensor.array - other)[seen]
            / np.broadcast_to(_rounding_of_rows(tensor, right, seen), right.shape)[seen]
        )


def _is_visible(off: Array) -> bool:
    return bool(_length(off) > VISIBLE * np.sqrt(off.size))


def _length(off: Array) -> float:
    with np.errstate(over="ignore"):  # an infinite one is no nearer than another
        return float(np.sqrt((off**2).sum()))


def distance(tensor: ExternalTensor, other: Array) -> float:
    """How many roundings of the largest number of its row a number is off, on average; 0 for another shape."""
    found = tensor.given
    if other.shape != found.shape:
        return 0.0
    seen = np.isfinite(found) & np.isfinite(other)
    with np.errstate(all="ignore"):
        off = np.where(seen, np.abs(found - other) / _rounding_of_rows(tensor, found, seen), 0.0)
        return float(np.sqrt((off**2).sum() / max(int(seen.sum()), 1)))


def roundings_of_rows(tensor: ExternalTensor, right: Array) -> Array:
    """One rounding of the largest number of each row, n×1; of 1 where all are 0."""
    return _rounding_of_rows(tensor, right, np.isfinite(tensor.array) & np.isfinite(right))


def _rounding_of_rows(tensor: ExternalTensor, numbers: Array, seen: Flags) -> Array:
    """One rounding of the largest visible number of each row, n×1; of 1 where all are 0."""
    size = largest_of_rows(np.where(seen, numbers, 0.0))
    return np.where(size > 0, size, 1.0) * tensor.epsilon + tensor.smallest


def is_much_nearer(off: float, first: float) -> bool:
    """Whether of two distances, both within the roundings that are allowed, one tells which mistake was made."""
    return first > VISIBLE and off * NEARER < first
