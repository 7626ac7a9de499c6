"""What reports are made of: a handful of blocks that know no format. Each report is described once, in these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from walkthrough.explaining.worked import Worked
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.records import Record
from walkthrough.views.report.grid import Grid

if TYPE_CHECKING:
    from walkthrough.recording.values import Value
    from walkthrough.views.pictures.model.fitting import Extent
    from walkthrough.views.pictures.shapes import Picture


class Code(str):
    """A path, in a cell of a table: set in a fixed width where a format can."""


class PartHeading(Record):
    """From here on the steps are in other parts of the model than before.

    titles: of the parts around them, from the outermost in; none where they are in no part
    before: of the parts around the step before; what both begin with stays open
    path:   of the innermost part
    """

    titles: tuple[str, ...]
    before: tuple[str, ...] = ()
    path: str = ""

    def headings(self, deepest: int) -> list[tuple[int, str]]:
        """The headings to write, each with its level from 1, where `deepest` levels are for parts.

        What is deeper joins the last one: `Layer 1 · Head 2`. None where parts only end.
        """
        now, before = _join(self.titles, deepest), _join(self.before, deepest)
        common = next((at for at, (one, other) in enumerate(zip(now, before, strict=False)) if one != other), None)
        start = min(len(now), len(before)) if common is None else common
        return list(enumerate(now[start:], start + 1))


def _join(titles: tuple[str, ...], deepest: int) -> tuple[str, ...]:
    if len(titles) <= deepest:
        return titles
    return (*titles[: deepest - 1], " · ".join(titles[deepest - 1 :]))


class Heading(Record):
    """Begins a step: its title, its path, its number in the calculation (0: none), and how many parts it is in."""

    text: str
    path: str
    number: int = 0
    depth: int = 0

    @property
    def numbered(self) -> str:
        """`9. Scores`."""
        return f"{self.number}. {self.text}" if self.number else self.text


FormulaWriter = Callable[["Value", Catalogue], str]


class Formula(Record):
    """A formula; of a step with its path, its shapes, and where it comes from if it is given.

    text:     as people read it in a line; of a given matrix its symbol
    write:    it in the notation of a format, by that format's own function of a value and words
    operands: the symbol of each operand, and the number of the step that makes it
    """

    text: str
    write: Callable[[FormulaWriter], str] = lambda writer: ""
    path: str = ""
    shapes: str = ""
    origin: str = ""
    operands: tuple[tuple[str, int], ...] = ()

    @property
    def sources(self) -> str:
        """`X: 4, O: 18`; of many operands the first ones and the last."""
        return self.sources_with(str)

    def sources_with(self, written: Callable[[str], str]) -> str:
        """The same, with the symbols written as a format does."""
        texts = [f"{written(symbol)}: {number}" for symbol, number in self.operands]
        return ", ".join(texts if len(texts) <= _MOST_OPERANDS else [*texts[:2], "…", texts[-1]])

    @property
    def beside(self) -> str:
        """`(4×2)·(2×4) → 4×4; Q: 6, K: 8`, or `4×2, given`: what documents write after the path."""
        origin = f", {self.origin}" if self.origin else ""
        return self.shapes + origin + (f"; {self.sources}" if self.sources else "")


_MOST_OPERANDS = 6


class Description(Record):
    """Markdown of a scenario; with a lead it is one line, `Source: …`."""

    markdown: str
    lead: str = ""

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.lead}: {self.markdown}" if self.lead else self.markdown


class Paragraph(Record):
    """Prose. `lead` is a title before it, for formats whose heading does not have it."""

    text: str
    lead: str = ""


class Note(Record):
    """A remark on the block before it."""

    text: str
    warning: bool = False


class Matrix(Record):
    """The numbers of a step; on paper at most `columns` columns side by side, 0: all."""

    grid: Grid
    columns: int = 0


class Figure(Record):
    """A picture with its name, that of its file and the path of the step that it is of, and what is seen in it.

    draws:  the picture; a poster for paper of that width and height
    folder: where its file is, for formats that do not draw it themselves
    """

    name: str
    title: str
    draws: Callable[[Extent | None], Picture]
    folder: str


class WorkedLines(Record):
    """Numbers worked out, a line each."""

    lines: tuple[Worked, ...]


class Items(Record):
    """Lines that belong together; above them perhaps a label and what it names, as in `First wrong number: S[a, b]`."""

    lines: tuple[str, ...]
    label: str = ""
    subject: str = ""


class Table(NamedTuple):
    """A table of texts; a row of one cell spans it.

    right:    the columns that are set flush right
    groups:   what the first cell of each row begins with; where room is short it is written once for several rows
    headless: it says enough without its header, where a format can leave that out
    whole:    a list to be searched by programs: in a pipe no line of it is broken
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    headless: bool = False
    whole: bool = False


class Tree(Record):
    """A line, and what it branches into. `items` are short texts that follow on the line; none of them is broken."""

    text: str
    branches: tuple[Tree, ...] = ()
    items: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The text, and its items behind it."""
        return ": ".join(filter(None, (self.text, " ".join(self.items))))


Block = (
    PartHeading
    | Heading
    | Formula
    | Description
    | Paragraph
    | Note
    | Matrix
    | Figure
    | WorkedLines
    | Items
    | Table
    | Tree
)
"""A Figure is only in documents that were asked for pictures."""


class Report(Record):
    """All that a command has to say, once for every format.

    title:       of a document of its own
    blocks:      what follows; made when they are wanted
    data:        the same for programs
    brief:       what a terminal says in place of title and descriptions, to somebody who has just asked for it
    about:       what the scenario says of itself
    arithmetic:  how its numbers are calculated and shown
    words:       of its language
    """

    title: str
    blocks: Callable[[], Iterable[Block]]
    data: Callable[[], Any] = dict
    brief: str | None = None
    about: tuple[Description, ...] = ()
    arithmetic: str = ""
    words: Catalogue = ENGLISH

    def body(self) -> Iterator[Block]:
        """All below its title."""
        yield from self.about
        if self.arithmetic:
            yield Paragraph(self.arithmetic)
        yield from self.blocks()
