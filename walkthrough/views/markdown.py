"""A Markdown document, in the subset that GitHub, VS Code, Jupyter, MkDocs and Quarto show alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO, assert_never
from urllib.parse import quote

from walkthrough.explaining.formulas import formula_latex
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label, escape_text
from walkthrough.views.options import Options
from walkthrough.views.report import blocks
from walkthrough.views.report.document import report, section
from walkthrough.views.report.grid import Grid
from walkthrough.views.text.sanitize_markdown import sanitize_markdown

_DEEPEST_PART = 4
"""Markdown has six headings: one is the document's, one is left for the steps."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the document of a trace, as UTF-8."""
    out.write(render(trace, options).encode())


def render(trace: Trace, options: Options = Options()) -> str:  # noqa: B008
    """The document of a trace: title, description, a section for each step."""
    return text([report(trace, options._replace(reasons=True))])


def render_values(values: Iterable[Value]) -> str:
    """Some values by themselves, as a notebook shows them."""
    return _join(part for value in values for block in section(value) for part in paragraphs(block))


def text(reports: Sequence[blocks.Report]) -> str:
    """The reports, one after the other."""
    return "\n".join(_join(_document(report)) for report in reports)


def _join(parts: Iterable[str]) -> str:
    """The parts one after the other, an empty line between them."""
    return "\n\n".join(parts) + "\n"


def _document(report: blocks.Report) -> Iterator[str]:
    yield f"# {escape_markdown(report.title)}"
    for block in report.body():
        yield from paragraphs(block)


def paragraphs(block: blocks.Block) -> Iterator[str]:
    """A block as paragraphs."""
    match block:
        case blocks.Description():
            lead = f"{escape_markdown(block.lead)}: " if block.lead else ""
            yield lead + sanitize_markdown(block.markdown)
        case blocks.PartHeading():
            yield from (f"#{'#' * level} {escape_markdown(text)}" for level, text in block.headings(_DEEPEST_PART))
        case blocks.Heading():
            yield f"##{'#' * min(block.depth, _DEEPEST_PART)} {escape_markdown(block.numbered)}"
        case blocks.Formula():
            yield from _formula(block)
        case blocks.Paragraph() | blocks.Note():
            if block.text:
                yield escape_markdown(block.text)
        case blocks.Matrix():
            for band in block.grid.bands(block.columns):
                yield _matrix(band)
            if block.grid.hidden:
                yield f"… {block.grid.hidden}."
        case blocks.Figure():
            yield f"![{escape_markdown(block.title)}]({quote(f'{block.folder}/{block.name}.svg')})"
        case blocks.WorkedLines():
            yield from (escape_markdown(str(line)) for line in block.lines)
        case blocks.Items():
            if block.label:
                yield f"**{escape_markdown(block.label)}:** {escape_markdown(block.subject)}".rstrip()
            if block.lines:
                yield "\n".join(f"- {escape_markdown(line)}" for line in block.lines)
        case blocks.Table():
            rows = [[_text(cell) for cell in row] for row in block.rows]
            yield pipes(block.header, ["--:" if at in block.right else ":--" for at in range(len(block.header))], rows)
        case blocks.Tree():
            yield "\n".join(_nest(block, ""))
        case _:
            assert_never(block)


def _formula(block: blocks.Formula) -> Iterator[str]:
    if not block.path:
        yield escape_markdown(block.text)
        return
    yield f"`{block.path}` — {escape_markdown(block.beside)}"
    if latex := block.write(formula_latex):
        yield f"$$\n{latex.replace('~', BLANK)}\n$$"


def _matrix(grid: Grid) -> str:
    """A pipe table, numbers to the right."""
    rows = [[f"**{_label(label)}**", *map(_cell, line)] for label, line in zip(grid.rows, grid.cells, strict=True)]
    return pipes(["", *map(_label, grid.columns)], [":--", *("--:" for _ in grid.columns)], rows)


def pipes(header: Sequence[str], rule: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; rule: where each column is set flush."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def _nest(tree: blocks.Tree, indent: str) -> Iterator[str]:
    yield f"{indent}- {escape_markdown(tree.line)}"
    for branch in tree.branches:
        yield from _nest(branch, f"{indent}  ")


def _text(text: str) -> str:
    return f"`{text}`" if isinstance(text, blocks.Code) else escape_markdown(text)


def _cell(text: str) -> str:
    """A number as it is; a word with its special characters escaped."""
    return text if re.fullmatch(r"−?([0-9.]+(e[+−][0-9]+)?|∞)", text) else _label(text)


_SPECIAL = re.compile(r"[\\`*_{}\[\]#$!|<>&~^]|=(?==)|(?<==)=|:(?=//)|(?<=www)\.")
_BY_BACKSLASH = r"\`*_{}[]#$!"
"""What every parser takes a backslash before; other characters are written as entities."""


def escape_markdown(text: str) -> str:
    """Text that means nothing to a Markdown parser, nor to a math pass."""
    return _SPECIAL.sub(_escape, escape_text(text))


def _label(text: str) -> str:
    """A single label, whose spaces at either end are made visible."""
    return escape_markdown(escape_label(text))


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in _BY_BACKSLASH else _NAMED.get(character) or f"&#{ord(character)};"


BLANK = "\\ "
"""A space in a formula: two `~` would strike out the text between them, where no math pass comes first."""

_NAMED = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
