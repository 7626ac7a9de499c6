"""What a draft is made of, in its order: headings, texts, and tables of cells that may be numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Line(NamedTuple):
    """A line of text, and where it is in the draft, counted from 1."""

    number: int
    text: str


class Cell(NamedTuple):
    """One cell as it is written, and its line."""

    text: str
    line: int


class Heading(NamedTuple):
    """A heading: 1 is the highest level."""

    line: int
    level: int
    text: str


class Text(NamedTuple):
    """A line of prose, a formula, a calculation."""

    line: int
    text: str


@dataclass(eq=False)
class Table:
    """Rows of cells that may be a matrix.

    name:    what stands right before it, as in `Q = `
    caption: what stands with it
    ids:     of the sections around it, the outermost first
    is_list: written in brackets, or in a CSV parted by commas: a comma is never part of a number
    is_line: a single line of text, which is a matrix only if its name or label says so
    """

    rows: Sequence[Sequence[Cell]]
    name: str = ""
    caption: str = ""
    ids: tuple[str, ...] = ()
    is_list: bool = False
    is_line: bool = False

    @property
    def line(self) -> int:
        """Of its first cell with a digit."""
        cells = [cell for row in self.rows for cell in row]
        numbers = (cell.line for cell in cells if any(character.isdigit() for character in cell.text))
        return next(numbers, cells[0].line if cells else 0)


Item = Heading | Text | Table
