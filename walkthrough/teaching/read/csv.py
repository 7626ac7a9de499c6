"""Reads answers in CSV: path, row, column, answer; with commas or semicolons, as spreadsheets of all countries do."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence

from walkthrough.teaching.read.answer import Answer, answer_of, both
from walkthrough.teaching.read.files import decode
from walkthrough.teaching.read.filled import Filled, Ignored
from walkthrough.teaching.sheet import SheetError
from walkthrough.text import escape_label

HEADER = ("path", "row", "column", "answer")
_NAMES = {"pfad": "path", "zeile": "row", "spalte": "column", "antwort": "answer"}
_WHOLE, _DECIMALS = re.compile(r"\s*[-+−–]?\s*[0-9]+\s*"), re.compile(r"\s*[0-9]+\s*")


def read(name: str, content: bytes) -> list[Filled]:
    """The answers of a file, each with its line. Raises SheetError where its header lacks a column."""
    lines = decode(name, content).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    first = lines.partition("\n")[0]
    separator = ";" if first.count(";") > first.count(",") else "\t" if first.count("\t") > first.count(",") else ","
    answers: dict[tuple[str, str, str], Answer] = {}
    places: dict[tuple[str, str, str], int] = {}
    ignored: list[Ignored] = []
    reader = csv.reader(io.StringIO(lines), delimiter=separator)
    try:
        header = next(reader, [])
        at = _find_columns(header)
        if at is None:
            raise SheetError(
                f"{escape_label(name)}: the first line must be {','.join(HEADER)}; found {escape_label(first[:80])}"
            )
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) <= max(at[:3]):
                ignored.append(Ignored(reader.line_num, "expected path, row, column and answer"))
                continue
            key, answer = _take(cells, at, len(header))
            places.setdefault(key, reader.line_num)
            answers[key] = both(answers[key], answer) if key in answers else answer
    except csv.Error as error:
        raise SheetError(f"{escape_label(name)}, line {reader.line_num}: {error}") from None
    return [Filled(name, answers, lines=places, ignored=tuple(ignored))]


def _find_columns(header: Sequence[str]) -> list[int] | None:
    """Where the columns are, found by their names, English or German; None where one is missing."""
    words = [word.strip().lower() for word in header]
    names = [_NAMES.get(word, word) for word in words]
    return [names.index(name) for name in HEADER] if set(HEADER) <= set(names) else None


def _take(cells: list[str], at: Sequence[int], width: int) -> tuple[tuple[str, str, str], Answer]:
    """Path, row and column of a line, and its answer; an unquoted decimal comma has made two cells of one number."""
    beside = at[3] + 1
    if len(cells) == width + 1 and _WHOLE.fullmatch(cells[at[3]]) and _DECIMALS.fullmatch(cells[beside]):
        cells = [*cells[: at[3]], ",".join(cells[at[3] : beside + 1]), *cells[beside + 1 :]]
    path, row, column = (cells[where].strip() for where in at[:3])
    return (path, row, column), answer_of(cells[at[3]].strip() if at[3] < len(cells) else "")
