"""How a sheet is seen and printed: frozen headings, widths, pages of A4."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from walkthrough.text import escape_label
from walkthrough.views.workbook.numbers import Pattern
from walkthrough.views.workbook.plan import LOOKS, TITLES, PlacedValue, Plan
from walkthrough.views.workbook.styles import Styles

Titles = Mapping[str, tuple[str, ...]]

_A4 = 9
_WIDEST_LABEL = 28
_WIDTH, _WIDEST = 9, 20
"""Characters of a column of numbers: at least, and at most for the sake of a label."""
BETWEEN = 0.7
_ON_A_PAGE = {False: (80, 47), True: (118, 30)}
"""Characters across and rows down on upright A4 and on A4 on its side, at full size."""
_SMALL, _SMALLEST = 75, 60
"""Per cent; what is still wider is printed on several pages."""
_LETTERS_IN_A_DIGIT = 1.08
"""Widths are counted in digits; letters are a little narrower."""
LINE = 15
"""The height of a row, in points."""


def set_up(sheet: Any, name: str, plan: Plan, styles: Styles, patterns: Mapping[str, Pattern], titles: Titles) -> None:
    """The heading of a sheet, its widths, what stays in sight, and its pages; patterns and titles of blocks by path."""
    blocks = plan.on(name)
    styles.text(sheet, 0, 0, plan.sheets[name], "title")
    widths = _widths(sheet, blocks, patterns, titles)
    for column, width in enumerate(widths):
        sheet.set_column(column, column, width)
    sheet.freeze_panes(1, 1)
    bottom, right = max(block.bottom for block in blocks), len(widths) - 1
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{bottom + 1}"})
    across = sum(widths) + BETWEEN * right
    more = [_fold_titles(sheet, block, titles[block.value.path], right, across, styles) for block in blocks]
    pages(sheet, [(block.top, block.bottom) for block in blocks], more, bottom, right, across)


def _widths(sheet: Any, blocks: list[PlacedValue], patterns: Mapping[str, Pattern], titles: Titles) -> list[float]:
    """The widths of the columns: that of the labels of rows, then those of the numbers."""
    needed: defaultdict[int, int] = defaultdict(lambda: _WIDTH)
    for block in blocks:
        number = patterns[block.value.path].width + 1
        labels = block.value.rows if block.place.is_transposed else block.value.columns
        beside = block.right + 2 if _last_column(sheet, block) > block.right + 1 else None
        for at, label in enumerate(labels):
            room = max(number, min(len(escape_label(label)) + 2, _WIDEST))
            for first in (block.place.column, beside):
                if first is not None and room > needed[first + at]:
                    needed[first + at] = room
    right = max(_last_column(sheet, block) for block in blocks)
    text = min(max(len(line) for block in blocks for line in titles[block.value.path]), _ON_A_PAGE[False][0])
    widths: list[float] = [_label_width(blocks)]
    while len(widths) <= right or sum(widths) < text:
        widths.append(needed[len(widths)])
    return widths


def _last_column(sheet: Any, block: PlacedValue) -> int:
    """The last column of a block with what is written beside it."""
    row: dict[int, Any] = sheet.table.get(block.top + TITLES) or {}
    return max([block.right + (block.value.names is not None), *row])


def _label_width(blocks: list[PlacedValue]) -> int:
    labels = (
        label for block in blocks for label in (block.value.columns if block.place.is_transposed else block.value.rows)
    )
    return max(8, min(_WIDEST_LABEL, max((len(escape_label(label)) for label in labels), default=8) + 2))


def line_count(text: str, across: float) -> int:
    """How many lines a text takes that has so much room."""
    room = int(across * _LETTERS_IN_A_DIGIT)
    return len(wrap(text, room)) if len(text) > room else 1


def _fold_titles(
    sheet: Any, block: PlacedValue, titles: tuple[str, ...], right: int, across: float, styles: Styles
) -> int:
    """How many more lines the text above a block takes where it is wider than the sheet."""
    more = 0
    for at, (text, look) in enumerate(zip(titles, LOOKS, strict=True)):
        lines = line_count(text, across)
        if lines > 1:
            row = block.top + at
            sheet.merge_range(row, 0, row, right, "", styles.get(f"{look}, folded"))
            styles.text(sheet, row, 0, text, f"{look}, folded")
            sheet.set_row(row, LINE * lines)
            more += lines - 1
    return more


def pages(
    sheet: Any, blocks: Sequence[tuple[int, int]], more: Sequence[int], bottom: int, right: int, across: float
) -> None:
    """Print area, scale and page breaks: a block begins a new page where it does not fit on this one any more.

    blocks: the first and the last row of each; more: how many lines each has beyond one a row
    bottom, right: the last row and column of the sheet; across: its width in characters
    """
    on_side = across * _SMALL / 100 > _ON_A_PAGE[False][0]
    characters, rows = _ON_A_PAGE[on_side]
    scale = max(_SMALLEST, min(100, int(100 * characters / across)))
    sheet.set_paper(_A4)
    if on_side:
        sheet.set_landscape()
    sheet.set_margins(left=0.5, right=0.5, top=0.6, bottom=0.6)
    sheet.set_footer("&L&A&R&P / &N")
    sheet.print_area(0, 0, bottom, right)
    sheet.set_print_scale(scale)
    sheet.repeat_columns(0)
    sheet.set_h_pagebreaks(_breaks(blocks, more, int(rows * 100 / scale)))


def _breaks(blocks: Sequence[tuple[int, int]], more: Sequence[int], rows: int) -> list[int]:
    """The rows before which a page begins."""
    breaks, page, shift = [], 0, 0
    for (first, last), lines in zip(blocks, more, strict=True):
        top, bottom = first + shift, last + shift + lines
        shift += lines
        if bottom + 1 - page > rows and top > page + 1:
            breaks.append(first)
            page = top
        page += max(0, (bottom - page) // rows) * rows  # a long block continues on further pages
    return breaks[:1000]
