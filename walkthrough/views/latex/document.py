"""A LaTeX document: a section for each step, formulas and worked lines as mathematics, wide tables in bands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import BinaryIO, assert_never

from walkthrough.explaining.formulas import formula_latex
from walkthrough.explaining.worked import CellName, Worked
from walkthrough.expressions.notations.latex import latex_number, latex_symbol, to_inline_latex
from walkthrough.recording.trace import Trace
from walkthrough.views.latex import preamble as tex_preamble
from walkthrough.views.latex import tables as tex_tables
from walkthrough.views.latex.description import itemize, line, prose
from walkthrough.views.latex.tex import formula, shapes, symbol, tex, title, typewriter, unknown_characters
from walkthrough.views.latex.tikz import tikz
from walkthrough.views.options import Options
from walkthrough.views.report.blocks import (
    Block,
    Description,
    Figure,
    Formula,
    Heading,
    Items,
    Matrix,
    Note,
    Paragraph,
    PartHeading,
    Report,
    Table,
    Tree,
    WorkedLines,
)
from walkthrough.views.report.document import report

_LEVELS = ("section", "subsection", "subsubsection", "paragraph", "subparagraph")
_DEEPEST_PART = 4
_WIDEST_FORMULA = 90
"""Signs of a formula that are written on one line."""
_KEEP = "\\nopagebreak[3]\n"
"""Before what belongs to the paragraph above it: a page ends elsewhere, if it can."""
_NUMBER = re.compile(r"−?([0-9]+([.,][0-9]+)?|∞)(×10\^\(?−?[0-9]+\)?)?")
_PAPER = (470.0, 600.0)
"""Width and height that a picture may take, in points."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the document of a trace, or its steps for another document, as UTF-8."""
    if options.fragment:
        from walkthrough.views.latex.fragment import fragment

        out.write(fragment(trace, options).encode())
    else:
        out.write(text([report(trace, options._replace(reasons=True))]).encode())


def remark(trace: Trace, options: Options) -> str:
    """The remark on a document that only LuaLaTeX can read; empty where both can."""
    words = {trace.title, trace.description, trace.source}
    for value in trace.select(*options.steps):
        words.update(value.rows, value.columns, (value.names or {}).values())
        words.update(map(str, value.origin.facts.values() if value.origin else ()))
    return tex_preamble.SAID if unknown_characters("".join(map(tex, words))) else ""


def text(reports: Sequence[Report]) -> str:
    """The reports, one after the other."""
    body = "\n\n".join(part for report in reports for part in _document(report))
    preamble = tex_preamble.preamble(body, unknown_characters(body))
    return f"{preamble}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _document(report: Report) -> Iterator[str]:
    yield rf"{{\raggedright\LARGE\bfseries {tex(report.title)}\par}}\bigskip"
    for block in report.body():
        yield from _parts(block)


def _parts(block: Block) -> Iterator[str]:
    """A block as paragraphs."""
    match block:
        case PartHeading():
            yield from (rf"\{_LEVELS[level - 1]}{{{tex(title)}}}" for level, title in block.headings(_DEEPEST_PART))
        case Heading():
            yield rf"\{_LEVELS[min(block.depth, _DEEPEST_PART)]}{{{title(block.numbered)}}}"
        case Formula():
            yield _formula(block)
        case Description():
            yield from [f"{tex(block.lead)}: {line(block.markdown)}"] if block.lead else prose(block.markdown)
        case Paragraph() | Note():
            if block.text:
                yield tex(block.text)
        case Matrix():
            yield from _matrix(block)
        case Figure():
            yield tikz(block.draws(_PAPER), _PAPER)
        case WorkedLines():
            yield from (worked_line(line) if at else _KEEP + worked_line(line) for at, line in enumerate(block.lines))
        case Items():
            if block.label:
                yield rf"\textbf{{{tex(block.label)}:}} {tex(block.subject)}".rstrip()
            if block.lines:
                yield itemize(map(tex, block.lines))
        case Table():
            yield from tex_tables.table(block)
        case Tree():
            yield "\\begin{flushleft}\n" + "\\\\\n".join(_lines(block)) + "\n\\end{flushleft}"
        case _:
            assert_never(block)


def _matrix(block: Matrix) -> Iterator[str]:
    """The bands of a matrix; the first one stays with the text above it."""
    tables = [table for band in block.grid.bands(block.columns) for table in tex_tables.matrix(band)]
    yield from (table if at else _KEEP + table for at, table in enumerate(tables))
    if block.grid.hidden:
        yield rf"{_KEEP}\ldots{{}} {tex(block.grid.hidden)}."


def _formula(block: Formula) -> str:
    """The path of a step, what is written beside it, and its formula."""
    if not block.path:
        return tex(block.text)
    origin = f", {tex(block.origin)}" if block.origin else ""
    sources = f"; {block.sources_with(symbol)}".replace("…", r"\ldots{}") if block.operands else ""
    first = f"{typewriter(block.path)} --- ${shapes(block.shapes)}${origin}{sources}"
    written = block.write(formula_latex)
    if not written:
        return first
    latex = formula(written)
    if _signs(latex) <= _WIDEST_FORMULA:
        return f"{first}\n\\[\n{latex}\n\\]"
    return f"{first}\n\n{_KEEP}{_unbound(latex)}"


def _signs(latex: str) -> int:
    """About how many signs a formula has side by side."""
    return len(
        re.sub(r"[{}^_ ]", "", re.sub(r"\\(mathrm|text|left|right|frac|sqrt)(?![a-z])|\\[a-zA-Z]+ ?", "", latex))
    )


def _unbound(latex: str) -> str:
    """A long formula, which may break: between \\left and \\right it could not."""
    free = re.sub(r"\\(left|right)(?![a-z])", "", latex)
    return rf"$\displaystyle {free}$"


def _lines(tree: Tree, depth: int = 0) -> Iterator[str]:
    """A line for each node, as far in as it is deep: lists in lists end at the fourth."""
    yield f"\\hspace*{{{1.5 * depth:g}em}}{tex(tree.line)}"
    for branch in tree.branches:
        yield from _lines(branch, depth + 1)


def worked_line(line: Worked) -> str:
    """A worked line, which may break between its terms: the name of the cell, its arithmetic, its result."""
    parts = [_cell(line.name)]
    if line.expression is not None:
        in_latex = line.writer.convert(number_or_word, lambda label: rf"\text{{{tex(label)}}}")
        parts.append(to_inline_latex(line.expression, in_latex))
    elif isinstance(line.arithmetic, CellName):
        parts.append(_cell(line.arithmetic))
    return f"${' = '.join([*parts, number_or_word(line.result)])}$"


def number_or_word(text: str) -> str:
    """A number of a line; anything else is a word."""
    return latex_number(text) if _NUMBER.fullmatch(text) else rf"\text{{{tex(text)}}}"


def _cell(name: CellName) -> str:
    """`S[chai, is]`."""
    labels = ", ".join(rf"\text{{{tex(label)}}}" for label in name.labels)
    return f"{formula(latex_symbol(name.symbol))}[{labels}]"
