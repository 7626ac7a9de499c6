"""Where a number goes: the cells that are computed from it; and what some rows are computed from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from walkthrough.expressions.fold.arrays import IndexGrid
from walkthrough.expressions.tree.nodes import Entry, Expression, Repeated
from walkthrough.expressions.tree.walk import parts
from walkthrough.recording.cells import CellAt
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_USERS = 3


def users_of(trace: Trace, cell: CellAt) -> tuple[list[CellAt], int]:
    """The first cells computed from this one, in the order of the calculation, and how many more there are."""
    found: list[CellAt] = []
    count = 0
    for value in trace:
        if cell.value in value.inputs:
            places = np.flatnonzero(_reads(value, cell))
            count += places.size
            found += [CellAt(value, *divmod(int(at), value.shape[1])) for at in places[: MOST_USERS + 1]]
    shown = found[: count if count == MOST_USERS + 1 else MOST_USERS]  # one more is no more than its line
    return shown, count - len(shown)


def _reads(value: Value, cell: CellAt) -> npt.NDArray[np.bool_]:
    """Which cells of a value are computed from a cell of its inputs."""
    reads = np.zeros(value.shape, dtype=bool)
    for entry, grid in _read(value, {at for at, given in enumerate(value.inputs) if given is cell.value}):
        in_row, in_column = grid.address(entry.row) == cell.row, grid.address(entry.column) == cell.column
        for loop in range(2, in_row.ndim):
            if 1 in (in_row.shape[loop], in_column.shape[loop]):  # no need to hold all that a long sum reads
                in_row, in_column = in_row.any(axis=loop, keepdims=True), in_column.any(axis=loop, keepdims=True)
        reads[grid.cells] |= (in_row & in_column).any(axis=tuple(range(2, in_row.ndim)))
    return reads


def rows_read(value: Value, given: Value, rows: Sequence[int]) -> list[int]:
    """Which rows of one of its inputs some rows of a value are computed from."""
    operands = {at for at, one in enumerate(value.inputs) if one is given}
    is_read = np.zeros(given.shape[0], dtype=bool)
    for entry, grid in _read(value, operands, rows):
        is_read[grid.address(entry.row)] = True
    return np.flatnonzero(is_read).tolist()


def _read(
    value: Value, operands: Collection[int], rows: Sequence[int] | None = None
) -> Iterator[tuple[Entry, IndexGrid]]:
    """The addresses of some operands that the cells of a value read, or those of some rows; each over its cells."""
    for piece in value.fold():
        if chosen := [row for row in piece.rows if rows is None or row in rows]:
            for entry, counts in _entries(piece.expression, operands, ()):
                yield entry, IndexGrid(np.asarray(chosen)[:, None], np.asarray(piece.columns)[None, :], *counts)


def _entries(
    node: Expression, operands: Collection[int], counts: tuple[int, ...]
) -> Iterator[tuple[Entry, tuple[int, ...]]]:
    """The addresses that an expression reads of some operands, each with the lengths of the loops around it."""
    if isinstance(node, Entry) and node.operand in operands:
        yield node, counts
    inner = (*counts, node.count) if isinstance(node, Repeated) else counts
    for part in parts(node):
        yield from _entries(part, operands, inner)
