"""Where a number comes from, all the way down, and where it goes: a tree of worked lines."""

from __future__ import annotations

import re
from typing import NamedTuple

from walkthrough.explaining.choices import conditions, numbers_of
from walkthrough.explaining.formulas import formula_text, symbols_of, with_number
from walkthrough.explaining.shorten import REST
from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.explaining.users import users_of
from walkthrough.explaining.worked import Arithmetic, Worked, cell_name, write_out
from walkthrough.expressions.tree.walk import cells
from walkthrough.recording.cells import CellAt
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record

MOST_TERMS = 12
"""A longer sum shows its largest terms and the rest as one number; only what is shown is explained in turn."""


class ShownCell(NamedTuple):
    """A cell, and its number or word as it is shown."""

    cell: CellAt
    text: str

    @property
    def number(self) -> float:
        """The number."""
        return self.cell.number

    @classmethod
    def of(cls, cell: CellAt, shown: Shown) -> ShownCell:
        """A cell of a value that is shown so."""
        return cls(cell, shown.typeset(cell.row, cell.column))


class Explanation(Record):
    """One number explained.

    line:       its arithmetic with the operands put in
    operands:   the numbers it is computed from, explained in turn
    repeated:   it is explained elsewhere in the tree already
    cut:        it has operands, which the depth leaves out
    users:      the numbers computed from it (of the number asked for only)
    more_users: how many further ones there are
    exact:      its step without rounding, where it is calculated in a number format
    before:     the same cell without the what-ifs (of the number asked for only); None where there are none
    """

    cell: CellAt
    line: Worked
    operands: tuple[Explanation, ...] = ()
    repeated: bool = False
    cut: bool = False
    users: tuple[ShownCell, ...] = ()
    more_users: int = 0
    exact: Value | None = None
    before: ShownCell | None = None

    @property
    def path(self) -> str:
        """The path of its step."""
        return self.cell.value.path

    @property
    def formula(self) -> str:
        """The formula of its step, with the symbols of the inputs."""
        return formula_text(self.cell.value) or f"{self.cell.value.kind.symbol} is given"


_Found = tuple[Worked, list[tuple[CellAt, str]]]
"""The line of a number, and the cells that it reads, each with the symbol that it has there."""
_HEAD = re.compile(r"\.head\.([0-9]+)\.")
MOST_NUMBERS, DEEPEST = 2000, 100
"""A tree that goes all the way down ends here; beyond, it is cut like one of a given depth."""


def explain(trace: Trace, cell: CellAt, depth: int | None = 2) -> Explanation:
    """The explanation of a cell, `depth` steps back; None: to the inputs, or as far as a tree can be read.

    Each number is explained once.
    """
    root = _explain(trace, cell, DEEPEST if depth is None else min(depth, DEEPEST), {})
    users, more = users_of(trace, cell)
    exact = trace.exact.get(cell.value.path) if trace.exact is not None else None
    was = trace.before_of(cell.value)
    values = {user.value for user in users} | ({was} if was is not None else set())
    shown = {value: Shown.of(value, trace) for value in values}
    before = None if was is None else ShownCell.of(cell._replace(value=was), shown[was])
    shown_users = tuple(ShownCell.of(user, shown[user.value]) for user in users)
    return Explanation(root.cell, root.line, root.operands, False, root.cut, shown_users, more, exact, before)


def _explain(
    trace: Trace, cell: CellAt, depth: int, seen: dict[CellAt, _Found], symbol: str = "", is_numbered: bool = False
) -> Explanation:
    """symbol: of the step where it is read; two of one symbol are told apart as in the formula there

    is_numbered: it stands below one of several heads; the steps of its head have the head's number
    """
    is_repeated = cell in seen
    line, operands = seen[cell] if is_repeated else _work_out(trace, cell)
    line = line._replace(name=cell_name(cell.value, cell.row, cell.column, symbol))
    if is_repeated and operands:
        return Explanation(cell, line, repeated=True)
    seen[cell] = line, operands
    if depth == 0 or len(seen) > MOST_NUMBERS:
        return Explanation(cell, line, cut=bool(operands))
    names = ((one, _call(one, read_as, cell, is_numbered)) for one, read_as in operands)
    return Explanation(cell, line, tuple(_explain(trace, one, depth - 1, seen, *called) for one, called in names))


def _call(cell: CellAt, read_as: str, reader: CellAt, is_numbered: bool) -> tuple[str, bool]:
    """What a cell is called where several heads are read, and whether the steps of its head are numbered too."""
    head, symbol = _HEAD.search(cell.value.path), cell.value.kind.symbol
    is_one_of_several = read_as != symbol and not _HEAD.search(reader.value.path)
    if head is None or not (is_numbered or is_one_of_several):
        return read_as, False
    return with_number(symbol, int(head[1])) if read_as == symbol else read_as, True


def _work_out(trace: Trace, cell: CellAt) -> _Found:
    value = cell.value
    found = None if value.operation is None else Arithmetic.of(value, cell.row, cell.column, MOST_TERMS)
    line = write_out(value, cell.row, cell.column, decimals_of(value, trace), found)
    return line, [] if found is None else _operands(value, found)


def _operands(value: Value, found: Arithmetic) -> list[tuple[CellAt, str]]:
    """The cells that the shown line reads, each once, in the order written; then what decided: a mask. With symbols."""
    read = [at for part in (found.expression, *conditions(found.whole, numbers_of(value))) for at in cells(part)]
    shown = [at for at in dict.fromkeys(read) if at.operand != REST]
    symbols = symbols_of(value.inputs)
    return [(CellAt(value.inputs[at.operand], at.row, at.column), symbols[at.operand]) for at in shown]
