"""The terminal: each block laid out for its width, in colour where there is colour."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.style import Style

from walkthrough.recording.trace import Trace
from walkthrough.views.report import trace as document
from walkthrough.views.report.blocks import (
    Block,
    Description,
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
from walkthrough.views.report.grid import Grid
from walkthrough.views.terminal.columns import laid_out
from walkthrough.views.terminal.console_writer import Page
from walkthrough.views.terminal.layout import Band, bands
from walkthrough.views.text.colours import colours
from walkthrough.views.text.wrapping import broken, cell_width, filled, wrapped

INDENT = 4
_HANGING = 4


FEW_TABLES = 30
"""More tables than these have the map of the model before them."""


def show(trace: Trace, options: document.Options, console: Console) -> None:
    """Prints the sections of a trace; raises SelectorError before anything is printed."""
    report = document.report(trace, options._replace(operands=False))
    writer = _Writer(Page(console))
    if not options.steps and not options.tokens:
        writer.head(report)
    values = document.shown_values(trace, options)
    if len(values) > FEW_TABLES:
        from walkthrough.views.report.outline import outline  # few runs are so long

        writer.blocks([outline(trace, values)])
    writer.arithmetic(report)
    writer.blocks(report.blocks())
    writer.page.line()


def show_reports(reports: Sequence[Report], console: Console) -> None:
    """Prints reports one after the other."""
    for at, report in enumerate(reports):
        writer = _Writer(Page(console))
        if at:
            writer.page.line()
        writer.head(report)
        writer.arithmetic(report)
        writer.blocks(report.blocks())


def text(reports: Sequence[Report], width: int = 80) -> str:
    """The reports without colour."""
    file = io.StringIO()
    show_reports(reports, Console(file=file, width=width, color_system=None))
    return file.getvalue()


class _Writer:
    """Prints blocks with a blank line between them, except where one belongs to the one before."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.indent = 0
        self.last: type[Block] | None = None

    def head(self, report: Report) -> None:
        """What a report begins with."""
        page = self.page
        if report.brief is not None:
            page.lines(wrapped(page.harmless(report.brief), page.text_width), "bold")
            self.last = Paragraph if report.brief else None
            return
        page.lines(wrapped(page.harmless(report.title), page.text_width), "bold")
        self.last = Paragraph
        self.blocks(report.about)

    def arithmetic(self, report: Report) -> None:
        """How the numbers of a report are calculated, before the first of them."""
        if report.arithmetic:
            if self.last is not None:
                self.page.line()
            self._prose(report.arithmetic, "dim")
            self.last = Paragraph

    def blocks(self, blocks: Iterable[Block]) -> None:
        """Prints one after the other."""
        for block in blocks:
            if isinstance(block, PartHeading) and not block.titles:
                continue
            is_below = self.last in (Heading, Formula) and not isinstance(block, Matrix)
            if self.last is not None and not is_below and not isinstance(block, Note):
                self.page.line()
            self._block(block)
            self.last = type(block)

    def _block(self, block: Block) -> None:
        match block:
            case PartHeading():
                self._part(block)
            case Heading():
                self._heading(block)
            case Formula():
                self._formula(block)
            case Description():
                self._description(block)
            case Paragraph():
                self._prose(". ".join(filter(None, (block.lead, block.text))), "dim" if self.indent else "")
            case Note():
                self._prose(block.text, "yellow" if block.warning else "dim")
            case Matrix():
                self._matrix(block.grid)
            case WorkedLines():
                self._worked(block)
            case Items():
                self._items(block)
            case Table():
                rows = tuple(tuple(map(self.page.harmless, row)) for row in block.rows)
                self.page.lines(laid_out(block._replace(rows=rows), self.page.width))
            case Tree():
                self._tree(block, "", "")

    def _heading(self, block: Heading) -> None:
        """The path, before a rule across the page; what belongs to the step is indented."""
        self.indent = INDENT
        self._ruled([f" {block.number}. {block.path}"], "─")

    def _part(self, block: PartHeading) -> None:
        """All parts around the steps that follow, so that a reader in the middle knows where they are."""
        first, *others = block.titles
        lines = filled([first, *(f"· {title}" for title in others)], self.page.text_width, " ")
        self._ruled([self.page.harmless(line) for line in lines], "═")

    def _ruled(self, lines: Sequence[str], rule: str) -> None:
        """Bold lines, the last with a rule as far as the text goes."""
        self.page.lines(lines[:-1], "bold")
        room = self.page.text_width - cell_width(lines[-1]) - 1
        self.page.styled((lines[-1], "bold"), (f" {rule * room}" if room > 2 else "", "dim"))

    def _formula(self, block: Formula) -> None:
        """The formula and its shapes: side by side where there is room, else below each other."""
        page, margin = self.page, " " * self.indent
        beside = "   ".join(filter(None, (block.shapes, block.origin, block.sources)))
        formula, shapes = page.harmless(block.text), page.spelled(beside)
        if self.indent + cell_width(formula) + 3 + cell_width(shapes) <= page.width:
            page.styled((f"{margin}{formula}", "cyan"), (f"   {shapes}" if shapes else "", "dim cyan"))
            return
        page.lines(broken(formula.split(" = ", 1), page.width, self.indent), "cyan")
        page.lines(wrapped(shapes, page.width, self.indent), "dim cyan")

    def _description(self, block: Description) -> None:
        """As it is written, but for long lines, and the marks of headings and links."""
        # not every run shows one, and the reader of Markdown is large
        from walkthrough.views.text.description import Marks, lines_of, read_line, write_spans

        spell = self.page.spelled
        marks = Marks(spell, lambda text: spell(f"`{text}`"), ("**", "**"), ("*", "*"), _link)
        if block.lead:
            self._prose(f"{block.lead}: {write_spans(read_line(block.markdown), marks)}", "dim")
            return
        for kind, line in lines_of(block.markdown, marks, self.page.text_width):
            self.page.line(line, "bold" if kind == "heading" else "")

    def _prose(self, text: str, style: str) -> None:
        self.page.lines(self._wrapped(text, self.indent), style)

    def _matrix(self, grid: Grid) -> None:
        """A table of numbers, in bands where it is wider than the terminal; says what it hides."""
        page = self.page
        for number, band in enumerate(bands(page.grid(grid), page.width - self.indent, page.ellipsis)):
            if number:
                page.line()
            self._band(band)
        if grid.hidden:
            page.lines(wrapped(f"… {grid.hidden} not shown; --full shows all", page.width, self.indent), "dim")

    def _worked(self, block: WorkedLines) -> None:
        """Numbers worked out."""
        for line in block.lines:
            parts = [self.page.spelled(part) for part in (line.name, line.arithmetic, line.result) if part]
            self.page.lines(broken(parts, self.page.width, self.indent))

    def _items(self, block: Items) -> None:
        """The label, and the lines indented below it."""
        if block.label:
            self.page.lines(self._wrapped(f"{block.label}: {block.subject}".rstrip(), 0, _HANGING))
        for line in block.lines:
            self.page.lines(self._wrapped(line, INDENT if block.label else 0, _HANGING))

    def _tree(self, tree: Tree, first: str, stem: str) -> None:
        """A line for each node, with its branches drawn."""
        text, width = self.page.harmless(tree.text), self.page.width
        if tree.items:
            items = (f"{tree.text}:", *tree.items) if tree.text else tree.items
            units = [part for item in items for part in self._fitting(item, width - len(stem))]
            lines = filled(units, width, " ", len(stem), hanging=0)
        else:
            lines = wrapped(text, width, len(stem), _HANGING)
        self.page.lines((stem if at else first) + line[len(stem) :] for at, line in enumerate(lines))
        for at, branch in enumerate(tree.branches, 1):
            last = at == len(tree.branches)
            self._tree(branch, stem + ("└─ " if last else "├─ "), stem + ("   " if last else "│  "))

    def _fitting(self, item: str, room: int) -> list[str]:
        """A short text as one piece, or as its words where there is no room for it."""
        text = self.page.harmless(item)
        return [text] if cell_width(text) <= room else text.split()

    def _wrapped(self, text: str, indent: int, hanging: int = 0) -> list[str]:
        return wrapped(self.page.harmless(text), self.page.text_width, indent, hanging)

    def _band(self, band: Band) -> None:
        page, margin = self.page, " " * self.indent
        if band.title:
            page.line(margin + band.title, "dim italic")
        page.line(margin + "".join(band.header).rstrip(), "dim")
        for at, (label, *cells) in enumerate(band.lines):
            if band.shades is None or page.is_plain:
                page.styled((margin, None), (label, "dim"), ("".join(cells), None))
            else:
                page.styled((margin, None), (label, "dim"), *zip(cells, map(_shade, band.shades[at]), strict=True))


def _link(inner: str, address: str) -> str:
    return inner if inner == address else f"{inner} ({address})"


def _shade(share: float) -> Style | None:
    """A background from white to blue for a share of 1, and the text that stands out from it: black or white."""
    if not 0 <= share <= 1:
        return None
    background, text = colours(share)
    return Style(bgcolor=background, color=text)
