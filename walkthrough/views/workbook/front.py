"""The first sheet of a workbook: what it is, and where to change numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.expressions.notations.spreadsheet import cell_address, quote_sheet, range_address
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.text import command_line, escape_label, escape_text
from walkthrough.views.report.head import about, changes
from walkthrough.views.text.description import Marks, lines_of, read_line, write_spans
from walkthrough.views.workbook.plan import START, Plan
from walkthrough.views.workbook.printed import MARKS
from walkthrough.views.workbook.styles import Styles

_MOST_LISTED = 400
_LEFT_WIDTH, _MEANING_WIDTH = 44, 84
_TEXT_WIDTH = _LEFT_WIDTH + _MEANING_WIDTH
_ANY_WIDTH = 32_000
_MARKS = Marks(bullet="•")


class FrontSheet:
    """The first sheet; it is made first and written last."""

    def __init__(self, book: Any, styles: Styles, trace: Trace, plan: Plan) -> None:
        self.sheet = book.add_worksheet(START)
        self.book = book
        self.styles = styles
        self.trace = trace
        self.words = catalogue(trace.language)
        self.plan = plan
        self.row = 0

    def write(self) -> None:
        """Writes the sheet from top to bottom."""
        self._text(self.trace.title, "title")
        for paragraph in self._about():
            self._text(paragraph, "wrapped")
        self.row += 1
        self._how()
        self._anew()
        self._links()
        self._look()

    def _about(self) -> Iterator[str]:
        for one in about(self.trace, self.words):
            if one.lead:
                yield f"{one.lead}: {write_spans(read_line(one.markdown), _MARKS)}"
            else:
                yield from (line for _, line in lines_of(one.markdown, _MARKS, _ANY_WIDTH) if line)
        if changed := changes(self.trace, self.words):
            yield changed

    def _how(self) -> None:
        words = self.words
        self._text(words("book_calculates"), "heading")
        self._text(words("book_change"), "wrapped")
        for look in ("given", "fixed", "number"):
            self.styles.text(self.sheet, self.row, 0, words.number("1.23"), look)
            self._meaning(words(f"book_{look}"))
        if self.plan.as_given:
            self._text(words("book_left_out"), "wrapped")
        self._arithmetic()
        self._text(words("book_hidden"), "wrapped")
        self._text(words("book_names"), "wrapped")
        if self.trace.judge is not None:
            self._text(words("book_published"), "wrapped")
            for verdict, mark in MARKS.items():
                meaning = f"{words(f'verdict_{verdict}')}: {words(f'means_{verdict}')}"
                self.styles.text(self.sheet, self.row, 0, f"{words.number('1.23')}{mark}", verdict)
                self._meaning(meaning)

    def _arithmetic(self) -> None:
        rounding = self.trace.by_hand
        if rounding is None:
            self._text(self.words("book_full_precision"), "wrapped")
            return
        self._text(self.words("book_by_hand"), "wrapped")
        self.sheet.write_number(self.row, 0, rounding.decimals, self.styles.get("given", "0"))
        meaning = self.words("book_decimals_except" if rounding.steps else "book_decimals")
        self.book.define_name("decimals", f"={range_address(START, (self.row, 0))}")
        self._meaning(meaning)

    def _anew(self) -> None:
        """What a workbook cannot follow, and how it is calculated then."""
        if self.trace.decisive:
            self._text(self.words("book_decisive"), "wrapped")
        self._text(self.words("book_anew"), "wrapped")
        self._text(f"{command_line('walkthrough', 'run', self.trace.scenario or 'SCENARIO')} --set 'CELL=NUMBER'")
        self.row += 1

    def _links(self) -> None:
        given = [
            block
            for block in self.plan.blocks
            if block.is_given and block.same is None and block.value.can_change | (block.value.operation is not None)
        ]
        words = self.words
        self._text(words("book_where"), "heading")
        for block in given[:_MOST_LISTED]:
            value, place = block.value, block.place
            meaning = f"{words.title(value.kind)}, {shape_text(value.shape)}"
            self._link(place.sheet, cell_address(place.row, place.column), escape_label(value.path), meaning)
        if len(given) > _MOST_LISTED:
            self._text(words("book_more", count=words.whole(len(given) - _MOST_LISTED)))
        self.row += 1
        self._text(words("book_sheets"), "heading")
        for name, title in self.plan.sheets.items():
            self._link(name, "A1", name, f"{title}, {words.pluralize('count_steps', len(self.plan.on(name)))}")

    def _link(self, sheet: str, cell: str, text: str, meaning: str) -> None:
        self.sheet.write_url(self.row, 0, f"internal:{quote_sheet(sheet)}!{cell}", self.styles.get("link"), text)
        self._meaning(meaning)

    def _meaning(self, text: str) -> None:
        """What the cell at the left means."""
        self.styles.text(self.sheet, self.row, 1, text)
        self.row += 1

    def _text(self, text: str, look: str = "") -> None:
        shown = escape_text(text)
        if look == "wrapped":
            self.sheet.merge_range(self.row, 0, self.row, 1, "", self.styles.get(look))
            self.sheet.set_row(self.row, 15 * (1 + len(shown) // _TEXT_WIDTH))
        self.styles.text(self.sheet, self.row, 0, shown, look)
        self.row += 1

    def _look(self) -> None:
        self.sheet.set_column(0, 0, _LEFT_WIDTH)
        self.sheet.set_column(1, 1, _MEANING_WIDTH)
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        self.sheet.print_area(0, 0, self.row, 1)
        self.sheet.set_footer("&R&P / &N")
        self.sheet.hide_gridlines(2)
