"""Plain tables of texts for a terminal: columns padded to equal width, or what is left of that where it is narrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.views.report.blocks import Table
from walkthrough.views.text.wrapping import cell_width, fill_lines, wrap_prose

_GAP = "  "
_NARROWEST = 20
"""A last column with less room than this is not continued below itself."""


def lay_out(table: Table, width: int) -> list[str]:
    """The lines of a table.

    One that is too wide says the beginning of its rows once for several of them, or continues its last column below
    itself, or has the cells of a row one after the other.
    """
    header = [] if table.headless else [table.header]
    lines = _pad([*header, *table.rows], table.right)
    if table.whole or max(map(cell_width, lines), default=0) <= width:
        return lines
    if table.groups:
        return list(_group(table))
    indent = max(map(cell_width, _pad([row[:-1] for row in (*header, *table.rows)], table.right))) + len(_GAP)
    if width - indent >= _NARROWEST:
        return [part for line in lines for part in _continue(line, indent, width)]
    return list(_flow(table, width))


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
    """The first column, and beside it the other cells that hold something, with their names; the second if a number."""
    firsts = _pad([(row[0], "") for row in table.rows])
    indent = max(map(cell_width, firsts)) + len(_GAP)
    names = ["" if at == 1 and at not in table.right else name for at, name in enumerate(table.header)]
    for row in table.rows:
        named = [f"{name}: {cell}" if name else cell for name, cell in zip(names[1:], row[1:], strict=True) if cell]
        lines = fill_lines(named, width, _GAP, indent, hanging=0)
        yield from (row[0] + line[cell_width(row[0]) :] if not at else line for at, line in enumerate(lines))
