"""How well the numbers of a table agree with a step's."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from walkthrough.drafts.fit import Fit
from walkthrough.judging.digits import decimals_of

ENOUGH = 0.5
"""The share of numbers that agree where numbers decide between several steps that a name leaves."""
MOST = 0.75
"""The share that agrees with a step which nothing but its numbers speaks for."""
_MOST_WHOLE = 0.9
"""The same where all numbers are small and whole: a matrix of 0 and 1 agrees with half of any other."""
_SMALL = 10
_NEAR = 0.05
"""What rounding on the way may move a number by, as a share of the range of a step's numbers."""


def share(one: Fit) -> float:
    """The share of a table's numbers that agree with a step's, up to one unit of their last digit."""
    printed, right, slack = _numbers(one)
    if not printed.size:
        return ENOUGH
    with np.errstate(invalid="ignore"):
        return float(((np.abs(printed - right) <= slack) | (printed == right)).mean())


def is_alike(one: Fit) -> bool:
    """Whether most numbers agree, or all nearly, as those do that were computed from rounded ones."""
    return share(one) >= (_MOST_WHOLE if is_of_small_whole_numbers(one) else MOST) or _is_near(one)


def is_of_small_whole_numbers(one: Fit) -> bool:
    """Whether its numbers are weak evidence: they agree with others by chance."""
    return all(
        entry.plain is None or (float(entry.plain).is_integer() and abs(float(entry.plain)) < _SMALL)
        for *_, entry in one.cells
    )


def is_right(one: Fit) -> bool:
    """Whether all numbers agree, or nearly."""
    return share(one) == 1 or _is_near(one)


def _is_near(one: Fit) -> bool:
    printed, right, slack = _numbers(one)
    finite = right[np.isfinite(right)]
    if finite.size < 4:
        return False
    near = np.maximum(_NEAR * np.ptp(finite), slack)
    with np.errstate(invalid="ignore"):
        return bool(((np.abs(printed - right) <= near) | (printed == right)).all())


def most_alike(fits: Sequence[Fit], is_named: bool) -> Fit | None:
    """The first of those with which most numbers agree, if at least half do; without name and labels, if most do."""
    shares = [share(one) for one in fits]
    best = max(shares, default=0.0)
    found = fits[shares.index(best)] if best >= ENOUGH else None
    return found if found is None or is_named or found.labels == 2 or is_alike(found) else None


def _numbers(one: Fit) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What is printed, what is right, and by how much they may differ: about a unit of the last digit.

    Of small whole numbers it is half a unit: nearly all numbers of a Transformer are within one.
    """
    cells = [(row, column, entry.plain) for row, column, entry in one.cells if entry.plain is not None]
    printed = np.array([float(plain) for *_, plain in cells])
    right = np.array([one.value.array[row, column] for row, column, _ in cells], dtype=float)
    with np.errstate(over="ignore"):  # that of 1e400 is infinite too
        units = np.power(10.0, [-(decimals_of(plain) or 0) for *_, plain in cells])
    return printed, right, units * (0.5 if is_of_small_whole_numbers(one) else 0.75)
