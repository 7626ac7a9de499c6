"""A sheet as a workbook, to fill in on a computer: empty cells can be edited, others are protected. Needs XlsxWriter.

It has no formulas and no hidden values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, BinaryIO

from walkthrough.explaining.formulas import formula_text
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.sheets.sheet import Sheet, SheetError, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells, column_labels, instructions, say_shape, stands_for
from walkthrough.text import escape_label, escape_text
from walkthrough.views.workbook.numbers import fixed_pattern
from walkthrough.views.workbook.paper import BETWEEN, LINE, line_count, pages
from walkthrough.views.workbook.styles import formats_of
from walkthrough.views.workbook.workbook import open_book

SPACE = "\N{SYMBOL FOR SPACE}"
"""Stands for spaces that a spreadsheet may drop: at the ends of a text, and after another space."""
LONGEST = 30_000
"""Characters in one cell."""
_SPACES = re.compile(r"^ +| +$|(?<= ) +")
_LABELS, _WIDEST = 14, 28
"""Characters of the column of labels: at least, and at most."""
_COLUMN = 8.43
"""What a spreadsheet gives the other columns."""
_ACROSS = 80
"""The most characters of a heading on one line."""
_FIRST_COLUMN, _TEXT_WIDTH = 1, 90


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes one sheet; `solved`: with its answers. Raises SheetError where XlsxWriter is missing."""
    (sheet,) = sheets
    missing = SheetError("an .xlsx sheet needs the package XlsxWriter: pip install 'walkthrough[xlsx]'")
    with open_book(sheet.hand.title, out, missing) as book:
        _Book(book, sheet, solved).fill()


def split_line(line: str) -> list[str]:
    """A line of text as cells hold it."""
    kept = _SPACES.sub(lambda found: SPACE * len(found[0]), line.replace(SPACE, "\\u2420"))
    cut = [kept[at : at + LONGEST] for at in range(0, len(kept), LONGEST)] or [SPACE]
    return [f"{part}\N{CONTINUOUS UNDERLINE SYMBOL}" if at < len(cut) - 1 else part for at, part in enumerate(cut)]


def join_pieces(parts: Sequence[str]) -> str:
    """The text that `split_line` made of its lines."""
    lines, before = [], ""
    for part in parts:
        if part.endswith("\N{CONTINUOUS UNDERLINE SYMBOL}"):
            before += part[:-1]
            continue
        lines.append((before + part).replace(SPACE, " "))
        before = ""
    return "\n".join(line if line.strip() else "" for line in lines)


class _Block(Record):
    """A matrix on a page: its first and last row, the lines above its numbers with the settings of their formats.

    right: its last column; labels: the characters of its longest label of a row
    """

    top: int
    bottom: int
    headings: Sequence[tuple[str, dict[str, Any]]]
    right: int = 1
    labels: int = 0


class _Book:
    """One workbook while it is written; only open cells can be edited."""

    def __init__(self, book: Any, sheet: Sheet, solved: bool) -> None:
        self.book = book
        self.sheet = sheet
        self.solved = solved
        self.words: Catalogue = catalogue(sheet.language)
        self.titles = Titles.of(sheet)
        self.format = formats_of(book)

    def fill(self) -> None:
        """Writes all its sheets."""
        words = self.words
        front, given, steps, text = (
            self.book.add_worksheet(words(name)) for name in ("worksheet", "given", "steps", "scenario")
        )
        self._front(front)
        self._page(given, [(self.titles.with_symbol(value), value, None) for value in self.sheet.given])
        numbered = enumerate(self.sheet.steps, 1)
        self._page(steps, [(f"{at}. {self.titles.title(one.value)}", one.value, one) for at, one in numbered])
        self._text(text)
        for one in (front, given, steps, text):
            one.protect("", {"format_cells": True, "format_columns": True, "format_rows": True})
        for one in (front, text):
            one.set_paper(9)
            one.fit_to_pages(1, 0)
        front.activate()

    def _front(self, front: Any) -> None:
        sheet, words = self.sheet, self.words
        title = f"{words('key' if self.solved else 'worksheet')}: {escape_text(sheet.hand.title)}"
        front.set_column(0, 0, 18)
        front.set_column(1, 1, 70)
        front.write_string(0, 0, title, self.format(bold=True, font_size=15))
        known = (
            ("name", "student", sheet.student),
            ("scenario", "scenario", sheet.name),
            ("seed", "seed", "" if sheet.seed is None else sheet.seed),
            ("digest", "digest", sheet.digest),
            ("rounding", "decimals", "" if sheet.decimals is None else sheet.decimals),
        )
        for row, (label, name, held) in enumerate(known, 2):
            if held != "" or name == "student":
                front.write_string(row, 0, words(label), self.format(bold=True))
            self._held(front, row, held, is_open=name == "student")
            self._name(f"walkthrough.{name}", front, row, 1, row, 1)
        for row, line in enumerate([*instructions(sheet, words), words("fill_in")], 8):
            front.write_string(row, 0, line)

    def _held(self, front: Any, row: int, held: str | int, is_open: bool) -> None:
        if isinstance(held, int):
            front.write_number(row, 1, held, self.format(align="left"))
        elif held:
            front.write_string(row, 1, escape_text(held))
        elif is_open:
            front.write_blank(row, 1, None, self._box())

    def _box(self) -> Any:
        """The format of a cell to fill in."""
        return self.format(locked=False, border=1, bg_color="#FFF8DC", align="right")

    def _name(self, name: str, page: Any, top: int, left: int, bottom: int, right: int) -> None:
        from xlsxwriter.utility import xl_range_abs

        area = xl_range_abs(top, left, bottom, right)
        self.book.define_name(name, f"='{page.get_name()}'!{area}")

    def _page(self, page: Any, matrices: Sequence[tuple[str, Value, Step | None]]) -> None:
        """Writes matrices below one another, and says how they are printed: whole where paper is long enough."""
        blocks: list[_Block] = []
        for title, value, step in matrices:
            blocks.append(self._block(page, blocks[-1].bottom + 2 if blocks else 0, title, value, step))
        labels = max([_LABELS, *(min(one.labels + 2, _WIDEST) for one in blocks)])
        right, beside = max([1, *(one.right for one in blocks)]), _COLUMN + BETWEEN
        longest = max((len(text) for one in blocks for text, _ in one.headings), default=0)
        while labels + beside * right < min(longest, _ACROSS):
            right += 1
        page.set_column(0, 0, labels)
        across = labels + beside * right
        more = [self._headings(page, one, right, across) for one in blocks]
        if blocks:
            pages(page, [(one.top, one.bottom) for one in blocks], more, blocks[-1].bottom, right, across)

    def _headings(self, page: Any, block: _Block, right: int, across: float) -> int:
        """Writes the lines above a matrix; how many more they take where they are wider than the page."""
        more = 0
        for row, (text, settings) in enumerate(block.headings, block.top):
            lines = line_count(text, across)
            if lines > 1:
                settings = {**settings, "text_wrap": True, "valign": "top"}
                page.merge_range(row, 0, row, right, "", self.format(**settings))
                page.set_row(row, LINE * lines)
            page.write_string(row, 0, text, self.format(**settings))
            more += lines - 1
        return more

    def _block(self, page: Any, top: int, title: str, value: Value, step: Step | None) -> _Block:
        """Writes a matrix without the lines above it."""
        words, path = self.words, f"{value.path}   {say_shape(value, step, self.words)}"
        headings: list[tuple[str, dict[str, Any]]]
        headings = [(escape_text(title), {"bold": True, "font_size": 12}), (path, {"font_color": "#555555"})]
        if step is not None:
            line = "     ".join(filter(None, (formula_text(value, words), stands_for(value, words))))
            headings.append((escape_text(line), {"italic": True}))
        first = top + len(headings)
        if step is not None and step.is_left_out:
            page.write_string(first, 0, words("side_by_side"))
            return _Block(top, first, headings)
        rows, columns = value.shape
        self._matrix(page, first, value, step)
        self._name(value.path, page, first + 1, _FIRST_COLUMN, first + rows, columns)
        longest = max((len(escape_label(label)) for label in value.rows), default=0)
        return _Block(top, first + rows, headings, columns, longest)

    def _matrix(self, page: Any, top: int, value: Value, step: Step | None) -> None:
        """Writes the labels and the cells."""
        for column, text in enumerate(column_labels(value, self.words)):
            page.write_string(top, _FIRST_COLUMN + column, text, self.format(bold=True, align="center", bottom=1))
        cells = Cells(value, stand_there=step is None or not step.has_blanks)
        for row, label in enumerate(value.rows):
            page.write_string(top + 1 + row, 0, escape_label(label), self.format(bold=True, align="right", right=1))
            for column in range(value.shape[1]):
                place = top + 1 + row, _FIRST_COLUMN + column
                if step is not None and step.blank[row, column] and not self.solved:
                    page.write_blank(*place, None, self._box())
                else:
                    self._write_number(page, *place, cells, row, column)

    def _write_number(self, page: Any, at: int, beside: int, cells: Cells, row: int, column: int) -> None:
        """Writes a number, or a word."""
        value = cells.value
        text, number = cells.text(row, column), float(value.array[row, column])
        if value.is_word(column):
            page.write_string(at, beside, escape_text(text))
        elif not math.isfinite(number):
            page.write_string(at, beside, typeset(text), self.format(align="right"))
        else:
            places = cells.places if cells.digits is None else None if "e" in text else len(text.partition(".")[2])
            shown = "General" if places is None else fixed_pattern(places).digits
            page.write_number(at, beside, float(text), self.format(num_format=shown))

    def _text(self, page: Any) -> None:
        """The scenario, a line a cell; a long one in several, each but the last followed by a mark."""
        page.set_column(0, 0, _TEXT_WIDTH)
        parts = [part for line in self.sheet.text.split("\n") for part in split_line(line)]
        for row, part in enumerate(parts):
            page.write_string(row, 0, part)
        self._name("walkthrough.text", page, 0, 0, len(parts) - 1, 0)
        for row, step in enumerate(self.sheet.blank_steps):
            page.write_string(row, 1, step.value.path)
        self._name("walkthrough.asked", page, 0, 1, max(len(self.sheet.blank_steps), 1) - 1, 1)
