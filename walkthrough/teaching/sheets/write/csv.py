"""A template for answers that come back on paper: a line for each cell to fill in, in a spreadsheet or an editor.

A spreadsheet in a language with a decimal comma wants semicolons between the cells.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import BinaryIO

from walkthrough.languages.catalogue import catalogue
from walkthrough.teaching.sheets.sheet import Sheet
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells
from walkthrough.text import escape_formula, escape_label

HEADER = ("path", "row", "column", "answer", "title")


def write(sheets: Sequence[Sheet], out: BinaryIO, solved: bool = False) -> None:
    """Writes the template of one sheet; `solved`: with its answers."""
    (sheet,) = sheets
    words, titles, text = catalogue(sheet.language), Titles.of(sheet), io.StringIO()
    table = csv.writer(text, delimiter=";" if words.has_comma else ",", lineterminator="\n")
    table.writerow([words.words["read"][name].split(", ")[0] for name in HEADER])
    for step in sheet.blank_steps:
        value, cells, title = step.value, Cells(step.value), titles.title(step.value)
        for path, row, column in step.places:
            labels = (escape_formula(escape_label(label)) for label in (value.rows[row], value.columns[column]))
            answer = cells.text(row, column) if solved else ""
            table.writerow([path, *labels, answer if value.is_word(column) else words.number(answer), title])
    out.write(text.getvalue().encode("utf-8-sig" if words.has_comma else "utf-8"))  # by its mark Excel knows UTF-8
