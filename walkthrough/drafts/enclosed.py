"""Tables that a pair of signs encloses, over several lines: LaTeX environments, HTML tables, brackets."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from walkthrough.drafts.cells import join_powers
from walkthrough.drafts.html import tables_in
from walkthrough.drafts.items import Cell, Line, Table

MARK = "\x00"
"""Stands around the number of a table in the text that it has been taken from."""
_HTML = re.compile(r"<table\b.*?</table\s*>", re.DOTALL | re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)%[^\n]*")
_INSIDE = re.compile(
    r"(?:[\s\[\](),;.+\-−–—…⋯⋮0-9∞×·*^⁻⁰¹²³⁴⁵⁶⁷⁸⁹']|(?<=[0-9.])[eE](?=[-+0-9])|inf|nan|None|null|np\.float64|"
    r"array|tensor|\\[lcvd]?dots)*"
)
_INNERMOST = re.compile(r"\[([^\[\]]*)\]")
_ENVIRONMENT = re.compile(
    r"\\(begin|end)\s*\{(tabular\*?|tabularx|tabulary|array|longtable|[pbvBV]?(?:small)?matrix\*?)\}"
)
_FLOAT = re.compile(r"\\begin\{(table|figure|wraptable|sidewaystable)\*?\}.*?\\end\{\1\*?\}", re.DOTALL)
_CAPTION = re.compile(r"\\caption\*?(?:of\{[a-z]+\})?(?:\[[^\]]*\])?\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
_NESTED = re.compile(r"\\begin\{tabular\}\[t\]\{[^}]*\}\}?(.*?)\\end\{tabular\}", re.DOTALL)
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot|endlastfoot|centering|small|"
    r"cmidrule(?:\([^)]*\))?\{[^}]*\}|cline\{[^}]*\}|noalign\{[^}]*\}|addlinespace)(?![a-zA-Z])(?:\[[^\]]*\])?"
)
_MULTICOLUMN = re.compile(
    r"\s*\\multicolumn\{\s*([0-9]{1,3})\s*\}\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}\{(.*)\}\s*", re.DOTALL
)
_ROW_END = re.compile(r"(?<!\\)\\\\\*?(?:\s*\[[^\]\n]{0,20}\])?|\\tabularnewline")
_COLUMN_END = re.compile(r"(?<!\\)&")


def take_tables(lines: Sequence[Line], is_tex: bool) -> tuple[list[Line], list[Table]]:
    """The lines with a mark in the place of each enclosed table, and these tables."""
    text = "\n".join(line.text for line in lines)
    if is_tex:
        text = _COMMENT.sub(lambda found: " " * len(found[0]), text)
    if not any(sign in text for sign in ("\\begin", "[", "<table", "<TABLE")):
        return list(lines), []
    left, taken = _replaced(text, _outermost(text, Places(lines)))
    return [Line(line.number, rest) for line, rest in zip(lines, left.split("\n"), strict=True)], taken


def _outermost(text: str, places: Places) -> Iterator[Found]:
    """What is enclosed, in the order of the text, but for what is inside another; with the captions of floats."""
    floats, done = floats_in(text), 0
    found = [*find_environments(text, places), *_html_tables(text, places), *find_brackets(text, places)]
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        if one.start >= done:
            said = next((caption for start, end, caption in floats if start <= one.start < end), "")
            for table in one.tables:
                table.caption = table.caption or said
            yield one
            done = one.end


def _replaced(text: str, found: Iterator[Found]) -> tuple[str, list[Table]]:
    """The text with marks for the tables, and as many lines as before."""
    taken: list[Table] = []
    pieces, done = [], 0
    for one in found:
        marks = [f"{MARK}{at}{MARK}" for at in range(len(taken), len(taken) + len(one.tables))]
        pieces += [text[done : one.start], *marks, "\n" * text.count("\n", one.start, one.end)]
        taken += one.tables
        done = one.end
    return "".join([*pieces, text[done:]]), taken


def _html_tables(text: str, places: Places) -> Iterator[Found]:
    """HTML within Markdown."""
    for found in _HTML.finditer(text):
        yield Found(found.start(), found.end(), tables_in(found[0], places.line(found.start())))


class Found(NamedTuple):
    """Tables from one place of the text to another."""

    start: int
    end: int
    tables: list[Table]


class Places:
    """Which line of the draft a place of the text is on."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.starts = [0]
        for line in lines[:-1]:
            self.starts.append(self.starts[-1] + len(line.text) + 1)

    def index(self, at: int) -> int:
        """Which of the lines it is."""
        return bisect_right(self.starts, at) - 1

    def line(self, at: int) -> int:
        """The number of its line."""
        return self.lines[self.index(at)].number


def find_brackets(text: str, places: Places) -> Iterator[Found]:
    """Lists in lists, rows parted by semicolons, and lists over several lines; a list on one line is a line of text."""
    at = text.find("[")
    while at >= 0:
        only_numbers = _INSIDE.match(text, at) if not text.startswith("\\", at - 1) or at == 0 else None
        end = _behind(text, at, only_numbers.end()) if only_numbers else None
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


def _behind(text: str, at: int, last: int, signs: str = "[]") -> int | None:
    """Behind the bracket that closes the one here; None where it is not closed before `last`."""
    depth = 0
    for place in range(at, last):
        depth += (text[place] == signs[0]) - (text[place] == signs[1])
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


def floats_in(text: str) -> list[tuple[int, int, str]]:
    """Where floats with a caption begin and end, and their captions."""
    return [
        (found.start(), found.end(), caption[1])
        for found in _FLOAT.finditer(text)
        if (caption := _CAPTION.search(found[0]))
    ]


def find_environments(text: str, places: Places) -> Iterator[Found]:
    """LaTeX's tables and matrices; what is inside another one is part of its cell."""
    depth, start = 0, None
    for found in _ENVIRONMENT.finditer(text):
        depth += 1 if found[1] == "begin" else -1
        if depth == 1 and found[1] == "begin":
            start = found
        elif depth <= 0 and start is not None:
            body = _skip_arguments(text, start.end(), start[2])
            yield Found(start.start(), found.end(), [_environment(text, body, found.start(), places)])
            depth, start = 0, None


def _skip_arguments(text: str, at: int, name: str) -> int:
    """Behind the arguments of an environment: its position, its width, its columns."""
    wanted = 0 if "matrix" in name else 2 if name in ("tabular*", "tabularx", "tabulary") else 1
    while at < len(text):
        if text[at] == "[" and (closed := text.find("]", at)) >= 0:
            at = closed + 1
        elif text[at] == "{" and wanted:
            at, wanted = _behind(text, at, len(text), "{}") or len(text), wanted - 1
        else:
            break
    return at


def _environment(text: str, start: int, end: int, places: Places) -> Table:
    body = _NESTED.sub(lambda found: _same_lines(found[0], found[1].replace(" \\\\ ", "")), text[start:end])
    caption = _CAPTION.search(body)
    body = _CAPTION.sub(lambda found: _same_lines(found[0], ""), body)
    rows, first = [], places.index(start)
    for row_start, row_end in _split(body, 0, len(body), _ROW_END):
        row = _RULES.sub(lambda one: " " * len(one[0]), body[row_start:row_end])
        if row.strip():
            blank = row_start + len(row) - len(row.lstrip())
            rows.append(_row(row.strip(), first + body.count("\n", 0, blank), places))
    return Table(rows, caption=caption[1] if caption else "")


def _same_lines(old: str, new: str) -> str:
    """The new text, with as many line ends as the old one."""
    return new.replace("\n", " ") + "\n" * old.count("\n")


def _row(row: str, first: int, places: Places) -> list[Cell]:
    """The cells of a row that begins on this line of the text."""
    cells: list[Cell] = []
    for start, end in _split(row, 0, len(row), _COLUMN_END):
        text = row[start:end]
        line = places.lines[first + row.count("\n", 0, start + len(text) - len(text.lstrip()))].number
        several = _MULTICOLUMN.fullmatch(text)
        cells.append(Cell(several[2] if several else text, line))
        cells += [Cell("", line)] * (int(several[1]) - 1 if several else 0)
    return cells


def _split(text: str, start: int, end: int, sign: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The pieces between the signs, but for those within braces."""
    depth, last, at = 0, start, start
    for found in sign.finditer(text, start, end):
        between = text[at : found.start()]
        depth += between.count("{") - between.count("\\{") - between.count("}") + between.count("\\}")
        at = found.end()
        if depth <= 0:
            yield last, found.start()
            last = found.end()
    yield last, end
