"""Tables on paper: a table stands in a column, or across both; one that is wider still breaks into bands of columns.

The bands are drawn by style alone: on the screen, and for whoever reads the page, a table stays one table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from walkthrough.views.text.widths import text_width
from walkthrough.views.text.wrapping import cell_width

COLUMN, PAGE = 253.0, 522.0
"""The width of a column and of both, on A4."""
NARROWEST = 96.0
"""What a given matrix takes beside the step that uses it, at least."""
_HIGH = 690.0
"""The height that a page leaves for a table below its heading and its formula."""
_TYPE, _CHARACTER, _PADDING, _ROW = 8.0, 4.9, 7.4, 12.4
"""The size that tables are printed in, in points; of a digit in it; around the text of a cell; of a row."""
_SMALLER = 7 / 8
"""The smallest type."""
LONGEST_LABEL = 12
"""A longer label of a column breaks into lines; of a row, one that is three times as long."""


class PrintBands(NamedTuple):
    """How a table is printed.

    columns: in a band, or 0 where it is whole; bands: how many there are
    place:   words for the style: in `small` type; across the `page`; so `long` that it goes on overleaf; with labels of
             columns `turned` downwards
    width:   about, in points
    """

    columns: int
    bands: int
    rows: int
    place: str = ""
    width: float = PAGE

    @property
    def table(self) -> str:
        """Attributes of the table."""
        return f' class="wide b{self.columns}" style="--n:{self.rows}"' if self.columns else ""

    @property
    def section(self) -> str:
        """Attributes of what is around the table."""
        return f' data-paper="{self.place}"' if self.place else ""

    def row(self, at: int, label: str) -> str:
        """Attributes of a row, counted from 0: its place, and its label for the further bands."""
        return f' style="{escape(f"--i:{at};--l:{css_string(label)}")}"' if self.columns else ""


def print_bands(
    rows: Sequence[str], columns: Sequence[str], texts: Sequence[Sequence[str]], column: float = COLUMN
) -> PrintBands:
    """How a table of these labels and texts is printed; column: the width of a column."""
    labels = [min(_points(label), LONGEST_LABEL * _CHARACTER) for label in columns]
    upright = _arrange(rows, labels, texts, column)
    if not upright.columns:
        return upright
    turned = _arrange(rows, [_ROW] * len(columns), texts, column, max(map(_points, columns)))
    return turned._replace(place=f"{turned.place} turned") if turned.bands < upright.bands else upright


def _arrange(
    rows: Sequence[str], labels: Sequence[float], texts: Sequence[Sequence[str]], column: float, head: float = _ROW
) -> PrintBands:
    """How a table is printed whose labels of columns have these widths, and a height."""
    cells = [max(_points(max(below, key=len)), label) + _PADDING for label, *below in zip(labels, *texts, strict=True)]
    label = min(max(map(_points, rows)), 3 * LONGEST_LABEL * _CHARACTER) + _PADDING
    wide, high = label + sum(cells), head + len(rows) * _ROW
    places = [(room, size) for room in (column, PAGE) for size in (1.0, _SMALLER)]
    fitting = [one for one in places if wide * one[1] <= one[0]]
    room, size = next((one for one in fitting if high * one[1] <= _HIGH), (fitting or places[-1:])[0])
    bands = 1 if fitting else -(-len(labels) // max(int((PAGE / size - label) / max(cells)), 1))
    in_band = 0 if fitting else -(-len(labels) // bands)  # all about as wide: no column is alone
    words = ("small" * (size < 1), "page" * (room > column), "long" * (bands > 1 or high * size > _HIGH))
    return PrintBands(in_band, bands, len(rows), " ".join(filter(None, words)), PAGE if in_band else wide * size)


def _points(text: str) -> float:
    """How wide a text may be printed; a digit is wider than most letters, and an @ is wider still."""
    return max(cell_width(text) * _CHARACTER, text_width(text) * _TYPE)


def paper_style(title: str, bands: Iterable[PrintBands]) -> str:
    """The style of a page on paper: its title above each sheet, and the bands of its tables.

    A cell's place follows from which child of its row it is.
    """
    most: dict[int, int] = {}
    for one in bands:
        if one.columns:
            most[one.columns] = max(most.get(one.columns, 0), one.bands)
    lines = []
    for size, count in sorted(most.items()):
        cell = f".b{size} tr>:nth-child"
        lines.append(f".b{size}{{grid-template-columns:repeat({size + 1},max-content)}}")
        lines += [f"{cell}({size}n+{at + 1}){{grid-column:{at + 1}}}" for at in range(1, size + 1)]
        lines += [f"{cell}(n+{at * size + 2}){{--b:{at}}}" for at in range(1, count)]
        lines.append(f".b{size} tbody {cell[len(f'.b{size} ') :]}({size}n+{size + 2})::before{{content:var(--l)}}")
    head = f"@page{{@top-left{{content:{css_string(title)}}}}}"
    return head + (f"@media print{{{''.join(lines)}}}" if lines else "")


def css_string(text: str) -> str:
    """A text as a string in a style sheet."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'
