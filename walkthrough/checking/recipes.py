"""How the cells of each value are computed from those of its inputs, made ready once for all calculations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar
from weakref import WeakKeyDictionary

from walkthrough.checking.settled import settled_cell
from walkthrough.expressions.batches import Batch, batches
from walkthrough.expressions.nodes import Cell, Expression
from walkthrough.expressions.walk import children
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_LARGEST, _ROOM = 300_000, 2_000_000
"""Parts of a value's expressions, and of all that are followed: some seconds' and a minute's worth."""

COPYING = frozenset(
    {
        "append_rows",
        "concatenate",
        "keep_largest",
        "keep_likely",
        "keep_visible",
        "largest_size",
        "last_rows",
        "mask",
        "negative",
        "prediction",
        "relu",
        "relu_gradient",
        "repeat_row",
        "select_rows",
        "table_of",
        "take_columns",
    }
)
"""Operations that only copy numbers, or leave them out: nobody rounds there."""


def copies(value: Value) -> bool:
    """Whether a value only has numbers that others have, or was given: there is nothing to round in it."""
    return value.operation is None or value.operation.name in COPYING


@dataclass(frozen=True, slots=True, eq=False)
class Recipe:
    """The cells of a value, row by row, in batches of one structure."""

    inputs: Sequence[Value]
    batches: Sequence[Batch]


class Recipes:
    """The recipes of a trace, each made when it is first asked for; `of_trace` keeps them as long as the trace."""

    _of_traces: ClassVar[WeakKeyDictionary[Trace, Recipes]] = WeakKeyDictionary()

    def __init__(self) -> None:
        self._known: dict[Value, Recipe | None] = {}
        self._room = _ROOM

    @classmethod
    def of_trace(cls, trace: Trace) -> Recipes:
        """The recipes of this trace: a class hands in many sheets of one."""
        return cls._of_traces.setdefault(trace, cls())

    def of(self, value: Value) -> Recipe | None:
        """The recipe of a computed value; None where it is too large to follow cell by cell."""
        if value not in self._known:
            parts = _parts(settled_cell(value, 0, 0)) * value.array.size
            affordable = parts <= min(_LARGEST, self._room)
            self._room -= parts if affordable else 0
            self._known[value] = _recipe(value) if affordable else None
        return self._known[value]


def _recipe(value: Value) -> Recipe:
    rows, columns = value.shape
    expressions = [settled_cell(value, row, column) for row in range(rows) for column in range(columns)]
    starts = [0, *accumulate(given.array.size for given in value.inputs)]
    widths = [given.shape[1] for given in value.inputs]

    def address(cell: Cell) -> int:
        return starts[cell.operand] + cell.row * widths[cell.operand] + cell.column

    return Recipe(value.inputs, batches(expressions, address))


def _parts(expression: Expression) -> int:
    return 1 + sum(map(_parts, children(expression)))
