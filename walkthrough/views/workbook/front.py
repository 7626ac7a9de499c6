"""The first sheet of a workbook: what it is, and where to change numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from walkthrough.expressions.notations.spreadsheet import letters, quote_sheet
from walkthrough.recording.trace import Trace
from walkthrough.text import command_line, escape_label, escape_text
from walkthrough.views.report.published import MEANING
from walkthrough.views.report.trace.head import about, changes
from walkthrough.views.text.description import Marks, lines_of, read_line, write_spans
from walkthrough.views.workbook.plan import START, Plan
from walkthrough.views.workbook.printed import MARKS
from walkthrough.views.workbook.styles import Styles

_MOST_LISTED = 400
_TEXT_WIDTH = 106
_ANY_WIDTH = 32_000
_MARKS = Marks(str, str, ("", ""), ("", ""), lambda inner, address: f"{inner} ({address})", bullet="•")


class FrontSheet:
    """The first sheet; it is made first and written last."""

    def __init__(self, book: Any, styles: Styles, trace: Trace, plan: Plan) -> None:
        self.sheet = book.add_worksheet(START)
        self.book = book
        self.styles = styles
        self.trace = trace
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
        for one in about(self.trace):
            if one.lead:
                yield f"{one.lead}: {write_spans(read_line(one.markdown), _MARKS)}"
            else:
                yield from (line for _, line in lines_of(one.markdown, _MARKS, _ANY_WIDTH) if line)
        if self.trace.changed:
            yield changes(self.trace)

    def _how(self) -> None:
        self._text("This workbook calculates", "heading")
        self._text(
            "Change a number in a cell that looks like the first one here: everything that follows from it changes.",
            "wrapped",
        )
        samples = [
            ("given", "a given number, to be changed"),
            ("fixed", "an id or a mask: it decides what is calculated; change it in the scenario"),
            ("number", "calculated: the cell has its formula"),
        ]
        for look, meaning in samples:
            self.sheet.write_blank(self.row, 0, None, self.styles.get(look))
            self.styles.text(self.sheet, self.row, 1, meaning)
            self.row += 1
        if self.plan.as_given:
            self._text("Some steps were left out. What the others are calculated from is given as numbers.", "wrapped")
        self._arithmetic()
        self._text(
            "−∞ is the number −1E+300, shown as −∞. An unknown number is #N/A, and so is what depends on it.",
            "wrapped",
        )
        self._text(
            "Every block of numbers has its path as a name: type it into the name box to go there. Where a spreadsheet "
            "would read a path as a cell address, or does not allow a character, _ "
            "stands in front of it or in its place.",
            "wrapped",
        )
        if self.trace.judge is not None:
            self._text("Published numbers stand to the right of the calculated ones:", "wrapped")
            for verdict, mark in MARKS.items():
                self.styles.text(self.sheet, self.row, 0, f"1.23{mark}", verdict)
                self.styles.text(self.sheet, self.row, 1, f"{verdict}: {MEANING[verdict]}")
                self.row += 1

    def _arithmetic(self) -> None:
        rounding = self.trace.by_hand
        if rounding is None:
            self._text("Every number is calculated in full precision; what is shown is rounded.", "wrapped")
            return
        self._text(
            "By hand: every number is rounded before the next step uses it, half away from zero, to this many "
            "decimals:",
            "wrapped",
        )
        self.sheet.write_number(self.row, 0, rounding.decimals, self.styles.get("given", "0"))
        self.styles.text(
            self.sheet,
            self.row,
            1,
            "decimals, except for steps with digits of their own" if rounding.steps else "decimals",
        )
        self.book.define_name("decimals", f"={quote_sheet(START)}!$A${self.row + 1}")
        self.row += 1

    def _anew(self) -> None:
        """What a workbook cannot follow, and how it is calculated then."""
        if self.trace.decisive:
            self._text(
                "The word that is picked decides what is calculated after it. Where a changed number would pick "
                "another word, the workbook says so under that step and continues with the word that was picked.",
                "wrapped",
            )
        self._text(
            "The exponential of a number above 709 is an error here; the program first subtracts the largest number of "
            "the row. To calculate with another number in the program:",
            "wrapped",
        )
        self._text(f"{command_line('walkthrough', 'run', self.trace.scenario or 'SCENARIO')} --set 'CELL=NUMBER'")
        self.row += 1

    def _links(self) -> None:
        given = [
            block
            for block in self.plan.blocks
            if block.is_given and block.same is None and block.value.can_change | (block.value.operation is not None)
        ]
        self._text("Where to change numbers", "heading")
        for block in given[:_MOST_LISTED]:
            cell = f"{letters(block.place.column)}{block.place.row + 1}"
            self._link(
                block.place.sheet,
                cell,
                escape_label(block.value.path),
                f"{block.value.kind.title}, {block.value.shape[0]}×{block.value.shape[1]}",
            )
        if len(given) > _MOST_LISTED:
            self._text(f"and {len(given) - _MOST_LISTED:,} more, on the sheets of their parts")
        self.row += 1
        self._text("Sheets", "heading")
        for name, title in self.plan.sheets.items():
            count = len(self.plan.on(name))
            self._link(name, "A1", name, f"{title}, {count} {'step' if count == 1 else 'steps'}")

    def _link(self, sheet: str, cell: str, text: str, meaning: str) -> None:
        self.sheet.write_url(self.row, 0, f"internal:{quote_sheet(sheet)}!{cell}", self.styles.get("link"), text)
        self.styles.text(self.sheet, self.row, 1, meaning)
        self.row += 1

    def _text(self, text: str, look: str = "") -> None:
        shown = escape_text(text)
        if look == "wrapped":
            self.sheet.merge_range(self.row, 0, self.row, 1, "", self.styles.get(look))
            self.sheet.set_row(self.row, 15 * (1 + len(shown) // _TEXT_WIDTH))
        self.styles.text(self.sheet, self.row, 0, shown, look)
        self.row += 1

    def _look(self) -> None:
        self.sheet.set_column(0, 0, 44)
        self.sheet.set_column(1, 1, 62)
        self.sheet.set_paper(9)
        self.sheet.fit_to_pages(1, 0)
        self.sheet.print_area(0, 0, self.row, 1)
        self.sheet.set_footer("&R&P / &N")
        self.sheet.hide_gridlines(2)
