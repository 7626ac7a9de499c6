"""A page of a worksheet's workbook: blocks one below the other, a heading over each, and where paper breaks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from walkthrough.views.workbook.paper import BETWEEN, LINE, line_count, pages

_LABELS, _WIDEST = 14, 28
"""Characters of the column of labels: at least, and at most."""
_COLUMN = 8.43
"""What a spreadsheet gives the other columns."""
_ACROSS = 80
"""The most characters of a heading on one line."""

Format = Callable[..., Any]


class Page:
    """A page while it is written. sheet: XlsxWriter's; format: makes a format of settings"""

    def __init__(self, sheet: Any, format: Format) -> None:
        self.sheet = sheet
        self.format = format
        self._blocks: list[tuple[int, int]] = []
        self._headings: list[list[tuple[int, str, dict[str, Any]]]] = []
        self._right = 1
        self._labels = _LABELS

    def begin(self, top: int) -> None:
        """A block begins in this row."""
        self._blocks.append((top, top))
        self._headings.append([])

    def heading(self, row: int, text: str, **settings: Any) -> None:
        """A line above the numbers of the block that was begun; settings: of its format"""
        self._headings[-1].append((row, text, settings))

    def end(self, bottom: int, right: int = 1, labels: int = 0) -> None:
        """The block has ended. right: its last column; labels: the characters of its longest label of a row"""
        self._blocks[-1] = self._blocks[-1][0], bottom
        self._right = max(self._right, right)
        self._labels = max(self._labels, min(labels + 2, _WIDEST))

    def finish(self) -> None:
        """Writes the headings, and says how the page is printed: a block stays whole where paper is long enough."""
        longest = max((len(text) for block in self._headings for _, text, _ in block), default=0)
        while self._across() < min(longest, _ACROSS):
            self._right += 1
        self.sheet.set_column(0, 0, self._labels)
        more = [sum(self._write(*heading) for heading in block) for block in self._headings]
        if self._blocks:
            pages(self.sheet, self._blocks, more, self._blocks[-1][1], self._right, self._across())

    def _across(self) -> float:
        return self._labels + (_COLUMN + BETWEEN) * self._right

    def _write(self, row: int, text: str, settings: dict[str, Any]) -> int:
        """Writes a heading; how many lines it takes beyond the first."""
        lines = line_count(text, self._across())
        if lines > 1:
            look = self.format(**settings, text_wrap=True, valign="top")
            self.sheet.merge_range(row, 0, row, self._right, "", look)
            self.sheet.set_row(row, LINE * lines)
        self.sheet.write_string(row, 0, text, look if lines > 1 else self.format(**settings))
        return lines - 1
