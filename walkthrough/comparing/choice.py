"""Which of several readings of a tensor is meant: the one that agrees; else the nearest; else the plainest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from walkthrough.comparing.harmless import agrees
from walkthrough.comparing.matching.readings import Expert, Reading, largest_difference
from walkthrough.comparing.matching.tensors import ExternalTensor, Theirs
from walkthrough.comparing.thresholds import CERTAIN
from walkthrough.recording.recalculation import Recalculation

_AGREES, _SHARES = "this one agrees", "none agrees, and its numbers are shares"
_NEAREST, _PLAINEST = "none agrees, and this one is by far the nearest", "none agrees, and this one is the plainest"


def choose_reading(
    tensor: Theirs, replay: Recalculation, knows_rows: Callable[[Expert], bool] = lambda expert: False
) -> list[ExternalTensor]:
    """The matrices of the reading in which most of them agree with ours, or with what comes of theirs before.

    What a module returns beside its output is none where it neither agrees with a step nor says that it is weights.
    knows_rows: whether an expert is known to be sent the tokens of a batch in their order
    """
    if len(tensor.readings) == 1 and not tensor.beside and not tensor.readings[0].sent:
        return tensor.read(tensor.readings[0])
    replay = Recalculation(replay.given, replay.rounding)  # what comes later may be asked for before it is given
    is_of_batch = tensor.is_of_batch and any(one.weight is not None for one in tensor.readings)
    ways = [way for one in tensor.readings for way in _with_rows(one, replay, is_of_batch)]
    tensor = tensor._replace(readings=ways)
    if not tensor.readings:
        return []
    best, most = tensor.readings[0], 0.0
    for reading in tensor.readings:
        share = _share_that_agrees(tensor.read(reading), replay)
        if share > most:
            best, most = reading, share
        if most == 1:  # the steps before another reading need not be calculated
            break
    if is_of_batch and most < 1:  # whose rows these are may not be known
        known = (one for one in tensor.readings if one.weight is not None and knows_rows(one.weight))
        return next((tensor.read(one, _PLAINEST) for one in known), [])
    if most == 1 or (most > 0 and not tensor.beside):
        return tensor.read(best, _AGREES)
    if tensor.beside:
        return next((tensor.read(one, _SHARES) for one in tensor.readings if _are_weights(one)), [])
    off = [largest_difference(reading) for reading in tensor.readings]
    nearest = off.index(min(off))
    is_nearest = CERTAIN * off[nearest] < off[0]
    return tensor.read(tensor.readings[nearest if is_nearest else 0], _NEAREST if is_nearest else _PLAINEST)


def shows_order_of_tokens(tensor: Theirs, replay: Recalculation, expert: Expert | None = None) -> bool:
    """Whether rows of an expert agree: of this one, or such as would come in another order by the number of choice."""
    return any(
        (reading.weight == expert or (np.diff(_ranks(reading.weight, list(one.rows), replay)) < 0).any())
        and _share_that_agrees(tensor.read(one), replay) == 1
        and all(array[list(one.rows)].any(axis=1).all() for _, array in one.pieces)  # rows of zeros are all alike
        for reading in tensor.readings
        if reading.weight is not None
        for one in _with_rows(reading, replay, is_of_batch=True)
        if list(one.rows) == sorted(one.rows)
    )


def _ranks(expert: Expert, rows: Any, replay: Recalculation) -> Any:
    """How many experts are preferred to this one by each token that it is sent."""
    weights, column = expert
    shares = replay.compute(weights)[rows]
    return (shares > shares[:, [column]]).sum(axis=1)


def _with_rows(reading: Reading, replay: Recalculation, is_of_batch: bool) -> Iterator[Reading]:
    """The reading itself; where some rows were given, with what should stand in the others."""
    for rows in _rows(reading, replay, is_of_batch) if reading.sent else ():
        pieces = []
        for value, array in reading.pieces:
            whole = replay.compute(value).copy()
            whole[rows] = array[: len(rows)]
            pieces.append((value, whole))
        yield reading._replace(pieces=tuple(pieces), rows=tuple(map(int, rows)))
    if not reading.sent:
        yield reading


def _rows(reading: Reading, replay: Recalculation, is_of_batch: bool) -> Iterator[Any]:
    """Which rows these may be. Tokens come to an expert in their order, or those first whose first choice it is.

    Of those of a whole batch the first are those of its first sequence.
    """
    if reading.weight is None:
        yield np.array([reading.pieces[0][0].shape[0] - 1])
        return
    weights, column = reading.weight
    shares = replay.compute(weights)
    rows = np.flatnonzero(shares[:, column])
    if len(rows) == reading.sent or (is_of_batch and 0 < len(rows) < reading.sent):
        yield rows
    if len(rows) == reading.sent:
        yield rows[np.argsort(_ranks(reading.weight, rows, replay), kind="stable")]


def _are_weights(reading: Reading) -> bool:
    """Whether the numbers say so, also of wrong ones: of a step that holds shares, none below 0, and no mask."""
    return all(
        one.kind.is_distribution and not (array < 0).any() and not np.isin(array, (0, 1)).all()
        for one, array in reading.pieces
    )


def _share_that_agrees(pieces: list[ExternalTensor], replay: Recalculation) -> float:
    right = (agrees(one, one.value.array) or agrees(one, replay.compute(one.value)) for one in pieces)
    return sum(right) / len(pieces)
