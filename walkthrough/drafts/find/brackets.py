"""Matrices in brackets, as numpy, Python and MATLAB print them: lists in lists, and rows parted by semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.drafts.cells import join_powers
from walkthrough.drafts.find.places import Found, Places
from walkthrough.drafts.items import Cell, Table

_INSIDE = re.compile(
    r"(?:[\s\[\](),;.+\-−–—…⋯⋮0-9∞×·*^⁻⁰¹²³⁴⁵⁶⁷⁸⁹']|(?<=[0-9.])[eE](?=[-+0-9])|inf|nan|None|null|np\.float64|"
    r"array|tensor|\\[lcvd]?dots)*"
)
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")


def find_brackets(text: str, places: Places) -> Iterator[Found]:
    """Lists in lists, rows parted by semicolons, and lists over several lines; a list on one line is a line of text."""
    at = text.find("[")
    while at >= 0:
        end = _closed(text, at) if not text.startswith("\\", at - 1) or at == 0 else None
        inside = text[at + 1 : end - 1] if end else ""
        is_several = any(sign in inside for sign in "[;\n")
        if end and any(map(str.isdigit, inside)) and (is_several or _is_assigned(text, at, end)):
            tables = [table for matrix in _matrices(text, at, end) if (table := _list(text, matrix, places)).rows]
            for table in tables:
                table.is_line = not is_several
            if tables:
                yield Found(at, end, tables)
                at = end - 1
        at = text.find("[", at + 1)


def _is_assigned(text: str, start: int, end: int) -> bool:
    """Whether a list is what a name stands for, as in `q_chai = [1.04, 1.54]`, and no calculation goes on with it."""
    line = text[text.rfind("\n", 0, start) + 1 : start].rstrip(" $&`")
    return line.endswith(("=", "≈")) and text[end : end + 3].lstrip(" $`")[:1] not in tuple("·*×+−-@/÷=")


def _closed(text: str, at: int) -> int | None:
    """Behind the bracket that closes the one here, if there are only numbers between."""
    found = _INSIDE.match(text, at)
    last = found.end() if found else at
    depth = 0
    for place in range(at, last):
        depth += (text[place] == "[") - (text[place] == "]")
        if not depth:
            return place + 1
    return None


def _matrices(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The matrices in a list: itself, or where it is a list of matrices each of them."""
    opened: list[int] = []
    is_of_rows: set[int] = set()
    for at in range(start, end):
        if text[at] == "[":
            opened.append(at)
        elif text[at] == "]":
            first = opened.pop()
            if first in is_of_rows or (not opened and "[" not in text[first + 1 : at]):
                yield first, at + 1
            elif opened and "[" not in text[first + 1 : at]:
                is_of_rows.add(opened[-1])


def _list(text: str, matrix: tuple[int, int], places: Places) -> Table:
    rows = _rows_in_brackets(text, *matrix) or _rows_between_semicolons(text, *matrix)
    return Table([cells for at, row in rows if (cells := _cells(row, at, places))], is_list=True)


def _rows_in_brackets(text: str, start: int, end: int) -> list[tuple[int, str]]:
    """Where each inner list begins, and what is in it; dots between them are a row too."""
    rows: list[tuple[int, str]] = []
    behind = start + 1
    for found in _INNERMOST.finditer(text, start + 1, end - 1):
        rows += [*_dots(text, behind, found.start()), (found.start(1), found[1])]
        behind = found.end()
    return [*rows, *_dots(text, behind, end - 1)] if rows else []


def _rows_between_semicolons(text: str, start: int, end: int) -> list[tuple[int, str]]:
    rows: list[tuple[int, str]] = []
    at = start + 1
    for row in text[at : end - 1].split(";"):
        rows.append((at, row))
        at += len(row) + 1
    return rows


def _dots(text: str, start: int, end: int) -> list[tuple[int, str]]:
    between = text[start:end].strip(" ,\n\t")
    return [(text.index(between, start), between)] if between in ("...", "…", "\\dots", "\\vdots") else []


def _cells(row: str, at: int, places: Places) -> list[Cell]:
    """The numbers of a row: parted by commas or blanks."""
    joined = join_powers(row)
    if len(joined) != len(row):
        return [Cell(part, places.line(at)) for part in re.split(r"[,\s]+", joined.strip()) if part]
    return [Cell(found[0], places.line(at + found.start())) for found in re.finditer(r"[^,\s]+", row)]
