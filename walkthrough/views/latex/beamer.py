"""Slides in LaTeX: a frame for each step, the rows of a computed matrix uncovered one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from walkthrough.recording.trace import Trace
from walkthrough.text import escape_label
from walkthrough.views.latex.description import prose
from walkthrough.views.latex.document import remark as remark
from walkthrough.views.latex.preamble import BEAMER, preamble
from walkthrough.views.latex.tables import cell
from walkthrough.views.latex.tex import formula, guard, tex, title, unknown_characters
from walkthrough.views.latex.tikz import tikz
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import Figure, Formula, Heading, Matrix, Paragraph, PartHeading, Report
from walkthrough.views.report.grid import Grid
from walkthrough.views.report.trace.document import report
from walkthrough.views.selection import check_size
from walkthrough.views.text.widths import text_width

_ROOM, _PICTURE = (390.0, 150.0), (390.0, 185.0)
"""Width and height that a frame leaves for a table or a picture, in points."""
_LARGEST, _SMALLEST, _LARGEST_FORMULA = 14.0, 5.0, 45
"""The size of type in tables; and the signs of a formula at the size of the text."""
_LINE, _GAP = 1.3, 0.9
"""The height of a row, and the space between columns, by the size of the type."""
_MOST_PROSE = 500


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the slides, as UTF-8."""
    check_size(trace.select(*options.steps), "slides")
    said = report(trace, options._replace(work="none", operands=False, full=True, reasons=True))
    body = "\n\n".join([_title_frame(said), *_frames(said)])
    start = preamble(body, unknown_characters(body), BEAMER)
    out.write(f"{start}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n".encode())


def _title_frame(said: Report) -> str:
    """The title, and the first paragraph of what the scenario says of itself."""
    first = next((text for one in said.about[:1] if not one.lead for text in prose(one.markdown)), "")
    size = r"\small" if len(first) <= _MOST_PROSE else r"\scriptsize"
    return _frame("", (), f"{{\\Large\\bfseries {tex(said.title)}\\par}}\\bigskip\n{{{size} {first}\\par}}")


def _frames(said: Report) -> Iterator[str]:
    """Each step by itself, then what there is to say of it, as a note; a picture has a frame of its own."""
    parts: tuple[str, ...] = ()
    name, latex = tex(said.title), ""
    notes: list[str] = []
    for block in said.blocks():
        match block:
            case PartHeading():
                parts = block.titles
            case Heading():
                notes = []
                name = f"{block.number}. {title(block.text)}" if block.number else title(block.text)
            case Formula():
                latex = block.latex()
            case Paragraph():
                notes.append(tex(block.text))
            case Matrix():
                bands = list(_bands(block.grid))
                for at, band in enumerate(bands):
                    again = f" ({at + 1}/{len(bands)})" if len(bands) > 1 else ""
                    yield _frame(name + again, parts, f"{_formula(latex)}{_table(band, is_covered=bool(latex))}")
                yield from [f"\\note{{{' '.join(notes)}}}"] if notes else []
            case Figure():
                yield _frame(name, parts, tikz(block.illustration.draws(_PICTURE), _PICTURE))


def _frame(name: str, parts: tuple[str, ...], content: str) -> str:
    head = (rf"\frametitle{{{name}}}" if name else "") + (
        rf"\framesubtitle{{{tex(' · '.join(parts))}}}" if parts else ""
    )
    return f"\\begin{{frame}}{head}\n\\centering\n{content}\n\\end{{frame}}"


def _formula(latex: str) -> str:
    """The formula of a computed step, in small type where it is long."""
    if not latex:
        return ""
    written = formula(latex)
    size = r"\large" if len(latex) <= _LARGEST_FORMULA else r"\scriptsize"
    return f"{{{size} $\\displaystyle {written}$\\par}}\\medskip\n"


def _bands(grid: Grid) -> Iterator[Grid]:
    """A table in pieces that a frame can hold with the smallest type; most are one."""
    most = int(_ROOM[1] / (_LINE * _SMALLEST)) - 1
    for start in range(0, len(grid.rows), most):
        rows = slice(start, start + most)
        piece = grid._replace(rows=grid.rows[rows], cells=grid.cells[rows], shades=None)
        widest = max(_widths(piece)[1:], default=1.0) + _GAP
        yield from piece.bands(max(1, int((_ROOM[0] / _SMALLEST - _widths(piece)[0]) / widest)))


def _widths(grid: Grid) -> list[float]:
    """Of the labels and of each column, by the size of the type."""
    columns = zip(grid.columns, *grid.cells, strict=True)
    return [max(map(_width, texts), default=0.0) for texts in (grid.rows, *columns)]


def _width(text: str) -> float:
    return text_width(escape_label(text))


def _table(grid: Grid, is_covered: bool) -> str:
    """The table, as large as fits; its rows come one by one where they are covered."""
    widths = _widths(grid)
    size = min(_LARGEST, _ROOM[0] / (sum(widths) + _GAP * len(widths)), _ROOM[1] / (_LINE * (len(grid.rows) + 1)))
    pause = r"\pause " if is_covered else ""
    head = " & ".join(["", *(tex(escape_label(label)) for label in grid.columns)])
    rows = (
        [rf"\textbf{{{tex(escape_label(label))}}}", *map(cell, line)]
        for label, line in zip(grid.rows, grid.cells, strict=True)
    )
    lines = "\n".join(f"{pause}{guard(' & '.join(row))} \\\\" for row in rows)
    type_ = rf"\fontsize{{{size:.1f}}}{{{_LINE * size:.1f}}}\selectfont"
    return (
        f"{{{type_}\\setlength{{\\tabcolsep}}{{{_GAP * size / 2:.1f}pt}}%\n"
        f"\\begin{{tabular}}{{@{{}}l{'r' * len(grid.columns)}@{{}}}}\n{head} \\\\\n\\midrule\n{lines}\n"
        "\\end{tabular}\\par}"
    )
