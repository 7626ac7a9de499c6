"""The workbook of a sheet, whatever its cells hold: each block has its path as a defined name."""

from __future__ import annotations

import datetime
import io
import math
from collections.abc import Callable
from typing import Any, BinaryIO

from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import Catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.teaching.sheet import Sheet, SheetError, Step
from walkthrough.teaching.titles import Titles
from walkthrough.teaching.write.cells import Cells, places_of
from walkthrough.teaching.write.formula import formula, stands_for
from walkthrough.teaching.write.xlsx_lines import split_line
from walkthrough.teaching.write.xlsx_page import Page
from walkthrough.text import escape_label, escape_text

_MADE = datetime.datetime(2024, 1, 1)
_FIRST_COLUMN, _TEXT_WIDTH = 1, 90


def write_book(make: Callable[[Any], SheetBook], out: BinaryIO) -> None:
    """Writes a workbook. make: from a book of XlsxWriter; raises SheetError where that is missing"""
    try:
        import xlsxwriter
    except ImportError:
        raise SheetError("an .xlsx sheet needs the package XlsxWriter: pip install 'walkthrough[xlsx]'") from None
    content = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(content, options) as book:
        made = make(book)
        book.set_properties({"title": escape_text(made.sheet.hand.title), "created": _MADE})
        made.fill()
    out.write(content.getbuffer())


class SheetBook:
    """One workbook while it is written. A kind of workbook says what its first page and its cells to fill in hold.

    name:       what stands before the title on the first page
    to_fill_in: whether only open cells can be edited; the steps then have the paths that programs know them by
    """

    name = "worksheet"
    to_fill_in = True

    def __init__(self, book: Any, sheet: Sheet, words: Catalogue) -> None:
        self.book = book
        self.sheet = sheet
        self.words = words
        self.titles = Titles.of(sheet, words)
        self.formats: dict[str, Any] = {}

    def write_front(self, front: Any, row: int) -> None:
        """Writes what stands on the first page from this row on."""
        raise NotImplementedError

    def write_answer(self, page: Any, at: int, beside: int, step: Step, row: int, column: int) -> None:
        """Writes what a cell to fill in holds, into the row `at` and the column `beside` of a page."""
        raise NotImplementedError

    def fill(self) -> None:
        """Writes all its sheets."""
        words = self.words
        front, given, steps, text = (
            self.book.add_worksheet(words(name)) for name in ("worksheet", "given", "steps", "scenario")
        )
        self._front(front)
        page, row = Page(given, self.format), 0
        for value in self.sheet.given:
            row = self._block(page, row, value, self.titles.with_symbol(value), None)
        page.finish()
        page, row = Page(steps, self.format), 0
        for number, step in enumerate(self.sheet.steps, 1):
            row = self._block(page, row, step.value, f"{number}. {self.titles.title(step.value)}", step)
        page.finish()
        self._text(text)
        for one in (front, given, steps, text) if self.to_fill_in else ():
            one.protect("", {"format_cells": True, "format_columns": True, "format_rows": True})
        for one in (front, text):
            one.set_paper(9)
            one.fit_to_pages(1, 0)
        front.activate()

    def format(self, **settings: Any) -> Any:
        """A format, made once."""
        key = repr(sorted(settings.items()))
        if key not in self.formats:
            self.formats[key] = self.book.add_format(settings)
        return self.formats[key]

    def _front(self, front: Any) -> None:
        sheet, words = self.sheet, self.words
        title = f"{words(self.name)}: {escape_text(sheet.hand.title)}"
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
            if held != "" or (self.to_fill_in and name == "student"):
                front.write_string(row, 0, words(label), self.format(bold=True))
            self._held(front, row, held, open_=self.to_fill_in and name == "student" and not sheet.student)
            self._name(f"walkthrough.{name}", front, row, 1, row, 1)
        self.write_front(front, 8)

    def _held(self, front: Any, row: int, held: str | int, open_: bool) -> None:
        if isinstance(held, int):
            front.write_number(row, 1, held, self.format(align="left"))
        elif held:
            front.write_string(row, 1, escape_text(held))
        elif open_:
            front.write_blank(row, 1, None, self.box())

    def box(self) -> Any:
        """The format of a cell to fill in."""
        return self.format(locked=False, border=1, bg_color="#FFF8DC", align="right")

    def _name(self, name: str, page: Any, top: int, left: int, bottom: int, right: int) -> None:
        from xlsxwriter.utility import xl_range_abs

        area = xl_range_abs(top, left, bottom, right)
        self.book.define_name(name, f"='{page.get_name()}'!{area}")

    def _block(self, page: Page, top: int, value: Value, title: str, step: Step | None) -> int:
        """Writes a matrix with its heading; the first row below it."""
        words = self.words
        page.begin(top)
        page.heading(top, escape_text(title), bold=True, font_size=12)
        digits = (
            f", {words('to_digits', digits=words.digits(step.digits))}" if step is not None and step.is_asked else ""
        )
        path = f"{value.path}   " if self.to_fill_in else ""
        page.heading(top + 1, f"{path}{shape_text(value.shape)}{digits}", font_color="#555555")
        top += 2
        if step is not None:
            line = "     ".join(filter(None, (formula(value, words), stands_for(value, words))))
            page.heading(top, escape_text(line), italic=True)
            top += 1
            if step.is_left_out:
                page.sheet.write_string(top, 0, words("side_by_side"))
                page.end(top)
                return top + 2
        rows, columns = value.shape
        self._matrix(page.sheet, top, value, step)
        page.end(top + rows, columns, max((len(escape_label(label)) for label in value.rows), default=0))
        self._name(value.path, page.sheet, top + 1, _FIRST_COLUMN, top + rows, columns)
        return top + rows + 2

    def _matrix(self, page: Any, top: int, value: Value, step: Step | None) -> None:
        """Writes the labels and the cells."""
        words = self.words
        for column, label in enumerate(value.columns):
            text = (words.column(label) if value.names is not None else None) or escape_label(label)
            page.write_string(top, _FIRST_COLUMN + column, text, self.format(bold=True, align="center", bottom=1))
        cells = Cells(value)
        for row, label in enumerate(value.rows):
            page.write_string(top + 1 + row, 0, escape_label(label), self.format(bold=True, align="right", right=1))
            for column in range(value.shape[1]):
                place = page, top + 1 + row, _FIRST_COLUMN + column
                if step is not None and step.to_fill[row, column]:
                    self.write_answer(*place, step, row, column)
                else:
                    self.write_number(*place, cells, row, column)

    def write_number(self, page: Any, at: int, beside: int, cells: Cells, row: int, column: int) -> None:
        """Writes a number of the sheet, or a word."""
        value = cells.value
        text, number = cells.text(row, column), float(value.array[row, column])
        if value.is_word(column):
            page.write_string(at, beside, escape_text(text))
        elif not math.isfinite(number):
            page.write_string(at, beside, typeset(text), self.format(align="right"))
        else:
            places = places_of(value) if value.digits is None else None if "e" in text else len(text.partition(".")[2])
            shown = "General" if places is None else "0." + "0" * places if places else "0"
            page.write_number(at, beside, float(text), self.format(num_format=shown))

    def _text(self, page: Any) -> None:
        """The scenario, a line a cell; a long one in several, each but the last followed by a mark."""
        page.set_column(0, 0, _TEXT_WIDTH)
        parts = [part for line in self.sheet.text.split("\n") for part in split_line(line)]
        for row, part in enumerate(parts):
            page.write_string(row, 0, part)
        self._name("walkthrough.text", page, 0, 0, len(parts) - 1, 0)
        for row, step in enumerate(self.sheet.asked):
            page.write_string(row, 1, step.value.path)
        self._name("walkthrough.asked", page, 0, 1, max(len(self.sheet.asked), 1) - 1, 1)
