"""Reads answers in CSV: path, row, column, answer; with commas or semicolons, as spreadsheets of all countries do."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from walkthrough.languages.meanings import words_for
from walkthrough.teaching.sheets.read.answer import EMPTY, Answer, answer_of, both
from walkthrough.teaching.sheets.read.files import decode
from walkthrough.teaching.sheets.read.filled import Filled, Ignored, UnplacedError
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import escape_label

HEADER = ("path", "row", "column", "answer")
_WHOLE, _DECIMALS = re.compile(r"\s*[-+−–]?\s*[0-9]+\s*"), re.compile(r"\s*[0-9]+\s*")
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
_MOST, _MOST_IN_QUOTES, _LONGEST = 500_000, 20, 10_000
"""A file has at most this many lines, a cell in quotes this many, a header this many characters."""


def read(name: str, content: bytes) -> list[Filled]:
    """The answers of a file, each with its line. Raises SheetError: no header, or too long."""
    lines = decode(name, content).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if len(lines) > _MOST:
        raise SheetError(f"{escape_label(name)} has more than {_MOST:,} lines: this is not a worksheet")
    separator, first = _find_header(lines)
    header = next(csv.reader([lines[first][:_LONGEST]], delimiter=separator), [])
    at = _find_columns(header)
    if at is None:
        shown = escape_label(lines[first][:80]) if lines[first].strip() else "an empty file"
        raise SheetError(f"{escape_label(name)}: the first line must be {','.join(HEADER)}; found {shown}")
    answers: dict[tuple[str, str, str], Answer] = {}
    places: dict[tuple[str, str, str], int] = {}
    ignored: list[Ignored] = []
    for line, cells in _records(lines, first + 1, separator, max(at[:3])):
        if len(cells) <= max(at[:3]):
            ignored.append(Ignored(line, UnplacedError("unplaced_fields")))
            continue
        key, answer = _take(cells, at, len(header))
        places.setdefault(key, line)
        answers[key] = both(answers.get(key, EMPTY), answer)
    return [Filled(name, answers, lines=places, ignored=tuple(ignored))]


def _find_header(lines: Sequence[str]) -> tuple[str, int]:
    """What separates the cells, and which line names the columns: the first, or the one behind Excel's `sep=;`."""
    first = next((at for at, line in enumerate(lines) if line.strip()), 0)
    if said := _SEPARATOR.fullmatch(lines[first].strip(" ")):
        return said[1], min(first + 1, len(lines) - 1)
    line = lines[first]
    separator = ";" if line.count(";") > line.count(",") else "\t" if line.count("\t") > line.count(",") else ","
    return separator, first


def _records(lines: Sequence[str], first: int, separator: str, needed: int) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line from `first` on that has any, with its number, from 1.

    Quotes may hold a cell of several lines together. Where one is not closed, or a line with more than `needed` cells
    would vanish in it, it is a sign like others, and ends with its line.
    """
    at = first
    while at < len(lines):
        if '"' not in lines[at]:
            cells, taken = lines[at].split(separator), 1
        else:
            cells, taken = _quoted(lines[at : at + _MOST_IN_QUOTES], separator, needed)
        if any(cell.strip() for cell in cells):
            yield at + 1, cells
        at += taken


def _quoted(lines: Sequence[str], separator: str, needed: int) -> tuple[list[str], int]:
    """The cells that begin with the first line, which has quotes, and how many lines they take."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        cells = next(reader)
    except csv.Error:  # a cell that is too long, or a line break where none can be
        cells = []
    taken = lines[: reader.line_num]
    is_open = sum(line.count('"') for line in taken) % 2 == 1
    if cells and not is_open and not any(line.count(separator) >= needed for line in taken[1:]):
        return cells, len(taken)
    return [cell.strip().strip('"') for cell in lines[0].split(separator)], 1


def _find_columns(header: Sequence[str]) -> list[int] | None:
    """Where the columns are, found by their names in any language; None where one is missing."""
    words = [word.strip().lower() for word in header]
    meaning = {one.lower(): name for name in HEADER for one in words_for(name)}
    names = [meaning.get(word, word) for word in words]
    return [names.index(name) for name in HEADER] if set(HEADER) <= set(names) else None


def _take(cells: list[str], at: Sequence[int], width: int) -> tuple[tuple[str, str, str], Answer]:
    """Path, row and column of a line, and its answer; an unquoted decimal comma has made two cells of one number."""
    beside = at[3] + 1
    if len(cells) == width + 1 and _WHOLE.fullmatch(cells[at[3]]) and _DECIMALS.fullmatch(cells[beside]):
        cells = [*cells[: at[3]], ",".join(cells[at[3] : beside + 1]), *cells[beside + 1 :]]
    path, row, column = (cells[where].strip() for where in at[:3])
    return (path, row, column), answer_of(cells[at[3]].strip() if at[3] < len(cells) else "")
