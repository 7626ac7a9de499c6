"""Folds the cells of a matrix into one expression, whose addresses move evenly with the row and the column.

`cell(i, j)` is asked with a row and a column that stand for all of them. They can be added, multiplied by constants,
and compared where the answer is the same for all; what comes back holds for every row and column, so that one call
proves a matrix however large. Where the answer differs (the column is the target's, it lies in the second head), the
matrix is cut there and asked again; where a number is needed (a row of a table, an odd column), they are asked one by
one, and those that move evenly are put together, each of them compared.

What comes out is a tuple of pieces. Each has its rows and columns, two ranges that may have steps, and one expression;
together they cover every cell once. One piece is a matrix that folds whole; one for each cell, one that does not fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

from walkthrough.expressions.tree.indices import Index, LoopVariable, Undecided, linear, stretches
from walkthrough.expressions.tree.nodes import Cell, Entry, Expression, IndexMap, IndexValue, Loop, Number, Repeated
from walkthrough.expressions.tree.walk import parts, with_parts

CellOf = Callable[[Any, Any], Expression]
T = TypeVar("T")


class Piece(NamedTuple):
    """Cells that one folded expression gives; row and column in it are those of the matrix, counted from 0."""

    rows: range
    columns: range
    expression: Expression


Folded = tuple[Piece, ...]


def fold(cell: CellOf, rows: int, columns: int) -> Folded:
    """The pieces of a matrix whose number at row i and column j comes about as `cell(i, j)` says."""
    if not rows or not columns:
        return ()
    found = _pieces(cell, (range(rows), range(columns)), (False, False))
    return tuple(sorted(found, key=lambda piece: (piece.rows.start, piece.columns.start)))


def _pieces(cell: CellOf, ranges: tuple[range, range], single: tuple[bool, bool]) -> list[Piece]:
    """The pieces of a part of the matrix; a side that is `single` is asked with its one number."""
    variables = LoopVariable(ranges[0]), LoopVariable(ranges[1])
    i, j = (one.numbers[0] if is_one else Index(0, {one: 1}) for one, is_one in zip(variables, single, strict=True))
    try:
        return [Piece(*ranges, _Folding().of(cell(i, j), variables))]
    except Undecided as undecided:
        side, cut = (0 if variables[0] in undecided.variables else 1), undecided.cut
    numbers = ranges[side]
    if cut is None:
        parts = [range(number, number + 1) for number in numbers]
    else:
        parts = [range(numbers[0], cut), range(cut, numbers[-1] + 1)]
    found: list[Piece] = []
    for part in parts:
        found += _pieces(cell, _with_side(ranges, side, part), _with_side(single, side, len(part) == 1))
    return _together(found, side)


def _with_side(pair: tuple[T, T], side: int, one: T) -> tuple[T, T]:
    """Rows and columns with one of them replaced."""
    return (pair[0], one) if side else (one, pair[1])


class _Folding:
    """Gives the cells and constants of an expression their index maps; a part that occurs twice is folded once."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], tuple[Expression, Expression]] = {}

    def of(self, node: Expression, variables: tuple[LoopVariable, ...]) -> Expression:
        """The node within loops over all variables but the first two, which are row and column."""
        if isinstance(node, Cell):
            if isinstance(node.operand, Index):
                raise Undecided(node.operand.factors)
            return Entry(node.operand, _index_map(node.row, variables), _index_map(node.column, variables))
        if isinstance(node, Number):
            return IndexValue(_index_map(node.value, variables)) if isinstance(node.value, Index) else node
        key = id(node), len(variables)
        if key not in self._known:
            self._known[key] = node, self._made(node, variables)
        return self._known[key][1]

    def _made(self, node: Expression, variables: tuple[LoopVariable, ...]) -> Expression:
        if isinstance(node, Loop):
            inner = (*variables, node.variable)
            return Repeated(tuple(self.of(item, inner) for item in node.items), len(node.variable.numbers))
        return with_parts(node, [self.of(part, variables) for part in parts(node)])


def _index_map(number: Any, variables: tuple[LoopVariable, ...]) -> IndexMap:
    constant, factors = linear(number)
    return constant, *(factors.get(variable, 0) for variable in variables)


class _Line(NamedTuple):
    """A single row or column: its number, and the constants of the addresses in its expression, in order."""

    piece: Piece
    constants: list[float]


def _together(pieces: list[Piece], side: int) -> list[Piece]:
    """Single rows, or columns, put together that have the same other side and move evenly."""
    groups: dict[tuple[range, Expression], list[_Line]] = {}
    found = []
    for piece in pieces:
        own, other = (piece.rows, piece.columns) if side == 0 else (piece.columns, piece.rows)
        if len(own) > 1:
            found.append(piece)
        else:
            constants: list[float] = [own.start]
            form = rewrite(piece.expression, lambda address: _without_constant(address, constants))  # noqa: B023
            groups.setdefault((other, form), []).append(_Line(piece, constants))
    for lines in groups.values():
        found += [
            _merge(lines[places.start : places.stop], side) for places in _evenly([one.constants for one in lines])
        ]
    return found


def _evenly(rows: list[list[float]]) -> list[range]:
    """Which lines move evenly: all of them, however far apart, or those next to each other."""
    together = list(stretches(rows, rows[1][0] - rows[0][0])) if len(rows) > 1 else []
    return together if len(together) == 1 else list(stretches(rows))


def _without_constant(address: IndexMap, constants: list[float]) -> IndexMap:
    constants.append(address[0])
    return 0, *address[1:]


def _merge(lines: list[_Line], side: int) -> Piece:
    """Lines that move evenly as one piece."""
    first = lines[0]
    if len(lines) == 1:
        return first.piece
    start, gap = first.constants[0], lines[1].constants[0] - first.constants[0]
    moves = zip(first.constants[1:], lines[1].constants[1:], strict=True)
    steps: Iterator[float] = iter([_divide(other - one, gap) if one != other else 0 for one, other in moves])

    def move(address: IndexMap) -> IndexMap:
        step = next(steps)
        if not step:
            return address
        factors = list(address[1:])
        factors[side] = step
        return address[0] - step * start, *factors

    numbers = range(int(start), int(lines[-1].constants[0]) + 1, int(gap))
    rows, columns = _with_side((first.piece.rows, first.piece.columns), side, numbers)
    return Piece(rows, columns, rewrite(first.piece.expression, move))


def _divide(difference: float, by: float) -> float:
    """A quotient that stays whole where it is."""
    return difference // by if difference % by == 0 else difference / by


def rewrite(node: Expression, change: Callable[[IndexMap], IndexMap]) -> Expression:
    """A folded expression with its addresses and constants changed, in order."""
    if isinstance(node, Entry):
        return Entry(node.operand, change(node.row), change(node.column))
    if isinstance(node, IndexValue):
        return IndexValue(change(node.value))
    if isinstance(node, Number):
        value = change((node.value, 0, 0))
        return IndexValue(value) if any(value[1:]) else Number(value[0])
    return with_parts(node, [rewrite(part, change) for part in parts(node)])


def expand(piece: Piece, row: int, column: int) -> Expression:
    """The expression of one cell, with every sum written out."""
    return _expand(piece.expression, (1, row, column))


def _expand(node: Expression, at: tuple[int, ...]) -> Expression:
    if isinstance(node, Entry):
        return Cell(node.operand, _at(node.row, at), _at(node.column, at))
    if isinstance(node, IndexValue):
        return Number(_at(node.value, at))
    return with_parts(node, [one for part in parts(node) for one in _written_out(part, at)])


def _written_out(node: Expression, at: tuple[int, ...]) -> Iterator[Expression]:
    if not isinstance(node, Repeated):
        yield _expand(node, at)
        return
    for index in range(node.count):
        for item in node.items:
            yield from _written_out(item, (*at, index))


def _at(address: IndexMap, at: tuple[int, ...]) -> Any:
    number: Any = address[0]
    for factor, index in zip(address[1:], at[1:], strict=False):
        if factor:
            number += factor * index
    return number
