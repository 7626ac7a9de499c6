"""A sheet as a workbook, to fill in on a computer: empty cells can be edited, others are protected. Needs XlsxWriter.

It has no formulas and no hidden values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, BinaryIO

from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.write.cells import Cells
from walkthrough.teaching.write.instructions import instructions
from walkthrough.teaching.write.xlsx_book import SheetBook, write_book


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes one sheet; `solved`: with its answers. Raises SheetError where XlsxWriter is missing."""
    (sheet,) = sheets
    kind = _SolvedBook if solved else _EmptyBook
    write_book(lambda book: kind(book, sheet, catalogue(sheet.language)), out)


class _EmptyBook(SheetBook):
    """A workbook to fill in."""

    def write_front(self, front: Any, row: int) -> None:
        """What to do."""
        for at, line in enumerate([*instructions(self.sheet, self.words), self.words("fill_in")], row):
            front.write_string(at, 0, line)

    def write_answer(self, page: Any, at: int, beside: int, step: Step, row: int, column: int) -> None:
        """An open cell."""
        page.write_blank(at, beside, None, self.box())


class _SolvedBook(_EmptyBook):
    """The same with its answers."""

    name = "key"

    def write_answer(self, page: Any, at: int, beside: int, step: Step, row: int, column: int) -> None:
        """The number that belongs there."""
        self.write_number(page, at, beside, Cells(step.value), row, column)
