"""How a sheet is seen and printed: frozen headings, widths, pages of A4."""

from __future__ import annotations

from typing import Any

from walkthrough.text import printable
from walkthrough.views.xlsx_plan import TITLES, Block, Plan
from walkthrough.views.xlsx_styles import Styles

_A4 = 9
_WIDEST_LABEL = 28
_WIDTH = 9
_ON_A_PAGE = {False: (80, 47), True: (118, 30)}
"""Characters across and rows down on upright A4 and on A4 on its side, at full size."""
_SMALL, _SMALLEST = 75, 60
"""Per cent; what is wider still is printed on several pages side by side."""


def set_up(sheet: Any, name: str, plan: Plan, styles: Styles) -> None:
    """The heading of a sheet, its widths, what stays in sight, and its pages."""
    blocks = plan.on(name)
    styles.text(sheet, 0, 0, plan.sheets[name], "title")
    width = _label_width(blocks)
    bottom, right = max(block.bottom for block in blocks), max(_last_column(sheet, block) for block in blocks)
    right = max(right, (min(_longest_text(blocks), _ON_A_PAGE[False][0]) - width) // _WIDTH)
    sheet.set_column(0, 0, width)
    sheet.set_column(1, right, _WIDTH)
    sheet.freeze_panes(1, 1)
    sheet.ignore_errors({"number_stored_as_text": f"A1:XFD{bottom + 1}"})
    _pages(sheet, blocks, bottom, right, width)


def _last_column(sheet: Any, block: Block) -> int:
    """The last column of a block with what stands beside it."""
    row: dict[int, Any] = sheet.table.get(block.top + TITLES) or {}
    return max([block.right, *row])


def _longest_text(blocks: list[Block]) -> int:
    """Characters of the longest line above a block: it goes on over the columns to its right."""
    return max(
        len(text)
        for block in blocks
        for text in (block.value.kind.purpose, "  =  ".join((block.value.path, *block.value.also)))
    )


def _label_width(blocks: list[Block]) -> int:
    labels = (label for block in blocks for label in (block.value.columns if block.place.upright else block.value.rows))
    return max(8, min(_WIDEST_LABEL, max((len(printable(label)) for label in labels), default=8) + 2))


def _pages(sheet: Any, blocks: list[Block], bottom: int, right: int, width: int) -> None:
    """Print area, scale and page breaks: a block begins a new page where it does not fit on this one any more."""
    across = width + right * (_WIDTH + 0.7)
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
    sheet.set_h_pagebreaks(_breaks(blocks, int(rows * 100 / scale)))


def _breaks(blocks: list[Block], rows: int) -> list[int]:
    breaks, page = [], 0
    for block in blocks:
        if block.bottom + 1 - page > rows and block.top > page + 1:
            breaks.append(block.top)
            page = block.top
        page += max(0, (block.bottom - page) // rows) * rows  # a long block goes on over pages
    return breaks[:1000]
