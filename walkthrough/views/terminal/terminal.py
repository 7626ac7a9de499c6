"""The terminal: each block laid out for its width, in colour where there is colour."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import assert_never

from rich.console import Console
from rich.style import Style

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options
from walkthrough.views.report import blocks, document
from walkthrough.views.report.grid import Grid
from walkthrough.views.terminal.columns import lay_out
from walkthrough.views.terminal.console_writer import ConsoleWriter
from walkthrough.views.terminal.layout import Band, bands
from walkthrough.views.text.colours import colours
from walkthrough.views.text.wrapping import cell_width, fill_lines, wrap_arithmetic, wrap_prose

INDENT = 4
_HANGING = 4


FEW_TABLES = 30
"""More tables than these have the map of the model before them."""


def show(trace: Trace, options: Options, console: Console) -> None:
    """Prints the sections of a trace; raises SelectorError before anything is printed."""
    report = document.report(trace, options._replace(operands=False))
    writer = _BlockWriter(ConsoleWriter(console), report.words)
    if not options.steps and not options.tokens:
        writer.head(report)
    values = document.values_to_show(trace, options)
    if len(values) > FEW_TABLES:
        from walkthrough.views.report.outline import outline  # few runs are so long

        writer.write([outline(trace, values)])
    writer.arithmetic(report)
    writer.write(report.blocks())
    writer.out.write_line()


def show_reports(reports: Sequence[blocks.Report], console: Console) -> None:
    """Prints reports one after the other."""
    for at, report in enumerate(reports):
        writer = _BlockWriter(ConsoleWriter(console), report.words)
        if at:
            writer.out.write_line()
        writer.head(report)
        writer.arithmetic(report)
        writer.write(report.blocks())


def text(reports: Sequence[blocks.Report], width: int = 80) -> str:
    """The reports without colour."""
    file = io.StringIO()
    show_reports(reports, Console(file=file, width=width, color_system=None))
    return file.getvalue()


class _BlockWriter:
    """Prints blocks with a blank line between them, except where one belongs to the one before."""

    def __init__(self, out: ConsoleWriter, words: Catalogue) -> None:
        self.out = out
        self.words = words
        self.indent = 0
        self.last: type[blocks.Block] | None = None

    def head(self, report: blocks.Report) -> None:
        """What a report begins with."""
        out = self.out
        if report.brief is not None:
            out.write_lines(wrap_prose(out.safe_text(report.brief), out.text_width), "bold")
            self.last = blocks.Paragraph if report.brief else None
            return
        out.write_lines(wrap_prose(out.safe_text(report.title), out.text_width), "bold")
        self.last = blocks.Paragraph
        self.write(report.about)

    def arithmetic(self, report: blocks.Report) -> None:
        """How the numbers of a report are calculated, before the first of them."""
        if report.arithmetic:
            if self.last is not None:
                self.out.write_line()
            self._prose(report.arithmetic, "dim")
            self.last = blocks.Paragraph

    def write(self, several: Iterable[blocks.Block]) -> None:
        """Prints one after the other."""
        for block in several:
            if isinstance(block, blocks.PartHeading) and not block.titles:
                continue
            is_below = self.last in (blocks.Heading, blocks.Formula) and not isinstance(block, blocks.Matrix)
            if self.last is not None and not is_below and not isinstance(block, blocks.Note):
                self.out.write_line()
            self._block(block)
            self.last = type(block)

    def _block(self, block: blocks.Block) -> None:
        match block:
            case blocks.PartHeading():
                self._part(block)
            case blocks.Heading():
                self._heading(block)
            case blocks.Formula():
                self._formula(block)
            case blocks.Description():
                self._description(block)
            case blocks.Paragraph():
                self._prose(". ".join(filter(None, (block.lead, block.text))), "dim" if self.indent else "")
            case blocks.Note():
                self._prose(block.text, "yellow" if block.warning else "dim")
            case blocks.Matrix():
                self._matrix(block.grid)
            case blocks.WorkedLines():
                self._worked(block)
            case blocks.Items():
                self._items(block)
            case blocks.Table():
                rows = tuple(tuple(map(self.out.safe_text, row)) for row in block.rows)
                whole = block.whole and not self.out.console.is_terminal
                header, lines = lay_out(block._replace(rows=rows, whole=whole), self.out.width)
                self.out.write_lines(header, "dim")
                self.out.write_lines(lines)
            case blocks.Tree():
                self._tree(block, "", "")
            case blocks.Figure():
                pass  # a terminal shows none
            case _:
                assert_never(block)

    def _heading(self, block: blocks.Heading) -> None:
        """The path, before a rule across the out; what belongs to the step is indented."""
        self.indent = INDENT
        number = f"{block.number}. " if block.number else ""
        self._ruled([f" {number}{block.path}"], "─")

    def _part(self, block: blocks.PartHeading) -> None:
        """All parts around the steps that follow, so that a reader in the middle knows where they are."""
        first, *others = block.titles
        lines = fill_lines([first, *(f"· {title}" for title in others)], self.out.text_width, " ")
        self._ruled([self.out.safe_text(line) for line in lines], "═")

    def _ruled(self, lines: Sequence[str], rule: str) -> None:
        """Bold lines, the last with a rule as far as the text goes."""
        self.out.write_lines(lines[:-1], "bold")
        room = self.out.text_width - cell_width(lines[-1]) - 1
        self.out.write_pieces((lines[-1], "bold"), (f" {rule * room}" if room > 2 else "", "dim"))

    def _formula(self, block: blocks.Formula) -> None:
        """The formula and its shapes: side by side where there is room, else below each other."""
        out, margin = self.out, " " * self.indent
        beside = "   ".join(filter(None, (block.shapes, block.origin, block.sources)))
        formula, shapes = out.safe_text(block.text), out.spell(beside)
        if self.indent + cell_width(formula) + 3 + cell_width(shapes) <= out.width:
            out.write_pieces((f"{margin}{formula}", "cyan"), (f"   {shapes}" if shapes else "", "dim cyan"))
            return
        out.write_lines(wrap_arithmetic(formula.split(" = ", 1), out.width, self.indent), "cyan")
        out.write_lines(wrap_prose(shapes, out.width, self.indent), "dim cyan")

    def _description(self, block: blocks.Description) -> None:
        """As it is written, but for long lines, and the marks of headings and links."""
        # not every run shows one, and the reader of Markdown is large
        from walkthrough.views.text.description import Marks, lines_of, read_line, write_spans

        spell = self.out.spell
        marks = Marks(spell, lambda text: spell(f"`{text}`"))
        if block.lead:
            self._prose(f"{block.lead}: {write_spans(read_line(block.markdown), marks)}", "dim")
            return
        for kind, line in lines_of(block.markdown, marks, self.out.text_width):
            self.out.write_line(line, "bold" if kind == "heading" else "")

    def _prose(self, text: str, style: str) -> None:
        self.out.write_lines(self._wrapped(text, self.indent), style)

    def _matrix(self, grid: Grid) -> None:
        """A table of numbers, in bands where it is wider than the terminal; says what it hides."""
        out = self.out
        for number, band in enumerate(bands(out.safe_grid(grid), out.width - self.indent, out.ellipsis)):
            if number:
                out.write_line()
            self._band(band)
        if grid.hidden:
            hidden = f"… {grid.hidden}; {self.words('full_shows_all')}"
            out.write_lines(wrap_prose(hidden, out.width, self.indent), "dim")

    def _worked(self, block: blocks.WorkedLines) -> None:
        """Numbers worked out."""
        for line in block.lines:
            parts = [self.out.spell(part) for part in (line.name, line.arithmetic, line.result) if part]
            self.out.write_lines(wrap_arithmetic(parts, self.out.width, self.indent))

    def _items(self, block: blocks.Items) -> None:
        """The label, and the lines indented below it."""
        if block.label:
            self.out.write_lines(self._wrapped(f"{block.label}: {block.subject}".rstrip(), self.indent, _HANGING))
        for line in block.lines:
            self.out.write_lines(self._wrapped(line, self.indent + (INDENT if block.label else 0), _HANGING))

    def _tree(self, tree: blocks.Tree, first: str, stem: str) -> None:
        """A line for each node, with its branches drawn."""
        text, width = self.out.safe_text(tree.text), self.out.width
        if tree.items:
            items = (f"{tree.text}:", *tree.items) if tree.text else tree.items
            units = [part for item in items for part in self._fitting(item, width - len(stem))]
            lines = fill_lines(units, width, " ", len(stem), hanging=0)
        else:
            lines = wrap_prose(text, width, len(stem), _HANGING)
        self.out.write_lines((stem if at else first) + line[len(stem) :] for at, line in enumerate(lines))
        for at, branch in enumerate(tree.branches, 1):
            last = at == len(tree.branches)
            self._tree(branch, stem + ("└─ " if last else "├─ "), stem + ("   " if last else "│  "))

    def _fitting(self, item: str, room: int) -> list[str]:
        """A short text as one piece, or as its words where there is no room for it."""
        text = self.out.safe_text(item)
        return [text] if cell_width(text) <= room else text.split()

    def _wrapped(self, text: str, indent: int, hanging: int = 0) -> list[str]:
        return wrap_prose(self.out.safe_text(text), self.out.text_width, indent, hanging)

    def _band(self, band: Band) -> None:
        out, margin = self.out, " " * self.indent
        if band.title:
            out.write_line(margin + band.title, "dim italic")
        out.write_line(margin + "".join(band.header).rstrip(), "dim")
        for at, (label, *cells) in enumerate(band.lines):
            if band.shades is None or out.is_plain:
                out.write_pieces((margin, None), (label, "dim"), ("".join(cells), None))
            else:
                out.write_pieces((margin, None), (label, "dim"), *zip(cells, map(_shade, band.shades[at]), strict=True))


def _shade(shade: float) -> Style | None:
    """A background from white to blue for 1, and the text that stands out from it: black or white."""
    if not 0 <= shade <= 1:
        return None
    background, text = colours(shade)
    return Style(bgcolor=background, color=text)
