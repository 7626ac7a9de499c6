"""What a cell of a table says: a number with the digits it shows, a word, or that nothing is printed there."""

from __future__ import annotations

import re
from typing import NamedTuple

from walkthrough.drafts.items import Cell, Table
from walkthrough.drafts.markup import clean
from walkthrough.languages.meanings import with_infinity
from walkthrough.numerals import plain_number

_MARK = re.compile(r"(?:\^?[*†‡§]+|\^\(?[a-z]\)?)$")
_NOTHING = {"", "…", "...", "....", "⋯", "⋮", "⋱", "–", "—", "-", "−", "?", "··", "···", "nan"}
_THOUSANDS = re.compile(r"[-+−–]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?")
_POINT = re.compile(r"[0-9]\.[0-9]")
_POWER = re.compile(r"\s*([×·*])\s*(?=10)")


class ReadCell(NamedTuple):
    """A cell that has been read. plain: its number as Python writes it; None where it is none

    is_nothing: not printed
    """

    text: str
    line: int
    plain: str | None
    is_nothing: bool = False

    @property
    def is_word(self) -> bool:
        """Whether something is written that is no number."""
        return self.plain is None and not self.is_nothing


def is_nothing(text: str) -> bool:
    """Whether a cell says that a number is not printed."""
    return text.strip() in _NOTHING


def read_number(text: str) -> str | None:
    """The number of a cleaned text, a mark behind it left away; None where it is none."""
    shown = _MARK.sub("", text.strip()).strip("* \u2009\u202f\xa0")
    return plain_number(with_infinity(shown))


def join_powers(text: str) -> str:
    """A text whose powers of ten have no blanks in them: `1.5×10^3`."""
    return _POWER.sub(r"\1", text)


def read_table(table: Table) -> list[list[ReadCell]]:
    """The cells of a table, as many in each row.

    A comma is decimal; but where the table has decimal points too, it stands before thousands.
    """
    cells = [[Cell(clean(cell.text).strip(), cell.line) for cell in row] for row in table.rows]
    has_points = any(_POINT.search(cell.text) for row in cells for cell in row)
    width = max(map(len, cells), default=0)
    return [
        [*(_entry(cell, has_points) for cell in row), *(ReadCell("", row[-1].line, None, True),) * (width - len(row))]
        for row in cells
        if row
    ]


def _entry(cell: Cell, has_points: bool) -> ReadCell:
    if is_nothing(cell.text):
        return ReadCell(cell.text, cell.line, None, True)
    text = cell.text
    if has_points and "," in text:
        text = text.replace(",", "") if _THOUSANDS.fullmatch(_MARK.sub("", text)) else ""
    return ReadCell(cell.text, cell.line, read_number(text) if text else None)
