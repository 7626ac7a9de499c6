"""Tables of texts: which rows and columns of a value are shown, and the sentence about the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from walkthrough.explaining.shown import Shown
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.recording.values import Value
from walkthrough.views.text.cells import cell_text

EDGE_FIRST, EDGE_LAST = 8, 4
"""A longer side of a table shows this many at its beginning and at its end, and says how many it hides."""
_MOST_SHOWN = 24
_GAP = "…"
"""Stands for rows or columns that are left out."""
Some = Sequence[int | None]
"""Rows or columns that are shown; None is the gap between them."""


class Grid(NamedTuple):
    """A table of texts. `shades` are the numbers of a heat map, or None; `hidden` says what is left out."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    shades: tuple[tuple[float, ...], ...] | None = None
    hidden: str = ""

    def bands(self, most: int) -> list[Grid]:
        """The table in bands of at most `most` columns; 0: itself."""
        spans = [
            slice(run.start, run.stop) for run in runs_that_fit([1] * len(self.columns), most or len(self.columns))
        ]
        return [
            self._replace(
                columns=self.columns[span],
                cells=tuple(line[span] for line in self.cells),
                shades=self.shades and tuple(line[span] for line in self.shades),
            )
            for span in spans
        ]


def runs_that_fit(widths: Sequence[float], room: float) -> Iterator[range]:
    """Runs of columns of these widths that fit side by side; a run has one at least."""
    start, used = 0, 0.0
    for at, width in enumerate(widths):
        if at > start and used + width > room:
            yield range(start, at)
            start, used = at, 0.0
        used += width
    yield range(start, len(widths))


def changed_rows(value: Value) -> list[int]:
    """The rows that the same step of the pass before does not have, or has otherwise; all, in a first pass.

    A row that has only grown longer, because the sequence has, counts as unchanged.
    """
    rows = list(range(value.shape[0]))
    before = value.before
    if before is None:
        return rows
    width = min(value.shape[1], before.shape[1])
    common = min(value.shape[0], before.shape[0])
    same = [
        np.array_equal(value.array[row, :width], before.array[row, :width], equal_nan=True) for row in range(common)
    ]
    return [row for row in rows if row >= common or not same[row]]


def grid_of(
    shown: Shown,
    rows: Sequence[int],
    full: bool,
    unchanged: int = 0,
    heat: bool = False,
    words: Catalogue = ENGLISH,
) -> Grid:
    """The table of some rows of a value; long sides are shortened unless it is wanted `full`.

    unchanged: how many rows were left out before, because they are as in the pass before
    heat:      numbers that are no shares of a whole have shades too: how large they are among the largest, −1 to 1
    """
    value, columns = shown.value, range(shown.value.shape[1])
    shown_rows, shown_columns = (rows, columns) if full else (_few(value, rows), _edges(columns))
    hidden = [
        words.pluralize(name, more)
        for whole, some, name in ((rows, shown_rows, "rows"), (columns, shown_columns, "columns"))
        if (more := len(whole) - sum(at is not None for at in some))
    ]
    hidden += [words.pluralize("unchanged", unchanged)] if unchanged else []
    return Grid(
        tuple(_GAP if i is None else value.rows[i] for i in shown_rows),
        tuple(_GAP if j is None else value.columns[j] for j in shown_columns),
        tuple(
            tuple(_GAP if i is None or j is None else cell_text(shown, i, j, words) for j in shown_columns)
            for i in shown_rows
        ),
        _shades(value, shown_rows, shown_columns, heat),
        words("not_shown", hidden=f" {words('and')} ".join(hidden)) if hidden else "",
    )


def _shades(value: Value, rows: Some, columns: Some, heat: bool) -> tuple[tuple[float, ...], ...] | None:
    """What shades the cells, if anything does; what is left out has none."""
    largest = 1.0
    if not value.kind.is_distribution:
        if not heat or value.holds_ids or value.array.size == 1:
            return None
        largest = value.largest or 1.0
    return tuple(
        tuple(0.0 if i is None or j is None else float(value.array[i, j]) / largest for j in columns) for i in rows
    )


def _few(value: Value, rows: Sequence[int]) -> Some:
    """The rows that are shown of a long table: its ends, or of a series the first, every n-th, and the last."""
    if not value.kind.series or len(rows) <= _MOST_SHOWN:
        return _edges(rows)
    every = next(size for size in round_numbers() if size * 12 >= len(rows))
    return sorted({rows[0], *rows[every - 1 :: every], rows[-1]})


def round_numbers() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, …"""
    return (factor * 10**power for power in count() for factor in (1, 2, 5))


def _edges(items: Sequence[int]) -> Some:
    if len(items) <= _MOST_SHOWN:
        return items
    return [*items[:EDGE_FIRST], None, *items[-EDGE_LAST:]]
