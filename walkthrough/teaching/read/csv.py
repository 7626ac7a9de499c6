"""Reads answers in CSV: path, row, column, answer; with commas or semicolons, as spreadsheets of all countries do."""

from __future__ import annotations

import csv
import io

from walkthrough.teaching.read.answer import Answer, answer_of, both
from walkthrough.teaching.read.files import decode
from walkthrough.teaching.read.filled import Filled
from walkthrough.teaching.sheet import SheetError
from walkthrough.text import escape_label

HEADER = ["path", "row", "column", "answer"]


def read(name: str, content: bytes) -> list[Filled]:
    """The answers of a file. Raises SheetError where its header is another one, or a line has too few cells."""
    lines = decode(name, content).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first = lines.partition("\n")[0]
    separator = ";" if first.count(";") > first.count(",") else "\t" if first.count("\t") > first.count(",") else ","
    answers: dict[tuple[str, str, str], Answer] = {}
    reader = csv.reader(io.StringIO(lines), delimiter=separator)
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if header[:4] != HEADER:
            raise SheetError(
                f"{escape_label(name)}: the first line must be {','.join(HEADER)}; found {escape_label(first[:80])}"
            )
        for cells in reader:
            if any(cell.strip() for cell in cells):
                _take(answers, cells, f"{escape_label(name)}, line {reader.line_num}")
    except csv.Error as error:
        raise SheetError(f"{escape_label(name)}, line {reader.line_num}: {error}") from None
    return [Filled(name, answers)]


def _take(answers: dict[tuple[str, str, str], Answer], cells: list[str], place: str) -> None:
    """Takes a line; a decimal comma that was not quoted has made two cells of one number."""
    if len(cells) < 3:
        raise SheetError(f"{place}: expected path, row, column and answer")
    path, row, column, *rest = (cell.strip() for cell in cells)
    written = [cell for cell in rest if cell] if len(rest) != 2 or not all(rest) else [",".join(rest)]
    answer = answer_of(written[0] if written else "")
    key = path, row, column
    answers[key] = both(answers[key], answer) if key in answers else answer
