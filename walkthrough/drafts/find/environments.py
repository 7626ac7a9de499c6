"""LaTeX: the environments of tables and matrices, and the captions of floats."""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.drafts.find.places import Found, Places
from walkthrough.drafts.items import Cell, Table

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
            at, wanted = _behind_braces(text, at), wanted - 1
        else:
            break
    return at


def _behind_braces(text: str, at: int) -> int:
    depth = 0
    while at < len(text):
        depth += (text[at] == "{") - (text[at] == "}")
        at += 1
        if not depth:
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
