"""What reports are made of: a handful of blocks that know no format. Each report is described once, in these."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from walkthrough.explaining.worked import Worked
from walkthrough.records import Record
from walkthrough.views.grid import Grid


class Code(str):
    """A path, in a cell of a table: set in a fixed width where a format can."""


class Heading(Record):
    """Begins a step: its title, its path, and its number in the calculation (0: none)."""

    text: str
    path: str
    number: int = 0


class Formula(Record):
    """A formula, as text and as LaTeX; of a step with its path, its shapes, and where it comes from if it is given."""

    text: str
    latex: str = ""
    path: str = ""
    shapes: str = ""
    origin: str = ""


class Paragraph(Record):
    """Prose. `lead` is a title before it, for formats whose heading does not have it."""

    text: str
    lead: str = ""


class Note(Record):
    """A remark on the block before it."""

    text: str
    warning: bool = False


class Matrix(Record):
    """The numbers of a step."""

    grid: Grid


class WorkedLines(Record):
    """Numbers worked out, a line each."""

    lines: tuple[Worked, ...]


class Items(Record):
    """Lines that belong together; above them perhaps a label and what it names, as in `First wrong number: S[a, b]`."""

    lines: tuple[str, ...]
    label: str = ""
    subject: str = ""


class Table(NamedTuple):
    """A table of texts; a row of one cell stands across it.

    right:    the columns that are set flush right
    groups:   what the first cell of each row begins with; where there is little room it stands once for several rows
    headless: it says enough without its header, where a format can leave that out
    whole:    a list to be searched by programs: no line of it is broken
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    headless: bool = False
    whole: bool = False


class Tree(Record):
    """A line, and what it branches into."""

    text: str
    branches: tuple[Tree, ...] = ()


Block = Heading | Formula | Paragraph | Note | Matrix | WorkedLines | Items | Table | Tree


class Report(Record):
    """All that a command has to say, once for every format.

    title:       of a document that stands by itself
    blocks:      what follows; made when they are wanted
    data:        the same for programs
    brief:       what a terminal says in place of title, description and source, to somebody who has just asked for it
    description: Markdown of a scenario
    source:      where its numbers come from
    """

    title: str
    blocks: Callable[[], Iterable[Block]]
    data: Callable[[], Any] = dict
    brief: str | None = None
    description: str = ""
    source: str = ""
