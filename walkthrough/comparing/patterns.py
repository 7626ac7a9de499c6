"""What the numbers themselves show: dropout that is on, a factor, rows in another order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.comparing.matching.tensors import ExternalTensor
from walkthrough.comparing.thresholds import NEARER
from walkthrough.comparing.tolerance import excess
from walkthrough.mistakes.constants import FEWEST
from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.operations.definition import Array


def dropout(tensor: ExternalTensor, right: Array) -> Mistake | None:
    """Some numbers are 0, and all others as many times too large as makes up for that: dropout is on."""
    found = tensor.array
    if tensor.value.operation is None or not np.isfinite(found).all() or not np.isfinite(right).all():
        return None
    counts = right != 0
    lost, kept = counts & (found == 0), counts & (found != 0)
    if not lost.any() or kept.sum() < FEWEST:
        return None
    with np.errstate(over="ignore"):
        factor = float(np.median(found[kept] / right[kept]))
    share = 1 - 1 / factor if factor > 0 else 0.0
    spread = np.sqrt(counts.sum() * share * (1 - share)) if 0 < share < 1 else 0.0
    if abs(lost.sum() - counts.sum() * share) > NEARER * spread:
        return None
    if excess(tensor.replace(array=np.where(lost, 0.0, found)), np.where(lost, 0.0, right * factor)).any():
        return None
    return mistake(
        "other.dropout",
        factor=f"{factor:.4g}",
        share=f"{share:.2g}",
    )


def observations(found: Array, right: Array) -> Iterator[tuple[Mistake, Array]]:
    """What can be said of numbers that no known mistake gives: the right ones, changed as a whole."""
    with np.errstate(all="ignore"):
        both = np.isfinite(found) & np.isfinite(right) & (right != 0)
        if both.sum() >= FEWEST:
            factor = float(np.median(found[both] / right[both]))
            yield mistake("sign"), -right
            yield mistake("other.factor", factor=f"{factor:.6g}"), right * factor
            offset = float(np.median((found - right)[both]))
            yield mistake("other.offset", offset=f"{offset:+.6g}"), right + offset
    rows, columns = right.shape
    if rows > 2:
        yield mistake("other.rows_reversed"), right[::-1]
        yield mistake("other.rows_too_low"), np.roll(right, 1, axis=0)
        yield mistake("other.rows_too_high"), np.roll(right, -1, axis=0)
    if columns > 2:
        yield mistake("other.columns_reversed"), right[:, ::-1]
        yield mistake("other.columns_too_right"), np.roll(right, 1, axis=1)
        yield mistake("other.columns_too_left"), np.roll(right, -1, axis=1)
