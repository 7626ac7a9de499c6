"""The terminal report: a section for each step, in colour where there is colour."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.style import Style
from rich.text import Text

from walkthrough.explaining.worked import Worked
from walkthrough.expressions.shapes import shape_text
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import printable
from walkthrough.views.document import Grid, Options, Section, sections
from walkthrough.views.layout import Block, Piece, blocks

INDENT = 4
WIDEST_TEXT = 100


def show(trace: Trace, options: Options, console: Console) -> None:
    """Prints the sections of a trace; raises SelectorError before anything is printed."""
    chosen = sections(trace, options)
    if not options.steps and not options.tokens:
        _print_head(trace, console)
    for section in chosen:
        print_section(section, console)


def _print_head(trace: Trace, console: Console) -> None:
    _print(console, Text(printable(trace.title), style="bold"))
    for paragraph in trace.description.strip().split("\n\n"):
        for line in _wrapped(" ".join(paragraph.split()), console, 0):
            _print(console, Text(line))
        _print(console, Text())


def print_section(section: Section, console: Console) -> None:
    """Prints one step: heading, formula, purpose, table, worked numbers."""
    _print(console, _heading(section, console))
    if section.formula:
        _print_formula(section, console)
    else:
        _print(console, Text(f"{' ' * INDENT}{section.value.step.symbol}   {section.shapes}   given", style="cyan"))
    said = f"{section.title}: {section.purpose[0].lower()}{section.purpose[1:]}" if section.purpose else section.title
    for line in _wrapped(said, console, INDENT):
        _print(console, Text(line, style="dim"))
    _print(console, Text())
    print_grid(section.grid, console)
    if section.worked:
        _print(console, Text())
        for worked in section.worked:
            _print_worked(worked, console)
    _print(console, Text())


def _heading(section: Section, console: Console) -> Text:
    text = Text(f" {section.number}. ", style="bold")
    text.append(section.path, style="bold")
    rule = min(console.width, WIDEST_TEXT) - text.cell_len - 1
    return text.append(" " + "─" * rule, style="dim") if rule > 2 else text


def _print_formula(section: Section, console: Console) -> None:
    line = " " * INDENT + section.formula
    shapes = f"   {section.shapes}"
    if len(line) + len(shapes) <= console.width:
        _print(console, Text(line, style="cyan").append(shapes, style="dim cyan"))
    else:
        for part in _wrapped(section.formula, console, INDENT):
            _print(console, Text(part, style="cyan"))
        for part in _wrapped(section.shapes, console, INDENT):
            _print(console, Text(part, style="dim cyan"))


def print_grid(grid: Grid, console: Console) -> None:
    """Prints a table, in blocks where it is wider than the terminal, and says what it hides."""
    for number, block in enumerate(blocks(grid, console.width - INDENT)):
        if number:
            _print(console, Text())
        _print_block(block, console)
    if grid.hidden:
        for line in _wrapped(f"… {grid.hidden} not shown; --full shows all", console, INDENT):
            _print(console, Text(line, style="dim"))


def _print_block(block: Block, console: Console) -> None:
    _print(console, Text(" " * INDENT).append("".join(piece.text for piece in block.header).rstrip(), style="dim"))
    for label, *cells in block.lines:
        line = Text(" " * INDENT).append(label.text, style="dim")
        for cell in cells:
            line.append(cell.text, style=_shade(cell))
        _print(console, line)


def _shade(cell: Piece) -> Style | None:
    """A background from white to blue for shares of 1, with text that stands out from it."""
    if cell.shade is None or not 0 <= cell.shade <= 1:
        return None
    red, green, blue = (round(255 - cell.shade * (255 - full)) for full in (20, 82, 160))
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140
    return Style(bgcolor=f"#{red:02x}{green:02x}{blue:02x}", color="#ffffff" if dark else "#000000")


def _print_worked(worked: Worked, console: Console) -> None:
    line = str(worked)
    lines = _wrapped(line, console, INDENT, hanging=4, widest=None)
    for part in lines:
        _print(console, Text(part))


def _wrapped(text: str, console: Console, indent: int, hanging: int = 0, widest: int | None = WIDEST_TEXT) -> list[str]:
    width = console.width if widest is None else min(console.width, widest)
    return textwrap.wrap(
        printable(text) if text.strip() else text,
        width=max(width, indent + 20),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hanging),
        break_long_words=False,
        break_on_hyphens=False,
    )


def show_steps(values: Sequence[Value], console: Console) -> None:
    """Prints what can be selected: path, shape and title of each value, and its further names."""
    longest = max((len(value.path) for value in values), default=0)
    shapes = [shape_text(value.shape) for value in values]
    widest = max(map(len, shapes), default=0)
    for value, shape in zip(values, shapes, strict=True):
        line = Text(f"{value.path:<{longest}}").append(f"  {shape:>{widest}}", style="cyan")
        line.append(f"  {value.step.title}{'' if value.operation else ' (given)'}", style="dim")
        _print(console, line)
        for other in value.also:
            _print(console, Text(f"  = {other}", style="dim"))


def _print(console: Console, text: Text) -> None:
    """One line, as it is: rich wraps, crops and interprets nothing."""
    if not _speaks_unicode(console):
        text = Text(text.plain.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii"))
    console.print(text, soft_wrap=True, no_wrap=True, overflow="ignore", crop=False, highlight=False, markup=False)


def _speaks_unicode(console: Console) -> bool:
    return console.encoding.lower().replace("-", "").startswith("utf")


_ASCII = str.maketrans(
    {
        "×": "x", "·": "*", "−": "-", "√": "sqrt ", "ᵀ": "^T", "²": "^2", "³": "^3", "→": "->", "…": "...", "─": "-",
        "Σ": "sum", "σ": "sigma", "μ": "mu", "γ": "gamma", "β": "beta", "ε": "eps", "∞": "inf", "⊙": "(.)", "ŷ": "y^",
        "π": "pi", "∂": "d", "η": "eta",
    }
)  # fmt: skip
