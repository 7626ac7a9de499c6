"""Where a number goes: the cells that are computed from it."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.expressions.walk import cells
from walkthrough.recording.cells import CellAt
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

MOST_USERS = 12
_MOST_LOOKED_AT = 20_000
"""Terms read to find users exactly; beyond, the labels of the axes decide."""


def users_of(trace: Trace, cell: CellAt) -> tuple[list[CellAt], int]:
    """The first cells computed from this one, in the order of the calculation, and how many more there are."""
    found = [user for value in trace for user in _users_in(value, cell)]
    return found[:MOST_USERS], max(len(found) - MOST_USERS, 0)


def _users_in(value: Value, cell: CellAt) -> Iterator[CellAt]:
    places = [at for at, given in enumerate(value.inputs) if given is cell.value]
    if not places or value.operation is None:
        return
    looked_at = value.array.size * max(given.shape[1] + given.shape[0] for given in value.inputs)
    for row, column in _candidates(value, cell, places):
        if looked_at > _MOST_LOOKED_AT or _reads(value, row, column, cell, places):
            yield CellAt(value, row, column)


def _reads(value: Value, row: int, column: int, cell: CellAt, places: list[int]) -> bool:
    return any(
        at.operand in places and (at.row, at.column) == (cell.row, cell.column) for at in cells(value.cell(row, column))
    )


def _candidates(value: Value, cell: CellAt, places: list[int]) -> Iterator[tuple[int, int]]:
    """The cells of a value that may read the number: in large ones, an axis that both share stands at its label."""
    rows, columns = range(value.shape[0]), range(value.shape[1])
    assert value.operation is not None
    axes, result = value.operation.axes
    if value.array.size > 4096 and places[0] < len(axes):
        names = axes[places[0]]
        for name, at in zip(names, (cell.row, cell.column), strict=True):
            if name == result[0] and at < value.shape[0]:
                rows = range(at, at + 1)
            if name == result[1] and at < value.shape[1]:
                columns = range(at, at + 1)
    yield from ((row, column) for row in rows for column in columns)
