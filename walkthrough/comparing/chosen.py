"""Which of several readings of a tensor is meant: the one that agrees; else the nearest; else the plainest."""

from __future__ import annotations

import numpy as np

from walkthrough.comparing.alike import rounded
from walkthrough.comparing.matching import ExternalTensor, Theirs
from walkthrough.comparing.readings import Reading
from walkthrough.comparing.tolerance import beyond
from walkthrough.mistakes.replay import Replay

_MUCH = 1e-3
"""A reading that is so much nearer than the plainest is the one that is meant."""


def chosen(tensor: Theirs, replay: Replay) -> list[ExternalTensor]:
    """The matrices of the reading in which most of them agree with ours, or with what comes of theirs before."""
    if len(tensor.readings) == 1:
        return tensor.read(tensor.readings[0])
    agreeing = [_agreeing(tensor.read(reading), replay) for reading in tensor.readings]
    if max(agreeing) > 0:
        return tensor.read(tensor.readings[agreeing.index(max(agreeing))])
    off = [_off(reading) for reading in tensor.readings]
    nearest = off.index(min(off))
    return tensor.read(tensor.readings[nearest if off[nearest] < _MUCH * off[0] else 0])


def _agreeing(pieces: list[ExternalTensor], replay: Replay) -> float:
    """The share of the matrices that agree."""
    return sum(_agrees(one, replay) for one in pieces) / len(pieces)


def _agrees(tensor: ExternalTensor, replay: Replay) -> bool:
    rights = (tensor.value.array, replay.computed(tensor.value))
    return any(not beyond(tensor, right).any() for right in rights) or bool(rounded(tensor, rights))


def _off(reading: Reading) -> float:
    """By how much finite numbers are off at most."""
    largest = 0.0
    for value, array in reading.pieces:
        both = np.isfinite(value.array) & np.isfinite(array)
        largest = max(largest, float(np.abs(array[both] - value.array[both]).max(initial=0.0)))
    return largest
