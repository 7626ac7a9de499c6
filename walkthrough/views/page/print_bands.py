"""Wide tables on paper: in print a table breaks into bands of columns that fit on A4, each under its own labels.

The bands are drawn by style alone: on the screen, and for whoever reads the page, a table stays one table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

_WIDTH, _CHARACTER, _PADDING = 500.0, 4.8, 7.0
"""The room between the margins of A4, a digit at the size that tables are printed in, and what a cell has around its
text; in points."""
LONGEST_LABEL = 12
"""A longer label of a column breaks into lines; of a row, one that is three times as long."""


class PrintBands(NamedTuple):
    """How a table breaks; columns: in a band, or 0 where it fits as it is."""

    columns: int
    bands: int
    rows: int

    @property
    def table(self) -> str:
        """Attributes of the table."""
        return f' class="wide b{self.columns}" style="--n:{self.rows}"' if self.columns else ""

    def row(self, at: int, label: str) -> str:
        """Attributes of a row, counted from 0: its place, and its label for the further bands."""
        return f' style="{escape(f"--i:{at};--l:{_css_string(label)}")}"' if self.columns else ""


def print_bands(rows: Sequence[str], columns: Sequence[str], texts: Sequence[Sequence[str]]) -> PrintBands:
    """How a table of these labels and texts breaks."""
    longest = max((len(text) for line in texts for text in line), default=1)
    cell = max(longest, *(min(width(label), LONGEST_LABEL) for label in columns), 1) * _CHARACTER + _PADDING
    label = min(max(map(width, rows), default=1), 3 * LONGEST_LABEL) * _CHARACTER + _PADDING
    fitting = max(int((_WIDTH - label) / cell), 1)
    if len(columns) <= fitting:
        return PrintBands(0, 1, len(rows))
    return PrintBands(fitting, -(-len(columns) // fitting), len(rows))


def width(text: str) -> int:
    """How many digits wide a text is."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def rules(bands: Iterable[PrintBands]) -> str:
    """The style that the bands of a page need; a cell's place follows from which child of its row it is."""
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
    return f"@media print{{{''.join(lines)}}}" if lines else ""


def _css_string(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
