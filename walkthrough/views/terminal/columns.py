"""Plain tables of texts for a terminal: columns padded to equal width, or what is left of that where it is narrow."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest

from walkthrough.views.report.blocks import Table
from walkthrough.views.text.wrapping import cell_width, fill_lines, wrap_prose

_GAP = "  "
_NARROWEST = 20
"""A last column with less room than this is not continued below itself."""
_NARROWEST_FIRST = 14
"""Nor is a first one, before columns of numbers."""

Row = Sequence[str]


def lay_out(table: Table, width: int) -> tuple[list[str], list[str]]:
    """The lines of a table: of its header, none where the cells of a row stand one below another; and of its rows.

    One that is too wide says the beginning of its rows once for several of them, or continues its last column below
    itself, or its first one before numbers, or has the cells of a row one after the other.
    """
    head = 0 if table.headless else 1
    texts: Sequence[Row] = [table.header, *table.rows][1 - head :]
    lines = _pad(texts, table.right)
    if table.whole or max(map(cell_width, lines), default=0) <= width:
        return lines[:head], lines[head:]
    if table.groups:
        header, *rows = _group(table)
        return [header], rows
    indent = max(map(cell_width, _pad([row[:-1] for row in texts if len(row) > 1], table.right))) + len(_GAP)
    if width - indent >= _NARROWEST:
        parts = [_continue(line, indent, width) for line in lines]
        return [*chain(*parts[:head])], [*chain(*parts[head:])]
    broken = _break_first(texts, table.right, width)
    if broken:
        lines, head = _pad([*chain(*broken)], table.right), sum(map(len, broken[:head]))
        return lines[:head], lines[head:]
    return [], list(_flow(table, width))


def _break_first(texts: Sequence[Row], right: Sequence[int], width: int) -> list[list[Row]]:
    """Each row as several that part its first cell; none where that has no room, or more than numbers behind it."""
    room = width - max(map(cell_width, _pad([("", *row[1:]) for row in texts if len(row) > 1], right)))
    if room < _NARROWEST_FIRST or {*right} != {*range(1, max(map(len, texts)))}:
        return []
    parted = [list(_part(row, room)) if len(row) > 1 else [row] for row in texts]
    return parted if all(cell_width(row[0]) <= room for rows in parted for row in rows if len(row) > 1) else []


def _part(row: Row, room: int) -> Iterator[Row]:
    first, *rest = _wrap(row[0], room)
    yield first, *row[1:]
    yield from ((part, *[""] * (len(row) - 1)) for part in rest)


def _wrap(text: str, room: int) -> list[str]:
    """A label in lines; however little room there is, no word is broken."""
    return textwrap.wrap(text, room, subsequent_indent=_GAP, break_long_words=False, break_on_hyphens=False) or [""]


def _pad(lines: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Lines of equal columns; a row of one cell spans them."""
    columns = zip(*(line for line in lines if len(line) > 1), strict=True)
    widths = [max(map(cell_width, column)) for column in columns]

    def cell(text: str, at: int) -> str:
        space = " " * (widths[at] - cell_width(text))
        return space + text if at in right else text + space

    return [
        _GAP.join(cell(text, at) for at, text in enumerate(line)).rstrip() if len(line) > 1 else line[0]
        for line in lines
    ]


def _group(table: Table) -> Iterator[str]:
    """What rows begin with is written above them, on a line of its own."""
    short = [
        (_GAP + first.removeprefix(group), *rest)
        for group, (first, *rest) in zip(table.groups, table.rows, strict=True)
    ]
    header, *lines = _pad([table.header, *short], table.right)
    yield header
    before = None
    for group, line in zip(table.groups, lines, strict=True):
        if group != before:
            yield group
        yield line
        before = group


def _continue(line: str, indent: int, width: int) -> list[str]:
    first, *rest = wrap_prose(line[indent:], width - indent) or [""]
    return [(line[:indent] + first).rstrip(), *(" " * indent + part for part in rest)]


def _flow(table: Table, width: int) -> Iterator[str]:
    """The first column, and beside it the other cells that hold something, with their names; the second if a number.

    What is too long for the first column, and is one word, has lines of its own.
    """
    words = [word for row in table.rows if len(row) > 1 for word in row[0].split()]
    room = min(max(width // 3, *map(cell_width, words), 0), 2 * width // 3)
    firsts = [_wrap(row[0], room) for row in table.rows]
    beside = [line for row, lines in zip(table.rows, firsts, strict=True) if len(row) > 1 for line in lines]
    indent = max((wide for line in beside if (wide := cell_width(line)) <= room), default=0) + len(_GAP)
    names = ["" if at == 1 and at not in table.right else name for at, name in enumerate(table.header)]
    for row, first in zip(table.rows, firsts, strict=True):
        if len(row) == 1:
            yield from wrap_prose(row[0], width)
            continue
        cells = zip(names[1:], map(str.strip, row[1:]), strict=True)
        named = [f"{name}: {cell}" if name and not table.headless else cell for name, cell in cells if cell]
        parts = chain(*(_wrap(cell, width - indent) for cell in named))
        alone = max((at for at, left in enumerate(first, 1) if cell_width(left) > room), default=0)
        lines = [""] * alone + list(fill_lines([*parts] or [""], width - indent, _GAP, 0, hanging=0))
        for left, line in zip_longest(first, lines, fillvalue=""):
            yield (left + " " * (indent - cell_width(left)) + line).rstrip()
