"""A matrix as a heat map: how dark each cell is, and the cells of one shade as one path."""

from __future__ import annotations

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

MOST_CELLS = 24
"""Rows or columns of a heat map; of a larger matrix a cell is the mean of a block."""
SHADES = 9
"""From 0, that of nothing, to the darkest; negative numbers have as many of their own."""


def shades(value: Value) -> Array:
    """The shade of each cell of the heat map of a value, −9 to 9: shares of 1, others of the largest in size."""
    array = block_means(value.array)
    if value.holds_ids or value.array.size < 2:
        return np.zeros(array.shape)
    finite = array[np.isfinite(array)]
    largest = 1.0 if value.kind.is_distribution else float(np.abs(finite).max(initial=0.0)) or 1.0
    share = np.where(np.isfinite(array), array, 0.0) / largest
    return np.floor(np.clip(share, -1, 1) * SHADES + 0.5)


def block_means(array: Array) -> Array:
    """At most 24 rows and columns: of more, the means of blocks of cells, of those that are finite."""
    for axis in (0, 1):
        size = array.shape[axis]
        if size > MOST_CELLS:
            step = -(-size // MOST_CELLS)
            starts = range(0, size, step)
            finite = np.isfinite(array)
            sums = np.add.reduceat(np.where(finite, array, 0.0), starts, axis=axis)
            counts = np.add.reduceat(finite.astype(float), starts, axis=axis)
            array = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    return array


def shade_paths(shaded: Array, width: float, height: float) -> dict[int, str]:
    """The cells of each shade as one path, neighbours in a row together; cells are so wide and so high."""
    paths: dict[int, list[str]] = {}
    rows, columns = shaded.shape
    for i in range(rows):
        start = 0
        for j in range(1, columns + 1):
            if j < columns and shaded[i, j] == shaded[i, start]:
                continue
            if shade := int(shaded[i, start]):
                across = (j - start) * width
                paths.setdefault(shade, []).append(
                    f"M{start * width:g} {i * height:g}h{across:g}v{height:g}h{-across:g}z"
                )
            start = j
    return {shade: "".join(pieces) for shade, pieces in sorted(paths.items())}
