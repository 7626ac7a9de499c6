"""A workbook that calculates: every computed number is a formula, every given one can be changed."""

from __future__ import annotations

import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from walkthrough.errors import UserError
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_text
from walkthrough.views.options import Options
from walkthrough.views.selection import check_size, selection_of
from walkthrough.views.workbook.blocks import BlockWriter
from walkthrough.views.workbook.front import FrontSheet
from walkthrough.views.workbook.paper import set_up
from walkthrough.views.workbook.plan import Plan, plan
from walkthrough.views.workbook.printed import write_published
from walkthrough.views.workbook.sheet import sheet_class
from walkthrough.views.workbook.styles import Styles

MOST_NUMBERS = 1_000_000
_MADE = datetime.datetime(2024, 1, 1)
"""Every workbook says that it was made then."""


class WorkbookError(UserError, ValueError):
    """A workbook that cannot be written."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the workbook.

    Raises SelectorError for a step that is not there, TooLargeError for too many numbers, WorkbookError where a library
    is missing or for a calculation in a number format.
    """
    if trace.by_hand is not None and trace.by_hand.format is not None:
        message = (
            f"a workbook cannot calculate in {trace.arithmetic}: leave out --arithmetic, or choose --format python"
        )
        raise WorkbookError(message)
    selection = selection_of(trace, options.steps)
    check_size(selection.values, "a workbook", MOST_NUMBERS)
    missing = WorkbookError("writing a workbook needs the package XlsxWriter: pip install 'walkthrough[xlsx]'")
    with open_book(trace.title, out, missing) as book:
        _fill(book, trace, plan(trace, selection), options)


@contextmanager
def open_book(title: str, out: BinaryIO, missing: UserError) -> Iterator[Any]:
    """A workbook of XlsxWriter, which is written when it has been filled: the same numbers give the same bytes.

    missing: is raised where there is no such library
    """
    try:
        import xlsxwriter
    except ImportError:
        raise missing from None
    content = io.BytesIO()  # a pipe cannot be gone back in
    with xlsxwriter.Workbook(content, {"in_memory": True}) as book:
        book.set_properties({"title": escape_text(title), "created": _MADE})
        yield book
    out.write(content.getbuffer())


def _fill(book: Any, trace: Trace, made: Plan, options: Options) -> None:
    book.set_calc_mode("auto")
    styles = Styles(book)
    front = FrontSheet(book, styles, trace, made)
    kind = sheet_class()
    sheets = {name: book.add_worksheet(name, worksheet_class=kind) for name in made.sheets}
    steps = BlockWriter(trace, made, sheets, styles, options.decimals)
    for block in made.blocks:
        steps.write(block)
    write_published(trace, made, sheets, styles)
    for name, sheet in sheets.items():
        set_up(sheet, name, made, styles, steps.patterns, steps.titles)
    front.write()
    made.define_names(book)
