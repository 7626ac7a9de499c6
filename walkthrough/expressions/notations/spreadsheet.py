"""Writes a folded expression as a spreadsheet formula: `$B5*F$12+$C5*F$13`, one text for all cells that it stands for.

Only functions and kinds of arguments that Excel 2010, LibreOffice and Google Sheets share: no function is given an
array where it expects a number, and each product of ranges has the shapes that all three take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from walkthrough.expressions.notations.precedence import ATOM, CHOICE, RULES, SUM, Rule
from walkthrough.expressions.notations.ranges import Range, with_ranges
from walkthrough.expressions.notations.writing import Form, Notation, Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Entry, Expression, IndexMap

HIDDEN = "-1E+300"
"""What stands for −∞: a spreadsheet has none."""
LONGEST = 250
"""A formula with more characters is written with ranges."""
LONGEST_OF_ALL = 8192
"""No spreadsheet has to take a longer one."""


class SheetPlace(NamedTuple):
    """Where the numbers of a matrix are: sheet, row and column of the first one, counted from 0.

    is_transposed: its rows are side by side, its columns one below the other
    """

    sheet: str
    row: int
    column: int
    is_transposed: bool = False

    def at(self, row: int, column: int) -> tuple[int, int]:
        """Row and column on the sheet of one of its numbers."""
        return (self.row + column, self.column + row) if self.is_transposed else (self.row + row, self.column + column)


class Hole(NamedTuple):
    """What moves in a formula: constant + so much a row + so much a column; a row of the sheet, a column, a number."""

    constant: float
    by_row: float
    by_column: float
    kind: str

    def text(self, row: int, column: int) -> str:
        """What is written there in the formula of one cell."""
        number = self.constant + self.by_row * row + self.by_column * column
        if self.kind == "number":
            return number_text(number)
        return letters(int(number)) if self.kind == "column" else str(int(number) + 1)


class Formula:
    """The formula of several cells: a text with holes."""

    def __init__(self, parts: Sequence[str | Hole]) -> None:
        self.parts = parts

    def text(self, row: int, column: int) -> str:
        """The formula of one cell."""
        return "".join(part if isinstance(part, str) else part.text(row, column) for part in self.parts)

    def lines(self, rows: range, columns: range) -> list[list[str]]:
        """The formulas of all cells, row by row."""
        if any(isinstance(part, Hole) and part.by_row and part.by_column for part in self.parts):
            return [[self.text(row, column) for column in columns] for row in rows]
        of_column = [part for part in self.parts if isinstance(part, Hole) and part.by_column]
        fillings = [tuple(hole.text(0, column) for hole in of_column) for column in columns]
        return [[line % filling for filling in fillings] for line in map(self._line, rows)]

    def _line(self, row: int) -> str:
        """The formula of a row, with `%s` where the column decides."""
        texts = []
        for part in self.parts:
            if isinstance(part, str):
                texts.append(part.replace("%", "%%"))
            else:
                texts.append("%s" if part.by_column else part.text(row, 0))
        return "".join(texts)


def formula(expression: Expression, operands: Sequence[SheetPlace], home: SheetPlace, last: tuple[int, int]) -> Formula:
    """The formula of the cells of a piece, without its `=`.

    operands: where the operands are; home: where the cells themselves are; last: the last of them, which is the widest
    """
    explicit = _Addresses(operands, home).formula(with_ranges(expression, operands, short=False))
    if len(explicit.text(*last)) <= LONGEST:
        return explicit
    return _Addresses(operands, home).formula(with_ranges(expression, operands, short=True))


class _Addresses:
    """Writes the addresses of one formula, as marks that become its holes."""

    def __init__(self, operands: Sequence[SheetPlace], home: SheetPlace) -> None:
        self.operands = operands
        self.home = home
        self.holes: list[Hole] = []

    def formula(self, expression: Expression) -> Formula:
        writer = Writer(number=number_text, cell=self._leaf)
        parts: list[str | Hole] = []
        for at, text in enumerate(_SPREADSHEET.write(expression, writer).split(_MARK)):
            if text:
                parts.append(self.holes[int(text)] if at % 2 else text)
        return Formula(parts)

    def _leaf(self, node: Expression) -> str:
        if isinstance(node, nodes.IndexValue):
            return self._hole(node.value, "number")
        if isinstance(node, Range):
            last = _move(node.row, node.height - 1), _move(node.column, node.width - 1)
            first = self._address(node.operand, node.row, node.column)
            return f"{self._sheet(node.operand)}{first}:{self._address(node.operand, *last)}"
        assert isinstance(node, Entry)
        return self._sheet(node.operand) + self._address(node.operand, node.row, node.column)

    def _sheet(self, operand: int) -> str:
        sheet = self.operands[operand].sheet
        return "" if sheet == self.home.sheet else f"{quote_sheet(sheet)}!"

    def _address(self, operand: int, row: IndexMap, column: IndexMap) -> str:
        place = self.operands[operand]
        if place.is_transposed:
            row, column = column, row
        down, across = ((2, 1), (1, 2)) if self.home.is_transposed else ((1, 2), (2, 1))
        letters = self._hole(_move(column, place.column), "column", across)
        return letters + self._hole(_move(row, place.row), "row", down)

    def _hole(self, address: IndexMap, kind: str, along: tuple[int, int] = (0, 0)) -> str:
        """A mark for what moves; a row or column of the sheet that does not move with the cell gets its `$`."""
        hole = Hole(address[0], address[1], address[2], kind)
        is_relative = kind != "number" and address[along[0]] == 1 and address[along[1]] == 0
        sign = "" if is_relative or kind == "number" else "$"
        if not (hole.by_row or hole.by_column):
            return sign + hole.text(0, 0)
        if hole not in self.holes:
            self.holes.append(hole)
        return f"{sign}{_MARK}{self.holes.index(hole)}{_MARK}"


def _move(address: IndexMap, by: int) -> IndexMap:
    return (address[0] + by, *address[1:])


def letters(column: int) -> str:
    """The letters of a column, counted from 0: A, …, Z, AA, …"""
    text = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def cell_address(row: int, column: int, sign: str = "") -> str:
    """A cell, counted from 0, on its own sheet: B7; with the sign `$`, $B$7."""
    return f"{sign}{letters(column)}{sign}{row + 1}"


def range_address(sheet: str, *corners: tuple[int, int]) -> str:
    """One cell, or all from a first to a last one, from any sheet: 'model'!$A$2:$C$4."""
    return f"{quote_sheet(sheet)}!{':'.join(cell_address(row, column, '$') for row, column in corners)}"


def quote_sheet(sheet: str) -> str:
    """The name of a sheet as a formula has it."""
    return "'" + sheet.replace("'", "''") + "'"


def number_text(number: float) -> str:
    """A number as every spreadsheet reads it; an unknown one is #N/A."""
    if math.isnan(number):
        return "NA()"
    if number == -math.inf:
        return HIDDEN
    return repr(float(number)).removesuffix(".0").replace("e", "E")


_MARK = "\x00"
_FUNCTIONS = {"log": "LN"}


def _function(node: Expression, parts: list[str]) -> str:
    assert isinstance(node, nodes.Call)
    if node.function == "step":
        return f"IF({parts[0]}>0,1,0)"
    if node.function == "round":  # ROUND has a half away from zero
        return "INT(ROUND({0},12)+0.5)-(MOD(ROUND({0},12),2)=0.5)".format(parts[0])
    if node.function == "above":  # a comparison of ranges, to be multiplied
        return f"({parts[0]}>0)"
    return f"{_FUNCTIONS.get(node.function, node.function.upper())}({','.join(parts)})"


_ALONE = Rule(ATOM, CHOICE, CHOICE, leads=False)
_RULES = RULES | {
    "Negative": Rule(SUM, ATOM, ATOM, leads=False),  # a spreadsheet takes −X^2 for (−X)^2
    "Where": _ALONE,
    "exp": _ALONE,
    "sqrt": _ALONE,
    "equal": Rule(CHOICE, SUM, SUM),
}
_SIGNS = {"Sum": "+", "Difference": "-", "Product": "*", "Quotient": "/", "Power": "^", "equal": "=", "unequal": "<>"}
_FORMS: dict[str, Form] = {
    "Where": lambda node, parts: f"IF({','.join(parts)})",
    "Negative": lambda node, parts: f"-{parts[0]}",
    "exp": lambda node, parts: f"EXP({parts[0]})",
    "sqrt": lambda node, parts: f"SQRT({parts[0]})",
    "function": _function,
}
_SPREADSHEET = Notation(
    _RULES,
    _SIGNS,
    _FORMS,
    leaves={
        nodes.Number: lambda node, writer: writer.number(node.value),
        **dict.fromkeys((Entry, nodes.IndexValue, Range), lambda node, writer: writer.cell(node)),
    },
    bracketed=lambda text: f"({text})",
    minus="-",
    power="\x01",  # 1E-5 is one number here, no product
)
