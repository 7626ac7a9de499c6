"""Published numbers in a workbook: beside the right ones, marked where they differ."""

from __future__ import annotations

from typing import Any

from walkthrough.judging.check import Judged
from walkthrough.judging.digits import Printed
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_text
from walkthrough.views.workbook.numbers import fixed_pattern
from walkthrough.views.workbook.plan import TITLES, PlacedValue, Plan
from walkthrough.views.workbook.styles import Styles

MARKS = {"exact": "", "rounding": " ≈", "inherited": " ↩", "wrong": " ✗", "unjudged": " ?"}
"""What is written after a printed number: colour alone does not reach everybody."""


def write_published(trace: Trace, plan: Plan, sheets: dict[str, Any], styles: Styles) -> None:
    """Writes every printed number to the right of its block."""
    if trace.judge is None:
        return
    headed: set[str] = set()
    for one in trace.judge().cells:
        block = plan.by_path.get(one.cell.value.path)
        if block is None:
            continue
        sheet = sheets[block.place.sheet]
        if block.value.path not in headed:
            headed.add(block.value.path)
            _head(sheet, block, styles, catalogue(trace.language)("published"))
        _number(sheet, block, one, styles)


def _head(sheet: Any, block: PlacedValue, styles: Styles, title: str) -> None:
    row, gap = block.top + TITLES, block.right + 1
    styles.text(sheet, row, gap, f"  {title}", "formula")
    rows, columns = block.value.rows, block.value.columns
    for at, label in enumerate(rows if block.place.is_transposed else columns):
        styles.text(sheet, row, gap + 1 + at, escape_text(label), "column")


def _number(sheet: Any, block: PlacedValue, one: Judged, styles: Styles) -> None:
    row, column = block.place.at(one.cell.row, one.cell.column)
    column += block.size[1] + 1
    printed, mark = one.cell.printed, MARKS[one.verdict]
    if not isinstance(printed, Printed) or not abs(printed.value) < float("inf"):
        styles.text(sheet, row, column, f"{escape_text(one.cell.text)}{mark}", one.verdict)
        return
    digits = "0.00E+00" if "e" in printed.text.lower() else fixed_pattern(max(printed.decimals, 0)).digits
    sheet.write_number(row, column, printed.value, styles.get(one.verdict, f'{digits}"{mark}"' if mark else digits))
