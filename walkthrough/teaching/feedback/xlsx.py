"""Feedback as the sheet's workbook: the answers as they were handed in, filled by verdict, with notes at wrong ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from walkthrough.languages.catalogue import Catalogue
from walkthrough.teaching.feedback.sentences import say_points, say_right
from walkthrough.teaching.mark.causes import say
from walkthrough.teaching.mark.explain import line_of
from walkthrough.teaching.mark.marked import Marked, MarkedCell, write_points
from walkthrough.teaching.sheet import Place, Step
from walkthrough.teaching.write.xlsx_book import SheetBook, write_book
from walkthrough.text import escape_text

SUFFIX = ".xlsx"
FILLS = {
    "right": "#D9EAD3",
    "follows": "#D0E2F3",
    "wrong": "#F4C7C3",
    "missing": "#E0E0E0",
    "unreadable": "#E0E0E0",
}
"""How a cell is filled, by its verdict."""
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.([0-9]{1,15}))?")
"""A number that a cell shows as it was typed."""
_NOTE = {"x_scale": 2.2, "y_scale": 1.4, "font_size": 9}


def write(marked: Marked, words: Catalogue, out: BinaryIO) -> None:
    """Writes the workbook of one sheet. Raises SheetError where XlsxWriter is missing."""
    write_book(lambda book: _MarkedBook(book, marked, words), out)


class _MarkedBook(SheetBook):
    """The workbook of a marked sheet."""

    name = "marks"
    to_fill_in = False

    def __init__(self, book: Any, marked: Marked, words: Catalogue) -> None:
        super().__init__(book, marked.sheet, words)
        self.marked = marked
        self.cells: dict[Place, MarkedCell] = {cell.place: cell for cell in marked.cells}

    def write_front(self, front: Any, row: int) -> None:
        """The points, what the fills mean, and the points of each step."""
        words = self.words
        front.write_string(row, 0, say_points(self.marked, words), self.format(bold=True, font_size=13))
        shown = {FILLS[verdict]: [words(one) for one in FILLS if FILLS[one] == FILLS[verdict]] for verdict in FILLS}
        for at, (fill, verdicts) in enumerate(shown.items(), row + 2):
            front.write_string(at, 0, " / ".join(verdicts), self.format(bg_color=fill, border=1))
        top = row + 3 + len(shown)
        for beside, text in enumerate(("points", "step")):
            front.write_string(top, beside, words(text), self.format(bold=True, bottom=1))
        for at, step in enumerate(self.marked.steps, top + 1):
            front.write_number(at, 0, float(write_points(step.points)), self.format(align="left"))
            front.write_string(at, 1, escape_text(self.titles.with_symbol(step.value)))

    def write_answer(self, page: Any, at: int, beside: int, step: Step, row: int, column: int) -> None:
        """What was handed in, as it was typed; a wrong or unreadable one has a note."""
        cell = self.cells[step.value.path, row, column]
        text, look = cell.answer.text, {"border": 1, "align": "right", "bg_color": FILLS[cell.verdict]}
        if found := _NUMBER.fullmatch(text):
            shown = f"0.{'0' * len(found[1])}" if found[1] else "0"
            page.write_number(at, beside, float(text), self.format(**look, num_format=shown))
        elif text.strip():
            page.write_string(at, beside, escape_text(text), self.format(**look))
        else:
            page.write_blank(at, beside, None, self.format(**look))
        if cell.verdict in ("wrong", "unreadable"):
            page.write_comment(at, beside, "\n".join(map(escape_text, self._note(cell))), _NOTE)

    def _note(self, cell: MarkedCell) -> Iterator[str]:
        """The right number, what was probably done, and the line with the own numbers or why it cannot be read."""
        yield self.words("right_is", number=say_right(cell, self.words))
        if cell.cause is not None:
            yield say(cell.cause, self.words)
        yield line_of(cell, self.marked.own, self.words, self.titles.with_symbol) or ""
