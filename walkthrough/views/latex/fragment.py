"""Steps as LaTeX to \\input: an equation each, of a table where words are its columns; no preamble, number or path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.explaining.formulas import formula_latex
from walkthrough.explaining.shown import Shown
from walkthrough.expressions.notations.latex import latex_symbol
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.text import escape_label
from walkthrough.views.latex.tables import cell, tabular
from walkthrough.views.latex.tex import formula, tex
from walkthrough.views.options import Options
from walkthrough.views.report.document import rows_to_show, select_rows
from walkthrough.views.report.grid import Grid, grid_of

_MOST_COLUMNS = 10
"""Of a matrix of amsmath, unless it is told otherwise."""
_OWN_COMMANDS = {r"\\(cyrillic|rightleft)(?=\{)": "", r"\\textquotedbl\{\}": "''", r"\\quotedblbase\{\}": ",,"}
"""What our own preamble defines or loads: expression → what does without it."""


def fragment(trace: Trace, options: Options) -> str:
    """The chosen steps, one after the other: for a document that loads amsmath and booktabs."""
    text = "\n\n".join(_steps(trace, options)) + "\n"
    for command, simple in _OWN_COMMANDS.items():
        text = re.sub(command, simple, text)
    return text


def _steps(trace: Trace, options: Options) -> Iterator[str]:
    words = catalogue(trace.language)
    for value, rows, unchanged in rows_to_show(select_rows(trace, options), options):
        shown = Shown.of(value, trace, options.decimals)
        grid = grid_of(shown, rows, options.full, unchanged, words=words)
        symbol = formula(formula_latex(value, words) or latex_symbol(value.kind.symbol))
        hidden = f"% {escape_label(grid.hidden)}\n" if grid.hidden else ""
        numbers = f"\\; {_table(grid)}" if _has_words(grid) else _matrix(grid)
        yield f"{hidden}\\[\n{symbol} = {numbers}\n\\]"


def _has_words(grid: Grid) -> bool:
    """Whether the columns are called by words; numbers count them."""
    return not all(label.isdigit() or label == "…" for label in grid.columns)


def _table(grid: Grid) -> str:
    header = ["", *(tex(escape_label(label)) for label in grid.columns)]
    labels = (tex(escape_label(label)) for label in grid.rows)
    lines = [[label, *map(cell, line)] for label, line in zip(labels, grid.cells, strict=True)]
    return tabular(f"l{'r' * len(grid.columns)}", header, lines)


def _matrix(grid: Grid) -> str:
    """A matrix in brackets; a single number without them."""
    lines = [" & ".join(map(_entry, line)) for line in grid.cells]
    if len(lines) == len(grid.columns) == 1:
        return lines[0]
    wide = f"\\setcounter{{MaxMatrixCols}}{{{len(grid.columns)}}}\n" if len(grid.columns) > _MOST_COLUMNS else ""
    body = " \\\\\n".join(lines)
    return f"{wide}\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"


def _entry(text: str) -> str:
    """A number or a word in mathematics."""
    written = cell(text)
    if written.startswith("$"):
        return written.strip("$")
    return written if re.fullmatch(r"[0-9.{},]+|\\ldots\{\}", written) else rf"\text{{{written}}}"
