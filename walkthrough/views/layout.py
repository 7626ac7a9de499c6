"""Lays a table out for a terminal: equal columns with aligned points, in bands that fit; no digit is ever cut."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len, set_cell_size

from walkthrough.records import Record
from walkthrough.text import printable
from walkthrough.views.grid import Grid

LONGEST_LABEL = 24
_GAP = 2


class Piece(NamedTuple):
    """A text of one line, with the number that shades it, or None."""

    text: str
    shade: float | None = None


class Band(Record):
    """Some columns of a table: a header line, and a line for each row; each begins with its label.

    title:  which columns they are, where they are not all
    """

    title: str
    header: tuple[Piece, ...]
    lines: tuple[tuple[Piece, ...], ...]


def bands(grid: Grid, width: int, ellipsis: str = "…") -> list[Band]:
    """The table in bands of as many columns as fit into `width`, but at least one; `ellipsis` ends a cut label."""
    labels = [_label(row, ellipsis) for row in grid.rows]
    names = [_label(column, ellipsis) for column in grid.columns]
    label_width = max(map(cell_len, labels), default=0)
    texts = [_aligned([line[j] for line in grid.cells]) for j in range(len(grid.columns))]
    widths = [max(cell_len(name), *map(cell_len, column)) for name, column in zip(names, texts, strict=True)]

    def band(span: range) -> Band:
        title = "" if len(span) == len(names) else _title(names[span.start : span.stop], ellipsis)
        header = (Piece(" " * label_width), *(Piece(_right(names[j], widths[j] + _GAP)) for j in span))
        lines = tuple(
            (Piece(_right(label, label_width)), *(_cell(grid, i, j, texts[j][i], widths[j]) for j in span))
            for i, label in enumerate(labels)
        )
        return Band(title, header, lines)

    return [band(span) for span in _spans(widths, width - label_width)]


def _title(names: list[str], ellipsis: str) -> str:
    """`columns 1 to 8`; the gap where columns are left out does not count."""
    first, *others = [name for name in names if name != ellipsis] or names
    return f"columns {first} to {others[-1]}" if others else f"column {first}"


def _cell(grid: Grid, i: int, j: int, text: str, width: int) -> Piece:
    return Piece(_right(text, width + _GAP), grid.shades[i][j] if grid.shades else None)


def _spans(widths: list[int], room: int) -> list[range]:
    """Runs of columns that fit side by side."""
    spans, start, used = [], 0, 0
    for at, width in enumerate(widths):
        if at > start and used + width + _GAP > room:
            spans.append(range(start, at))
            start, used = at, 0
        used += width + _GAP
    return [*spans, range(start, len(widths))]


def _aligned(texts: list[str]) -> list[str]:
    """Texts padded on the right so that their decimal points stand under each other; words stay as they are."""
    behind = [len(text) - _point(text) if _is_number(text) else 0 for text in texts]
    most = max(behind, default=0)
    return [
        text + " " * (most - after) if _is_number(text) else text for text, after in zip(texts, behind, strict=True)
    ]


def _point(text: str) -> int:
    """Where the digits before the point end."""
    at = next((at for at, character in enumerate(text) if character in ".e"), -1)
    return len(text) if at < 0 else at


def _is_number(text: str) -> bool:
    return any(character.isdigit() for character in text) and not text.strip("-0123456789.e+")


def _label(text: str, ellipsis: str) -> str:
    shown = printable(text)
    if cell_len(shown) <= LONGEST_LABEL:
        return shown
    return set_cell_size(shown, LONGEST_LABEL - cell_len(ellipsis)).rstrip() + ellipsis


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
