"""A Markdown document, in the subset that GitHub, VS Code, Jupyter, MkDocs and Quarto show alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import printable
from walkthrough.views.document import Options, Section, section, sections
from walkthrough.views.grid import Grid

SUFFIXES = (".md", ".markdown")


def write(trace: Trace, options: Options) -> bytes:
    """The document, as UTF-8."""
    return render(trace, options).encode()


def render(trace: Trace, options: Options | None = None) -> str:
    """The document: title, description, a section for each step."""
    options = options or Options()
    parts = [f"# {escaped(trace.title)}"]
    if trace.description.strip():
        parts.append(harmless(trace.description.strip()))
    if trace.source.strip():
        parts.append(f"Source: {harmless(' '.join(trace.source.split()))}")
    for part in sections(trace, options):
        parts += _section(part)
    return "\n\n".join(parts) + "\n"


def render_values(values: Iterable[Value], decimals: int = 3) -> str:
    """Some values by themselves, as a notebook shows them."""
    parts: list[str] = []
    for number, value in enumerate(values, 1):
        parts += _section(section(value, number, decimals, range(value.shape[0]), Options()), numbered=False)
    return "\n\n".join(parts) + "\n"


def _section(part: Section, numbered: bool = True) -> list[str]:
    number = f"{part.number}. " if numbered else ""
    given = f", {escaped(part.given)}" if part.given else ""
    lines = [f"## {number}{escaped(part.title)}", f"`{part.path}` — {escaped(part.shapes)}{given}"]
    if part.latex:
        lines.append(f"$$\n{part.latex.replace('~', BLANK)}\n$$")
    if part.purpose:
        lines.append(escaped(part.purpose))
    lines.append(table(part.grid))
    if part.grid.hidden:
        lines.append(f"… {part.grid.hidden} not shown.")
    if part.note:
        lines.append(escaped(part.note))
    if part.drift:
        lines.append(escaped(part.drift[:1].upper() + part.drift[1:]) + ".")
    lines += [escaped(str(worked)) for worked in part.worked]
    return lines


def table(grid: Grid) -> str:
    """A pipe table, numbers to the right."""
    header = ["", *map(escaped, grid.columns)]
    rule = [":--", *("--:" for _ in grid.columns)]
    rows = [[f"**{escaped(label)}**", *map(_cell, line)] for label, line in zip(grid.rows, grid.cells, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def _cell(text: str) -> str:
    """A number as it is; a word with its special characters escaped."""
    return text if re.fullmatch(r"-?[0-9.]+(e[+-][0-9]+)?|-?inf", text) else escaped(text)


_SPECIAL = re.compile(r"[\\`*_{}\[\]#$!|<>&~^]|=(?==)|(?<==)=|:(?=//)|(?<=www)\.")
_BY_BACKSLASH = r"\`*_{}[]#$!"
"""What every parser takes a backslash before; other characters are written as entities."""


def escaped(text: str) -> str:
    """Text that means nothing to a Markdown parser, nor to a math pass."""
    return _SPECIAL.sub(_escape, printable(text))


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in _BY_BACKSLASH else _NAMED.get(character) or f"&#{ord(character)};"


BLANK = "\\ "
"""A space in a formula: `~` would strike out what stands between two of them, where no math pass comes first."""

_NAMED = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}

_SPANS = re.compile(r"\\[`\\]|(?<!`)(`+)(?!`)[^\n]*?[^`\n]\1(?!`)|<")
"""An escaped backtick, a code span on one line, or the beginning of HTML."""


def harmless(markdown: str) -> str:
    """A scenario's own Markdown with its HTML made text; a code span keeps its `<`.

    Where a backtick stands alone, no parser agrees with another about what is code: nothing keeps it then.
    """
    text = "\n".join(printable(f"|{line}|")[1:-1] for line in markdown.expandtabs(4).split("\n"))
    if "`" in _SPANS.sub("", text):
        return text.replace("<", "&lt;")
    return _SPANS.sub(lambda match: "&lt;" if match[0] == "<" else match[0], text)
