"""How the cells of each value are computed from those of its inputs, made ready once for all calculations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from walkthrough.expressions.fold.batches import Batch, batches
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Difference,
    Expression,
    Negative,
    Number,
    Product,
    Quotient,
    Sum,
)
from walkthrough.expressions.tree.walk import children
from walkthrough.judging.settled import settled_cell
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_LARGEST, _ROOM = 300_000, 2_000_000
"""Parts of a value's expressions, and of all that are followed: some seconds' and a minute's worth."""

_STEADY = (Cell, Number, Sum, Difference, Product, Negative)
"""Parts of expressions that make bounded numbers of bounded ones."""

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
    """The cells of a value, row by row, in batches of one structure.

    is_bounded: numbers that are bounded, and not too large, give numbers that are: nothing is divided by them
    """

    inputs: Sequence[Value]
    batches: Sequence[Batch]
    is_bounded: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What was made ready for a value, and from what.

    decided: the numbers that decided how the cells are computed, by operand, row and column
    parts:   of all its expressions; batches: None where these are too many
    is_bounded: as of a Recipe
    """

    value: Value
    decided: Mapping[tuple[int, int, int], float]
    parts: int
    batches: Sequence[Batch] | None
    is_bounded: bool = False

    def holds_for(self, value: Value) -> bool:
        """Whether the cells of another value are computed in the same way."""
        own, inputs = self.value, value.inputs
        return (
            own.operation is value.operation
            and [given.shape for given in own.inputs] == [given.shape for given in inputs]
            and _is_same(own.settings, value.settings)
            and all(inputs[at].array[row, column] == number for (at, row, column), number in self.decided.items())
        )


class Known:
    """What was made ready for traces that differ in little but their given numbers, as those of a class do."""

    def __init__(self) -> None:
        self._made: dict[str, _Made] = {}

    def of(self, value: Value, most: int) -> _Made:
        """What is made ready for a value with at most so many parts: found, or made now."""
        made = self._made.get(value.path)
        if made is None or not made.holds_for(value) or (made.batches is None and made.parts <= most):
            made = self._made[value.path] = _made(value, most)
        return made


class Recipes:
    """The recipes of a trace, each made when it is first asked for; `of_trace` keeps them as long as the trace.

    known: what was made ready for other traces
    """

    _of_traces: ClassVar[WeakKeyDictionary[Trace, Recipes]] = WeakKeyDictionary()

    def __init__(self, known: Known | None = None) -> None:
        self._recipes: dict[Value, Recipe | None] = {}
        self._room = _ROOM
        self._known = known if known is not None else Known()

    @classmethod
    def of_trace(cls, trace: Trace, known: Known | None = None) -> Recipes:
        """The recipes of this trace: a class hands in many sheets of one."""
        if trace not in cls._of_traces:
            cls._of_traces[trace] = cls(known)
        return cls._of_traces[trace]

    def of(self, value: Value) -> Recipe | None:
        """The recipe of a computed value; None where it is too large to follow cell by cell."""
        if value not in self._recipes:
            most = min(_LARGEST, self._room)
            made = self._known.of(value, most)
            affordable = made.parts <= most and made.batches is not None
            self._room -= made.parts if affordable else 0
            self._recipes[value] = Recipe(value.inputs, made.batches or (), made.is_bounded) if affordable else None
        return self._recipes[value]


def _made(value: Value, most: int) -> _Made:
    decided: dict[tuple[int, int, int], float] = {}

    def number(cell: Cell) -> float:
        place = cell.operand, cell.row, cell.column
        decided[place] = float(value.inputs[cell.operand].array[cell.row, cell.column])
        return decided[place]

    parts = _parts(settled_cell(value, 0, 0, number)) * value.array.size
    if parts > most:
        return _Made(value.without_history(), decided, parts, None)
    rows, columns = value.shape
    expressions = [settled_cell(value, row, column, number) for row in range(rows) for column in range(columns)]
    starts = [0, *accumulate(given.array.size for given in value.inputs)]
    widths = [given.shape[1] for given in value.inputs]

    def address(cell: Cell) -> int:
        return starts[cell.operand] + cell.row * widths[cell.operand] + cell.column

    is_bounded = all(map(_is_bounded, expressions))
    return _Made(value.without_history(), decided, parts, batches(expressions, address), is_bounded)


def _is_bounded(expression: Expression) -> bool:
    """Whether nothing in it can grow beyond all bounds: sums, products, the larger of two, a number divided by one."""
    if isinstance(expression, Quotient):
        divisor = expression.denominator
        return isinstance(divisor, Number) and abs(divisor.value) >= 1 and _is_bounded(expression.numerator)
    is_known = isinstance(expression, _STEADY) or (isinstance(expression, Call) and expression.function == "max")
    return is_known and all(map(_is_bounded, children(expression)))


def _is_same(settings: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Whether two operations are set alike; settings are numbers, words, and tuples of them."""
    return settings.keys() == others.keys() and all(settings[name] == others[name] for name in settings)


def _parts(expression: Expression) -> int:
    return 1 + sum(map(_parts, children(expression)))
