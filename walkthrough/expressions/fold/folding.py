"""Folds the cells of a matrix into one expression, whose addresses move evenly with the row and the column.

`cell(i, j)` is asked with a row and a column that are symbols of all of them. They can be added, multiplied by
constants, and compared where the answer is the same for all; what comes back holds for every row and column, so that
one call proves a matrix however large. Where the answer differs (the column is the target's, it lies in the second
head), the matrix is cut there and asked again; where a symbol must be a number (a row of a table, an odd column), they
are asked one by one, and those that move evenly are put together, each of them compared. Long sums are put together in
that way too, as runs.

What comes out is a tuple of pieces. Each has its rows and columns, two ranges that may have steps, and one expression;
together they cover every cell once. One piece is a matrix that folds whole; one for each cell, one that does not fold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Affine, Call, Cell, Entry, Expression, Moving, Number, Run, Sum
from walkthrough.expressions.tree.walk import children, with_children

CellOf = Callable[[Any, Any], Expression]


class Piece(NamedTuple):
    """Cells that one folded expression gives; row and column in it are those of the matrix, counted from 0."""

    rows: range
    columns: range
    expression: Expression


Folded = tuple[Piece, ...]
Parts = tuple[Expression, ...]
_INDEX = 3
"""Where the index of a run stands in an address, behind constant, row and column."""


_ROWS, _COLUMNS = 1, 2
"""The axes, by where they stand in an address behind the constant."""


class _Asked(Exception):  # noqa: N818
    """A cell has asked something of a symbol that is not the same for all numbers it stands for.

    axis: rows or columns; cuts: where to cut so that it is the same, or none: they must be asked one by one
    """

    def __init__(self, axis: int, *cuts: int) -> None:
        self.axis = axis
        self.cuts = cuts


class _Symbol:
    """All rows or all columns of a range, or the sum of multiples of them: constant, per row, per column."""

    __slots__ = ("affine", "ranges")

    def __init__(self, affine: tuple[float, float, float], ranges: tuple[range, range]) -> None:
        self.affine = affine
        self.ranges = ranges

    def __add__(self, other: Any) -> _Symbol:
        a, b = self.affine, _affine(other)
        return _Symbol((a[0] + b[0], a[1] + b[1], a[2] + b[2]), self.ranges)

    def __mul__(self, by: Any) -> _Symbol:
        if isinstance(by, _Symbol):
            self._ask()
        a = self.affine
        return _Symbol((a[0] * by, a[1] * by, a[2] * by), self.ranges)

    def __neg__(self) -> _Symbol:
        return self * -1

    def __sub__(self, other: Any) -> _Symbol:
        return self + _Symbol(_affine(other), self.ranges) * -1

    def __rsub__(self, other: Any) -> _Symbol:
        return _Symbol(_affine(other), self.ranges) - self

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> bool:
        return self._is_below(other, 0)

    def __le__(self, other: Any) -> bool:
        return self._is_below(other, 1)

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return other is not None and self <= other and not self < other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _is_below(self, other: Any, by: int) -> bool:
        """Whether self < other + by: the same for all, or cut where it changes."""
        difference = self - other
        constant, *factors = difference.affine
        ends = [sorted((factor * numbers[0], factor * numbers[-1])) for factor, numbers in self._moving(factors)]
        if constant + sum(high for _, high in ends) < by:
            return True
        if constant + sum(low for low, _ in ends) >= by:
            return False
        axis = self._axis(difference.affine)
        if all(factors):  # it changes along a diagonal
            raise _Asked(axis)
        factor = difference.affine[axis]
        limit = (by - constant) / factor  # the first number on the other side of it
        raise _Asked(axis, math.ceil(limit) if factor > 0 else math.floor(limit) + 1)

    def _moving(self, factors: Sequence[float]) -> Iterator[tuple[float, range]]:
        return zip(factors, self.ranges, strict=True)

    def _axis(self, affine: Affine) -> int:
        return _ROWS if affine[_ROWS] else _COLUMNS

    def _ask(self, *_: object) -> NoReturn:
        raise _Asked(self._axis(self.affine))

    __hash__ = __bool__ = __index__ = __int__ = __float__ = __len__ = __iter__ = _ask
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __divmod__ = _ask
    __pow__ = __rpow__ = __abs__ = __str__ = __repr__ = __format__ = __round__ = _ask


def _affine(number: Any) -> tuple[float, float, float]:
    return number.affine if type(number) is _Symbol else (number, 0, 0)


def fold(cell: CellOf, rows: int, columns: int) -> Folded:
    """The pieces of a matrix whose number at row i and column j comes about as `cell(i, j)` says."""
    if not rows or not columns:
        return ()
    found = _pieces(cell, (range(rows), range(columns)), frozenset())
    return tuple(sorted(found, key=lambda piece: (piece.rows.start, piece.columns.start)))


def _pieces(cell: CellOf, ranges: tuple[range, range], single: frozenset[int]) -> list[Piece]:
    """The pieces of a part of the matrix; the axes that are `single` stand for one number there."""
    symbols = [_Symbol((0, int(axis == _ROWS), int(axis == _COLUMNS)), ranges) for axis in (_ROWS, _COLUMNS)]
    i, j = (ranges[axis - 1][0] if axis in single else symbols[axis - 1] for axis in (_ROWS, _COLUMNS))
    try:
        return [Piece(*ranges, folded(cell(i, j)))]
    except _Asked as asked:
        axis, cuts = asked.axis, asked.cuts
    numbers = ranges[axis - 1]
    parts = _cut(numbers, *cuts) if cuts else [range(number, number + 1) for number in numbers]
    found: list[Piece] = []
    for part in parts:
        inner = (part, ranges[1]) if axis == _ROWS else (ranges[0], part)
        found += _pieces(cell, inner, single | {axis} if len(part) == 1 else single)
    return _together(found, axis)


def _cut(numbers: range, at: int) -> list[range]:
    return [range(numbers[0], at), range(at, numbers[-1] + 1)]


def _together(pieces: list[Piece], axis: int) -> list[Piece]:
    """Single rows, or columns, put together that have the same other side and move evenly."""
    groups: dict[range, list[tuple[int, Expression]]] = {}
    found = []
    for piece in pieces:
        own, other = (piece.rows, piece.columns) if axis == _ROWS else (piece.columns, piece.rows)
        if len(own) > 1:
            found.append(piece)
        else:
            groups.setdefault(other, []).append((own.start, piece.expression))
    for other, lines in groups.items():
        for numbers, expression in _evenly(lines, axis):
            found.append(Piece(numbers, other, expression) if axis == _ROWS else Piece(other, numbers, expression))
    return found


def folded(expression: Expression) -> Expression:
    """An expression with its long sums as runs, and its cells and constants as they move."""
    return _Folding().of(expression)


class _Folding:
    """Folds one expression; a part that stands in several places is folded once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, Expression]] = {}

    def of(self, node: Expression) -> Expression:
        if isinstance(node, Cell):
            if isinstance(node.operand, _Symbol):
                node.operand._ask()
            return Entry(node.operand, _affine(node.row), _affine(node.column))
        if isinstance(node, Number):
            return Moving(node.value.affine) if isinstance(node.value, _Symbol) else node
        known = self._known.get(id(node))
        if known is None:
            known = self._known[id(node)] = node, self._made(node)
        return known[1]

    def _made(self, node: Expression) -> Expression:
        if isinstance(node, nodes.Power):
            return nodes.Power(self.of(node.base), self.of(node.exponent))
        parts = [self.of(part) for part in children(node)]
        if isinstance(node, Sum):
            return Sum(_in_runs([(part,) for part in parts]))
        if isinstance(node, Call) and node.function == "max":
            return Call("max", _in_runs([(part,) for part in parts]))
        if isinstance(node, Call) and node.function == "argmax":
            return Call("argmax", _in_runs(list(zip(parts[::2], parts[1::2], strict=True))))
        return with_children(node, parts)


class _Line(NamedTuple):
    """Terms, rows or columns that may move evenly: one of them, with its number.

    form:      everything but the constants of its addresses
    constants: these, in order
    """

    number: int
    parts: Parts
    form: object
    constants: list[float]


def _line(number: int, parts: Parts) -> _Line:
    constants: list[float] = []
    form = tuple([_flat(part, constants) for part in parts])
    return _Line(number, parts, form, constants)


def _in_runs(groups: list[Parts]) -> Parts:
    """Groups of terms, those that follow each other evenly as runs; runs that do so as runs of runs."""
    while True:
        found: list[Parts] = []
        for lines in _stretches([_line(number, parts) for number, parts in enumerate(groups)]):
            if _is_even(lines):
                numbered = [line._replace(number=at) for at, line in enumerate(lines)]
                found.append((Run(_moving(numbered, at=_INDEX), len(lines)),))
            else:
                found += [line.parts for line in lines]
        if len(found) == len(groups):
            return tuple(item for group in groups for item in group)
        groups = found


def _evenly(cells: list[tuple[int, Expression]], at: int) -> Iterator[tuple[range, Expression]]:
    """Which of numbered expressions move evenly with their numbers: all of one form, or those next to each other."""
    forms: dict[object, list[_Line]] = {}
    for number, expression in cells:
        line = _line(number, (expression,))
        forms.setdefault(line.form, []).append(line)
    for same in forms.values():
        together = [same] if _is_even(same) else _stretches(same)
        for lines in together:
            for part in [lines] if _is_even(lines) else [[line] for line in lines]:
                yield _range(part), _moving(part, at)[0]


def _range(lines: list[_Line]) -> range:
    step = lines[1].number - lines[0].number if len(lines) > 1 else 1
    return range(lines[0].number, lines[-1].number + 1, step)


def _stretches(lines: list[_Line]) -> Iterator[list[_Line]]:
    """Neighbours of the same form whose addresses go on by the same steps."""
    stretch = lines[:1]
    for line in lines[1:]:
        if not _goes_on(stretch, line):
            yield stretch
            stretch = []
        stretch.append(line)
    if stretch:
        yield stretch


def _goes_on(stretch: list[_Line], line: _Line) -> bool:
    last = stretch[-1]
    if line.form != last.form or line.number != last.number + 1:
        return False
    if len(stretch) == 1:
        return True
    pairs = zip(stretch[0].constants, stretch[1].constants, last.constants, line.constants, strict=True)
    return all(d - c == b - a for a, b, c, d in pairs)


def _is_even(lines: list[_Line]) -> bool:
    """Whether every one is where an even movement has it; of two, which always are, only steps of 0 or 1 count."""
    numbers = _range(lines)
    if len(lines) < 2 or len(numbers) != len(lines):
        return False
    movement = _movement(lines)
    if len(lines) == 2 and any(step not in (0, 1) for _, step in movement):
        return False
    return all(
        line.number == number
        and all(constant == a + b * number for constant, (a, b) in zip(line.constants, movement, strict=True))
        for line, number in zip(lines, numbers, strict=True)
    )


def _movement(lines: list[_Line]) -> list[tuple[float, float]]:
    """Where each constant is at number 0, and by how much it moves with it."""
    first, second = lines[0], lines[1 if len(lines) > 1 else 0]
    apart = second.number - first.number or 1
    steps = [_divided(b - a, apart) for a, b in zip(first.constants, second.constants, strict=True)]
    return [(a - step * first.number if step else a, step) for a, step in zip(first.constants, steps, strict=True)]


def _divided(difference: float, by: int) -> float:
    """A quotient that stays whole where it is."""
    return difference // by if difference % by == 0 else difference / by


def _moving(lines: list[_Line], at: int) -> Parts:
    """The one group of lines, its addresses moving with the number: as row, as column, or as index of a run."""
    if len(lines) == 1:
        return lines[0].parts
    movement = iter(_movement(lines))

    def moved(affine: Affine) -> Affine:
        start, step = next(movement)
        return (start, *affine[1:at], step, *affine[at if at == _INDEX else at + 1 :])

    def of(node: Expression) -> Expression:
        if isinstance(node, Entry):
            return Entry(node.operand, moved(node.row), moved(node.column))
        if isinstance(node, Moving):
            return Moving(moved(node.value))
        if isinstance(node, Number):
            affine = moved((node.value, 0, 0))
            return Moving(affine) if any(affine[1:]) else node
        if isinstance(node, nodes.Power):
            return nodes.Power(of(node.base), of(node.exponent))
        return with_children(node, [of(part) for part in children(node)])

    return tuple(map(of, lines[0].parts))


def _flat(node: Expression, constants: list[float]) -> object:
    """The form of a node; the constants of its addresses are added to the list, in order."""
    kind = type(node)
    if kind is Entry:
        row, column = node.row, node.column  # type: ignore[attr-defined]
        constants += (row[0], column[0])
        return node.operand, row[1:], column[1:]  # type: ignore[attr-defined]
    if isinstance(node, Moving):
        constants.append(node.value[0])
        return node.value[1:]
    if isinstance(node, Number):
        constants.append(node.value)
        return "number"
    named = node.function if isinstance(node, Call) else node.count if isinstance(node, Run) else ""
    return kind, named, *[_flat(part, constants) for part in _inside(node)]


def _inside(node: Expression) -> Parts:
    return (node.base, node.exponent) if isinstance(node, nodes.Power) else children(node)


def expanded(piece: Piece, row: int, column: int) -> Expression:
    """The expression of one cell, as `cell` gives it."""
    return _unfolded(piece.expression, (1, row, column))


def _unfolded(node: Expression, at: tuple[int, ...]) -> Expression:
    if isinstance(node, Entry):
        return Cell(node.operand, _at(node.row, at), _at(node.column, at))
    if isinstance(node, Moving):
        return Number(_at(node.value, at))
    if isinstance(node, nodes.Power):
        return nodes.Power(_unfolded(node.base, at), _unfolded(node.exponent, at))
    parts: list[Expression] = []
    for part in children(node):
        parts += _unrolled(part, at) if isinstance(part, Run) else [_unfolded(part, at)]
    return with_children(node, parts)


def _unrolled(run: Run, at: tuple[int, ...]) -> Iterator[Expression]:
    for index in range(run.count):
        for item in run.items:
            inner = (*at, index)
            yield from _unrolled(item, inner) if isinstance(item, Run) else [_unfolded(item, inner)]


def _at(affine: Affine, at: tuple[int, ...]) -> Any:
    return sum(factor * number for factor, number in zip(affine, at, strict=False))
