"""The looks of cells in a workbook, each made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

_LOOKS: dict[str, dict[str, Any]] = {
    "": {},
    "title": {"bold": True, "font_size": 16},
    "heading": {"bold": True, "font_size": 12},
    "formula": {"italic": True},
    "word": {"italic": True, "indent": 1},
    "quiet": {"font_color": "#595959"},
    "label": {"bold": True, "align": "right"},
    "column": {"bold": True, "align": "right", "bottom": 1},
    "given": {"bg_color": "#FFF2CC", "font_color": "#1F3864", "border": 1, "border_color": "#D6B656"},
    "fixed": {"bg_color": "#EDEDED", "border": 1, "border_color": "#BFBFBF"},
    "number": {},
    "exact": {"font_color": "#595959"},
    "rounding": {"font_color": "#595959", "italic": True},
    "inherited": {"font_color": "#833C00", "bold": True},
    "wrong": {"font_color": "#C00000", "bold": True},
    "unjudged": {"font_color": "#595959", "italic": True},
    "warning": {"font_color": "#C00000", "bold": True},
    "link": {"font_color": "#0563C1", "underline": 1},
    "quiet, folded": {"font_color": "#595959", "text_wrap": True, "valign": "top"},
    "formula, folded": {"italic": True, "text_wrap": True, "valign": "top"},
    "heading, folded": {"bold": True, "font_size": 12, "text_wrap": True, "valign": "top"},
    "wrapped": {"text_wrap": True, "valign": "top"},
}


def formats_of(book: Any) -> Callable[..., Any]:
    """What makes formats of settings for a workbook, each once."""
    return cache(lambda **settings: book.add_format(settings))


class Styles:
    """The formats of one workbook."""

    def __init__(self, book: Any) -> None:
        self._format = formats_of(book)

    def get(self, look: str, number_format: str = "", is_text: bool = False) -> Any:
        """The format of a look; `is_text`: a text that may begin like a formula, and is none."""
        pattern = {"num_format": number_format} if number_format else {}
        return self._format(**_LOOKS[look], **pattern, **({"quote_prefix": True} if is_text else {}))

    def text(self, sheet: Any, row: int, column: int, text: str, look: str = "") -> None:
        """Writes a text as a text, whatever it begins with; no longer than a cell takes."""
        sheet.write_string(row, column, text[:32_000], self.get(look, is_text=text[:1] in tuple("=+-@\t'")))
