"""Lays a table out for a terminal: equal columns with aligned points, in bands that fit; no digit is ever cut."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.cells import set_cell_size

from walkthrough.records import Record
from walkthrough.text import escape_label
from walkthrough.views.report.grid import Grid, runs_that_fit
from walkthrough.views.text.wrapping import cell_width

LONGEST_LABEL = 24
_GAP = 2


class Band(Record):
    """Some columns of a table: a header line, and a line for each row; each begins with its label.

    title:  which columns they are, where they are not all
    shades: the numbers that shade the cells of each line, where any do
    """

    title: str
    header: tuple[str, ...]
    lines: tuple[tuple[str, ...], ...]
    shades: tuple[tuple[float, ...], ...] | None = None


def bands(grid: Grid, width: int, ellipsis: str = "…") -> list[Band]:
    """The table in bands of as many columns as fit into `width`, but at least one; `ellipsis`: where a label is cut."""
    names = _labels(grid.columns, ellipsis)
    labels = _flush(["", *_labels(grid.rows, ellipsis)], 0)
    columns = [_flush([name, *align_points([line[at] for line in grid.cells])], _GAP) for at, name in enumerate(names)]

    def band(span: slice) -> Band:
        title = "" if len(names[span]) == len(names) else _title(names[span], ellipsis)
        header, *lines = zip(labels, *columns[span], strict=True)
        return Band(title, header, tuple(lines), grid.shades and tuple(line[span] for line in grid.shades))

    widths = [cell_width(column[0]) for column in columns]
    return [band(slice(run.start, run.stop)) for run in runs_that_fit(widths, width - cell_width(labels[0]))]


def _flush(texts: list[str], gap: int) -> list[str]:
    """Texts of one column, flush right, after a gap."""
    widths = [cell_width(text) for text in texts]
    most = max(widths) + gap
    return [" " * (most - width) + text for width, text in zip(widths, texts, strict=True)]


def _title(names: list[str], ellipsis: str) -> str:
    """`columns 1 to 8`; the gap where columns are left out does not count."""
    first, *others = [name for name in names if name != ellipsis] or names
    return f"columns {first} to {others[-1]}" if others else f"column {first}"


def align_points(texts: list[str]) -> list[str]:
    """Texts padded on the right so that their decimal points are aligned; words stay as they are."""
    behind = [len(text) - _point(text) if _is_number(text) else 0 for text in texts]
    most = max(behind, default=0)
    return [
        text + " " * (most - after) if _is_number(text) else text for text, after in zip(texts, behind, strict=True)
    ]


def _point(text: str) -> int:
    """Where the digits before the point end."""
    return len(text.partition("e")[0].replace(",", ".").partition(".")[0])


def _is_number(text: str) -> bool:
    return not text.strip("−0123456789.,e+") and text.strip("−.,e+") != ""


def _labels(texts: Sequence[str], ellipsis: str) -> list[str]:
    """Labels that fit: long ones are cut at the end, or at the beginning where they would look like another."""
    whole = [escape_label(text) for text in texts]
    cut = [_cut(text, ellipsis) for text in whole]
    looks = Counter(dict(zip(whole, cut, strict=True)).values())
    return [_cut_front(text, ellipsis) if looks[short] > 1 else short for text, short in zip(whole, cut, strict=True)]


def _cut(text: str, ellipsis: str) -> str:
    if cell_width(text) <= LONGEST_LABEL:
        return text
    return set_cell_size(text, LONGEST_LABEL - cell_width(ellipsis)).rstrip() + ellipsis


def _cut_front(text: str, ellipsis: str) -> str:
    text = text[-LONGEST_LABEL:]
    while cell_width(ellipsis + text) > LONGEST_LABEL:
        text = text[1:]
    return ellipsis + text
