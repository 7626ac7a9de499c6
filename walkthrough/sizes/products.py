"""How many multiplications the matrix products of some steps take."""

from __future__ import annotations

from collections.abc import Iterable

from walkthrough.recording.values import Value


def multiplications(values: Iterable[Value]) -> int:
    """The multiplications of all matrix products among the steps; what is done to each number by itself is left out."""
    return sum(_products(value) for value in dict.fromkeys(values))


def _products(value: Value) -> int:
    """n·k·m, where the operation multiplies n×k by k×m: an axis k that both inputs have, and the result has not.

    Or by k rows of a longer matrix.
    """
    if value.operation is None or len(value.inputs) < 2:
        return 0
    rows, columns = value.shape
    sides = [1] if value.operation.by_part else [side for side, _ in value.operation.summed]
    return sum(rows * columns * value.inputs[0].shape[side] for side in sides)
