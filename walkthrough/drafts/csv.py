"""A CSV: blocks parted by empty lines; a line of one word before one is its name."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from walkthrough.drafts.items import Cell, Item, Table, Text


class LongCellError(ValueError):
    """A cell that is longer than any number or word. line: where its row begins"""

    def __init__(self, line: int) -> None:
        super().__init__(f"a cell has more than {csv.field_size_limit():,} characters: is a quote not closed?")
        self.line = line


def find(text: str) -> Iterator[Item]:
    """The blocks of a CSV. Raises LongCellError."""
    sign = _sign(text)
    rows: list[list[Cell]] = []
    for cells in _rows(text, sign):
        filled = [cell for cell in cells if cell.text]
        if len(filled) < 2 and not any(character.isdigit() for cell in filled for character in cell.text[-1:]):
            if rows:
                yield Table(rows, is_list=sign == ",")
                rows = []
            yield from (Text(cell.line, f"`{cell.text}`") for cell in filled)
        else:
            rows.append(_without_last_empty(cells))
    if rows:
        yield Table(rows, is_list=sign == ",")


def _rows(text: str, sign: str) -> Iterator[list[Cell]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    first = 1
    try:
        for row in reader:
            yield [Cell(cell.strip(), first) for cell in row]
            first = reader.line_num + 1
    except csv.Error:
        raise LongCellError(first) from None


def _without_last_empty(cells: Sequence[Cell]) -> list[Cell]:
    """A row as far as anything is in it: spreadsheets fill all rows up to the longest of the file."""
    last = max((at for at, cell in enumerate(cells, 1) if cell.text), default=0)
    return list(cells[:last])


def _sign(text: str) -> str:
    """What parts the cells."""
    return next((sign for sign in ";\t" if sign in text), ",")
