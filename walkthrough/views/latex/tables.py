"""Tables in LaTeX: as many columns side by side as fit on the page, and not more rows than it has lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from walkthrough.text import escape_label
from walkthrough.views.latex.tex import guard, tex, typewriter
from walkthrough.views.report.blocks import Code, Table
from walkthrough.views.report.grid import Grid, runs_that_fit
from walkthrough.views.text.widths import text_width

_ROOM, _GAP = 470.0, 8.0
"""The width of the page and the space around a column, in points."""
_TYPE, _LETTER = 10.0, 0.65
"""The size of type that texts are measured in, in points: a minus sign of mathematics is wider than one of a text; and
the width of a letter by it."""
_MOST_ROWS = 40
_WIDEST_LABEL = 24
"""A longer label is broken into lines."""
_NUMBER = re.compile(r"(−?)([0-9.,]+)(?:e([+−])([0-9]+))?")


def matrix(grid: Grid) -> Iterator[str]:
    """The tables of a matrix, a band of columns each."""
    labels = [escape_label(label) for label in grid.rows]
    columns = [escape_label(label) for label in grid.columns]
    first = max(map(_width, labels), default=0.0) + _GAP
    widths = [max(_width(label), *(_width(line[at]) for line in grid.cells)) + _GAP for at, label in enumerate(columns)]
    for span in runs_that_fit(widths, _ROOM - first):
        for start in range(0, len(labels), _MOST_ROWS):
            rows = range(start, min(start + _MOST_ROWS, len(labels)))
            header = ["", *(_label(columns[at]) for at in span)]
            lines = [
                [rf"\textbf{{{_label(labels[row])}}}", *(cell(grid.cells[row][at]) for at in span)] for row in rows
            ]
            yield _small(f"l{'r' * len(span)}", header, lines)


def table(block: Table) -> Iterator[str]:
    """A table of texts."""
    shown = [[_text(one) for one in row] for row in block.rows]
    count = len(block.header)
    rows = [row if len(row) == count else [rf"\multicolumn{{{count}}}{{@{{}}l}}{{{row[0]}}}"] for row in shown]
    widths = [max(_width(row[at]) for row in (block.header, *block.rows) if len(row) == count) for at in range(count)]
    columns = ["r" if at in block.right else "l" for at in range(count)]
    while sum(widths) + count * _GAP > _ROOM:
        at = max(range(count), key=widths.__getitem__)
        rest = _ROOM - count * _GAP - sum(widths) + widths[at]
        widths[at] = max(rest, 60.0) if rest < widths[at] else widths[at]
        columns[at] = rf"p{{{widths[at]:.0f}pt}}"
        if rest < 60.0:
            break
    for start in range(0, len(rows), _MOST_ROWS):
        yield _small("".join(columns), list(map(tex, block.header)), rows[start : start + _MOST_ROWS])


def _text(text: str) -> str:
    return typewriter(text) if isinstance(text, Code) else tex(text)


def _small(columns: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"{{\\small{tabular(columns, header, rows)}\\par}}"


def tabular(columns: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table with the lines of booktabs."""
    lines = "\n".join(f"{guard(' & '.join(row))} \\\\" for row in rows)
    head = f"{' & '.join(header)} \\\\"
    return (
        f"\\begin{{tabular}}{{@{{}}{columns}@{{}}}}\n\\toprule\n{head}\n\\midrule\n{lines}\n"
        "\\bottomrule\n\\end{tabular}"
    )


def cell(text: str) -> str:
    """A number as mathematics, digit by digit as it is; a word as text."""
    if text in ("−∞", "∞"):
        return r"$-\infty$" if text.startswith("−") else r"$\infty$"
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _label(text)
    sign, digits, exponent_sign, exponent = (part and part.replace("−", "-") for part in match.groups())
    digits = digits.replace(",", "{,}")
    power = rf"\mathrm{{e}}{{{exponent_sign}}}{exponent}" if exponent else ""
    return f"${sign}{digits}{power}$" if sign or power else digits


def _label(label: str) -> str:
    """A label; a long one in several lines."""
    shown = escape_label(label)
    if len(shown) <= _WIDEST_LABEL:
        return tex(shown)
    pieces = [shown[at : at + _WIDEST_LABEL] for at in range(0, len(shown), _WIDEST_LABEL)]
    lines = " \\\\ ".join(
        tex(piece).removeprefix("[").replace("[", "{[}") if at else tex(piece) for at, piece in enumerate(pieces)
    )
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{lines}\end{{tabular}}"


def _width(text: str) -> float:
    """About how wide a text is in points; a longer label is broken into lines."""
    return _TYPE * min(text_width(text), _WIDEST_LABEL * _LETTER)
