"""The terminal report: a section for each step, in colour where there is colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style

from walkthrough.explaining.worked import Worked
from walkthrough.expressions.shapes import shape_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.document import Options, Section, sections
from walkthrough.views.grid import Grid
from walkthrough.views.layout import Block, Piece, blocks
from walkthrough.views.page import Page
from walkthrough.views.wrapping import broken, paragraphs, wrapped

INDENT = 4
_MARGIN = " " * INDENT


def show(trace: Trace, options: Options, console: Console) -> None:
    """Prints the sections of a trace; raises SelectorError before anything is printed."""
    chosen = sections(trace, options)
    page = Page(console)
    if not options.steps and not options.tokens:
        _print_head(trace, page)
    for section in chosen:
        print_section(section, page)


def _print_head(trace: Trace, page: Page) -> None:
    page.lines(wrapped(page.harmless(trace.title), page.text_width), "bold")
    page.line()
    for paragraph in filter(None, paragraphs(trace.description)):
        for text, hanging in paragraph:
            page.lines(wrapped(page.harmless(text), page.text_width, hanging=hanging))
        page.line()
    if source := " ".join(trace.source.split()):
        page.lines(wrapped(page.harmless(f"Source: {source}"), page.text_width), "dim")
        page.line()


def print_section(section: Section, page: Page) -> None:
    """Prints one step: heading, formula, purpose, table, worked numbers."""
    _print_heading(section, page)
    _print_formula(section, page)
    said = f"{section.title}. {section.purpose}" if section.purpose else section.title
    page.lines(wrapped(page.spelled(said), page.text_width, INDENT), "dim")
    page.line()
    print_grid(section.grid, page)
    for said, style in ((section.note, "yellow"), (section.drift, "dim")):
        if said:
            page.lines(wrapped(page.spelled(said), page.text_width, INDENT), style)
    if section.worked:
        page.line()
        for worked in section.worked:
            print_worked(worked, page)
    page.line()


def _print_heading(section: Section, page: Page) -> None:
    heading = f" {section.number}. {section.path}"
    rule = page.text_width - cell_len(heading) - 1
    page.styled((heading, "bold"), (f" {'─' * rule}" if rule > 2 else "", "dim"))


def _print_formula(section: Section, page: Page) -> None:
    """The formula and its shapes: side by side where there is room, else below each other."""
    formula = page.spelled(section.formula) or page.spelled(section.value.kind.symbol)
    shapes = page.spelled(f"{section.shapes}   {section.given}".rstrip())
    if INDENT + cell_len(formula) + 3 + cell_len(shapes) <= page.width:
        page.styled((f"{_MARGIN}{formula}", "cyan"), (f"   {shapes}", "dim cyan"))
        return
    page.lines(broken(formula.split(" = ", 1), page.width, INDENT), "cyan")
    page.lines(wrapped(shapes, page.width, INDENT), "dim cyan")


def print_grid(grid: Grid, page: Page) -> None:
    """Prints a table, in blocks where it is wider than the terminal, and says what it hides."""
    for number, block in enumerate(blocks(page.grid(grid), page.width - INDENT, page.ellipsis)):
        if number:
            page.line()
        _print_block(block, page)
    if grid.hidden:
        page.lines(wrapped(f"… {grid.hidden} not shown; --full shows all", page.width, INDENT), "dim")


def _print_block(block: Block, page: Page) -> None:
    if block.title:
        page.line(_MARGIN + block.title, "dim italic")
    page.line(_MARGIN + "".join(piece.text for piece in block.header).rstrip(), "dim")
    for label, *cells in block.lines:
        page.styled((_MARGIN, None), (label.text, "dim"), *((cell.text, _shade(cell)) for cell in cells))


def _shade(cell: Piece) -> Style | None:
    """A background from white to blue for a share of 1, and the text that stands out from it: black or white."""
    if cell.shade is None or not 0 <= cell.shade <= 1:
        return None
    red, green, blue = (round(255 - cell.shade * (255 - full)) for full in (20, 82, 160))
    dark = _luminance(red, green, blue) < 0.179  # here black and white stand out alike, 4.6 to 1
    return Style(bgcolor=f"#{red:02x}{green:02x}{blue:02x}", color="#ffffff" if dark else "#000000")


def _luminance(*channels: int) -> float:
    """How bright a colour is, from 0 to 1: the relative luminance of WCAG 2."""
    linear = [
        part / 12.92 if (part := channel / 255) <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for channel in channels
    ]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def print_worked(worked: Worked, page: Page) -> None:
    """Prints one number worked out."""
    parts = [part for part in (worked.name, worked.arithmetic, worked.result) if part]
    page.lines(broken([page.spelled(part) for part in parts], page.width, INDENT))


def show_steps(values: Sequence[Value], console: Console) -> None:
    """Prints what can be selected: path, shape and title of each value, and its further names."""
    page = Page(console)
    shapes = [page.spelled(shape_text(value.shape)) for value in values]
    longest = max((len(value.path) for value in values), default=0)
    widest = max(map(len, shapes), default=0)
    for value, shape in zip(values, shapes, strict=True):
        title = value.kind.title if value.operation else f"{value.kind.title} (given)"
        page.styled((f"{value.path:<{longest}}", None), (f"  {shape:>{widest}}", "cyan"), (f"  {title}", "dim"))
        page.lines((f"  = {other}" for other in value.also), "dim")
