"""Practice as a page: the live page, which asks for one number after the other."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.views.options import Options
from walkthrough.views.page import html


def write(sheet: Sheet, out: BinaryIO) -> None:
    """Writes the page."""
    asked = [step.value.path for step in sheet.blank_steps]
    html.write(sheet.hand, Options(decimals=sheet.decimals), out, asked)
