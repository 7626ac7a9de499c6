"""HTML for an output of a notebook: all style is in the elements, and there is no script, so that nothing is lost
where a notebook is not trusted, on GitHub, or in a file made of it. Text takes the colours of the notebook's theme.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import assert_never

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label, escape_text
from walkthrough.views.options import Options
from walkthrough.views.report import blocks, document
from walkthrough.views.report.grid import Grid
from walkthrough.views.report.head import about
from walkthrough.views.report.outline import outline
from walkthrough.views.text.colours import colours
from walkthrough.views.text.html import html_of, isolate_labels, span_html

MOST_TABLES = 1000
"""Of a trace of more steps, a notebook shows the map."""
_OUTERMOST, _DEEPEST_PART = 3, 3
"""Headings of a notebook's own are larger; three levels of parts and one of steps remain."""
_NUMBER, _LABEL = "text-align:right;white-space:nowrap;padding:1px 8px", "text-align:right;font-weight:bold"


def trace_html(trace: Trace) -> str:
    """All steps of a trace; of a very long one its map."""
    if len(trace) <= MOST_TABLES:
        return text([document.report(trace, Options(heat=True))])
    words = catalogue(trace.language)
    how = blocks.Paragraph(words("notebook_many", count=words.whole(len(trace))))
    return text([blocks.Report(trace.title, lambda: [outline(trace), how], about=about(trace, words)[:1])])


def values_html(values: Iterable[Value]) -> str:
    """Some values by themselves."""
    return _frame(part for value in values for block in document.section(value, heat=True) for part in _html(block))


def text(reports: Sequence[blocks.Report]) -> str:
    """The reports, one after the other."""
    return _frame(part for report in reports for part in _report(report))


def _frame(parts: Iterable[str]) -> str:
    return f"<div>\n{''.join(f'{part}{chr(10)}' for part in parts)}</div>"


def _report(report: blocks.Report) -> Iterator[str]:
    yield f"<h{_OUTERMOST - 1}>{_safe(report.title)}</h{_OUTERMOST - 1}>"
    for block in report.body():
        yield from _html(block)


def _html(block: blocks.Block) -> Iterator[str]:
    match block:
        case blocks.PartHeading():
            for depth, title in block.headings(_DEEPEST_PART):
                yield _heading(depth, title)
        case blocks.Heading():
            yield _heading(min(block.depth, _DEEPEST_PART) + 1, block.numbered)
        case blocks.Formula():
            yield _formula(block)
        case blocks.Description():
            yield _without_math(
                f"<p>{_safe(block.lead)}: {span_html(block.markdown)}</p>" if block.lead else html_of(block.markdown)
            )
        case blocks.Paragraph() | blocks.Note():
            if block.text:
                yield f"<p>{_safe(block.text)}</p>"
        case blocks.Matrix():
            yield _matrix(block.grid)
            if block.grid.hidden:
                yield f"<p>… {_safe(block.grid.hidden)}.</p>"
        case blocks.WorkedLines():
            yield from (f"<p>{isolate_labels(_safe(str(line)))}</p>" for line in block.lines)
        case blocks.Items():
            label = f"<p><strong>{_safe(block.label)}:</strong> {_safe(block.subject)}</p>" if block.label else ""
            lines = "".join(f"<li>{isolate_labels(_safe(line))}</li>" for line in block.lines)
            yield label + (f"<ul>{lines}</ul>" if lines else "")
        case blocks.Table():
            yield _table(block.header, block.rows)
        case blocks.Tree():
            yield f"<ul>{_tree(block)}</ul>"
        case blocks.Figure():
            pass  # nobody asks for pictures here
        case _:
            assert_never(block)


def _heading(depth: int, title: str) -> str:
    level = min(_OUTERMOST - 1 + depth, 6)
    return f'<h{level} style="font-size:{max(1.5 - 0.1 * depth, 1.1):.1f}em">{_safe(title)}</h{level}>'


def _formula(block: blocks.Formula) -> str:
    """The formula, its shapes and its path."""
    beside = ", ".join(filter(None, (block.shapes, block.origin, block.sources)))
    path = f"<code>{_safe(block.path)}</code>" if block.path else ""
    return f"<p>{' — '.join(filter(None, (f'<strong>{_safe(block.text)}</strong>', _safe(beside), path)))}</p>"


def _matrix(grid: Grid) -> str:
    header = "".join(f'<th style="{_LABEL}">{_safe(escape_label(label))}</th>' for label in grid.columns)
    rows = (
        f'<tr><th style="{_LABEL}">{_safe(escape_label(label))}</th>{"".join(_cells(grid, at))}</tr>'
        for at, label in enumerate(grid.rows)
    )
    return f"<table><thead><tr><td></td>{header}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _cells(grid: Grid, row: int) -> Iterator[str]:
    for column, cell in enumerate(grid.cells[row]):
        style = _NUMBER
        shade = grid.shades[row][column] if grid.shades else 0.0
        if grid.shades and -1 <= shade <= 1 and cell != "…":
            background, foreground = colours(shade)
            style += f";background-color:{background};color:{foreground}"
        yield f'<td style="{style}">{_safe(escape_label(cell))}</td>'


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{_safe(cell)}</th>" for cell in header)
    body = "".join(
        f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>"
        if len(row) > 1
        else f'<tr><td colspan="{len(header)}">{_safe(row[0])}</td></tr>'
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _tree(tree: blocks.Tree) -> str:
    branches = f"<ul>{''.join(map(_tree, tree.branches))}</ul>" if tree.branches else ""
    return f"<li>{isolate_labels(_safe(tree.line))}{branches}</li>"


def _safe(text: str) -> str:
    """Text that is data: no markup, and nothing for a program that looks for formulas between signs."""
    return _without_math(escape(escape_text(text)))


def _without_math(html: str) -> str:
    """A formula begins and ends in one element; so each sign that could begin one has its own."""
    return re.sub(r"[$\\](?![^<]*>)", lambda found: f"<span>{found[0]}</span>", html)
