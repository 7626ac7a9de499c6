"""Feedback as Markdown: the report on the sheet."""

from __future__ import annotations

from typing import BinaryIO

from walkthrough.languages.catalogue import Catalogue
from walkthrough.teaching.feedback.report import sheet_report
from walkthrough.teaching.mark.marked import Marked
from walkthrough.teaching.titles import Titles
from walkthrough.views.markdown import text

SUFFIX = ".md"


def write(marked: Marked, words: Catalogue, out: BinaryIO) -> None:
    """Writes the report on one sheet."""
    out.write(text([sheet_report(marked, Titles.of(marked.sheet, words))]).encode())
