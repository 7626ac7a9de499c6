"""A matrix as a heat map: how dark each cell is, and which cells have the same shade."""

from __future__ import annotations

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.views.pictures.shapes import Area
from walkthrough.views.text.colours import colours

MOST_CELLS = 24
"""Rows or columns of a heat map; of a larger matrix a cell is the mean of a block."""
SHADES = 9
"""From 0, that of nothing, to the darkest; negative numbers have as many of their own."""


def shades(value: Value, blocks: bool = True) -> Array:
    """The shade of each cell of the heat map of a value, −9 to 9: shares of 1, others of the largest in size.

    blocks: whether a cell is the mean of a block where the matrix is large
    """
    array = block_means(value.array) if blocks else value.array
    if value.holds_ids or (value.array.size < 2 and not value.kind.is_distribution):
        return np.zeros(array.shape)
    finite = array[np.isfinite(array)]
    largest = 1.0 if value.kind.is_distribution else float(np.abs(finite).max(initial=0.0)) or 1.0
    share = np.where(np.isfinite(array), array, 0.0) / largest
    return np.floor(np.clip(share, -1, 1) * SHADES + 0.5)


def blocks(count: int) -> int:
    """In how many rows or columns a heat map shows so many."""
    return -(-count // -(-count // MOST_CELLS))


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


def shade_areas(shaded: Array, width: float, height: float) -> dict[int, tuple[Area, ...]]:
    """The cells of each shade, neighbours in a row together; cells are so wide and so high."""
    found: dict[int, list[Area]] = {}
    rows, columns = shaded.shape
    for i in range(rows):
        start = 0
        for j in range(1, columns + 1):
            if j < columns and shaded[i, j] == shaded[i, start]:
                continue
            if shade := int(shaded[i, start]):
                found.setdefault(shade, []).append((start * width, i * height, (j - start) * width, height))
            start = j
    return {shade: tuple(areas) for shade, areas in sorted(found.items())}


def shade_colour(shade: int) -> str:
    """The colour of a shade on white paper, light enough for black type."""
    return colours(_LIGHT * shade / SHADES)[0]


_LIGHT = 0.62
