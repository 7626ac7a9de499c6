"""Heat maps: how dark each number of a matrix is shown, in nine steps to either side of 0."""

from __future__ import annotations

import numpy as np

from walkthrough.recording.values import Value

STEPS = 9


def shades(value: Value) -> list[list[int]]:
    """For each number from −9 to 9: shares of a whole from 0 to 1, others by their size among the largest.

    0 where a number is hidden, unknown or not a quantity, and where it stands alone.
    """
    array = value.array
    finite = np.where(np.isfinite(array), array, 0.0)
    largest = 1.0 if value.kind.is_distribution else float(np.abs(finite).max(initial=0.0))
    if value.holds_ids or value.array.size < 2 or largest == 0:
        return [[0] * array.shape[1] for _ in range(array.shape[0])]
    steps = np.clip(np.rint(finite / largest * STEPS), -STEPS, STEPS)
    found: list[list[int]] = steps.astype(int).tolist()
    return found
