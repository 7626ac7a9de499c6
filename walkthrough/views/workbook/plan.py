"""Where everything is in a workbook: a sheet for each part, on it the steps one below the other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from walkthrough.expressions.notations.spreadsheet import SheetPlace, range_address
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import parts_of
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.selection import Selection

START = "start"
"""The first sheet."""
WHOLE = "model"
"""The sheet of steps that are in no part."""
LOOKS = ("heading", "quiet", "formula", "quiet")
"""Of the lines above the labels of a block: title, path, formula, purpose."""
TITLES = len(LOOKS)
MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
_TOP = 1
"""Rows above the first block."""
_LIKE_A_CELL = re.compile(r"[a-z]{1,3}[0-9]+|r[0-9]*c?[0-9]*|c[0-9]*|true|false", re.IGNORECASE)
"""`W1`, `R1C1`, `R`, `C` are cells, rows and columns."""
_FOREIGN = re.compile(r"[^\w.]")
_LONGEST_NAME = 255
_LONGEST_SHEET = 31


class PlacedValue(NamedTuple):
    """A value in the workbook: where its numbers are, and its number in the calculation.

    is_given:  its numbers are written as they are
    same:      the block that has the same numbers of the scenario, and how many rows and columns further on in it
    """

    value: Value
    place: SheetPlace
    number: int
    is_given: bool
    same: tuple[SheetPlace, int, int] | None = None

    @property
    def can_change(self) -> bool:
        """Whether other numbers may be typed into it."""
        return self.is_given and self.same is None and (self.value.can_change or self.value.operation is not None)

    @property
    def top(self) -> int:
        """The row of its title."""
        return self.place.row - TITLES - 1

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns on the sheet."""
        rows, columns = self.value.shape
        return (columns, rows) if self.place.is_transposed else (rows, columns)

    @property
    def bottom(self) -> int:
        """Its last row."""
        return self.place.row + self.size[0] - 1

    @property
    def right(self) -> int:
        """Its last column."""
        return self.place.column + self.size[1] - 1

    @property
    def area(self) -> tuple[int, int, int, int]:
        """The first row and column of its numbers, and the last."""
        return self.place.row, self.place.column, self.bottom, self.right

    @property
    def labels(self) -> str:
        """The labels of its columns, as a formula names these cells."""
        row, column = self.place.row, self.place.column
        ends = ((row, 0), (self.bottom, 0)) if self.place.is_transposed else ((row - 1, column), (row - 1, self.right))
        return range_address(self.place.sheet, *ends)

    @property
    def as_written(self) -> bool:
        """Whether its numbers are in the scenario, with the digits that they have there."""
        return self.is_given and self.same is None and self.value.operation is None and not self.value.origin

    @property
    def range(self) -> str:
        """Its numbers, as a formula names them."""
        row, column, bottom, right = self.area
        return range_address(self.place.sheet, (row, column), (bottom, right))


@dataclass
class Plan:
    """All blocks in order, and the sheets in the order in which they begin, each with the titles of its part."""

    blocks: list[PlacedValue] = field(default_factory=list)
    sheets: dict[str, str] = field(default_factory=dict)
    by_path: dict[str, PlacedValue] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    as_given: int = 0

    def on(self, sheet: str) -> list[PlacedValue]:
        """The blocks of a sheet."""
        return [block for block in self.blocks if block.place.sheet == sheet]

    def define_names(self, book: Any) -> None:
        """Gives every block its names."""
        for block in self.blocks:
            for path in (block.value.path, *block.value.also):
                book.define_name(self.names[path], f"={block.range}")


def plan(trace: Trace, selection: Selection) -> Plan:
    """Where the values of a selection are."""
    made = Plan(as_given=len(selection.as_given))
    numbers = {value: number for number, value in enumerate(trace, 1)}
    next_row: dict[str, int] = {}
    homes: dict[str, str] = {}
    originals: dict[object, list[PlacedValue]] = {}
    used_names: set[str] = {"decimals"}
    for value, is_given in _values_to_hold(selection):
        rows, columns = value.shape
        is_transposed = columns > MOST_COLUMNS - 2
        height = columns if is_transposed else rows
        sheet = _sheet(made, homes, next_row, value.path, height + TITLES + 2, catalogue(trace.language))
        place = SheetPlace(sheet, next_row[sheet] + TITLES + 1, 1, is_transposed)
        same = _same(value, originals) if is_given and value.can_change else None
        block = PlacedValue(value, place, numbers.get(value, 0), is_given, same)
        if is_given and value.can_change and same is None:
            originals.setdefault(value.matrix, []).append(block)
        next_row[sheet] = block.bottom + 2
        made.blocks.append(block)
        for path in (value.path, *value.also):
            made.by_path[path] = block
            made.names[path] = defined_name(path, used_names)
            used_names.add(made.names[path].lower())
    return made


def _values_to_hold(selection: Selection) -> Iterator[tuple[Value, bool]]:
    """The values of the workbook, and whether each is written as it is; also inputs that the trace no longer holds."""
    known = {path for value in selection.values for path in (value.path, *value.also)}
    for value in selection.values:
        is_given = selection.is_given(value)
        for given in () if is_given else value.inputs:
            if given.path not in known:
                known.add(given.path)
                yield given, True
        yield value, is_given


def _sheet(
    made: Plan, homes: dict[str, str], next_row: dict[str, int], path: str, height: int, words: Catalogue
) -> str:
    """The sheet of a value; a further one where that is full."""
    part, title = part_of(path, words)
    sheet = homes.get(part)
    if sheet is None or next_row[sheet] + height > MOST_ROWS:
        sheet = sheet_name(part, {START, "history", *(name.lower() for name in made.sheets)})
        homes[part], made.sheets[sheet], next_row[sheet] = sheet, title, _TOP
    return sheet


def part_of(path: str, words: Catalogue) -> tuple[str, str]:
    """The part whose sheet a step is on, and its title: a numbered layer, or the outermost part, of each pass."""
    names = parts_of(path)
    if not names:
        return WHOLE, words("whole_model")
    at = next(at for at, (name, inner) in enumerate(pairwise([*names, None])) if _is_sheet(name, inner))
    return names[at].path, " · ".join(words.heading(name) for name in names[: at + 1])


def _is_sheet(name: Any, inner: Any) -> bool:
    if inner is None:
        return True
    is_pass = within_pass(f"{name.path}.") == ""
    return not is_pass and not inner.path.removeprefix(f"{name.path}.").isdigit()


def _same(value: Value, originals: dict[object, list[PlacedValue]]) -> tuple[SheetPlace, int, int] | None:
    """Where the numbers of a given value are already: those of a matrix that occurred before."""
    for block in originals.get(value.matrix, []):
        down, right = (own - first for own, first in zip(value.corner, block.value.corner, strict=True))
        if down < 0 or right < 0:
            continue
        part = block.value.array[down : down + value.shape[0], right : right + value.shape[1]]
        if np.array_equal(part, value.array, equal_nan=True):
            return block.place, down, right
    return None


def defined_name(path: str, used: Collection[str] = ()) -> str:
    """The defined name of a path: the path itself where it is legal.

    A character that a name cannot have becomes `_`, a path that a spreadsheet would read as a cell or that begins with
    no letter gets `_` in front, one that is used (case does not count) a number behind it.
    """
    name = _FOREIGN.sub("_", path)
    if _LIKE_A_CELL.fullmatch(name) or not re.match(r"[^\W\d]", name):
        name = f"_{name}"
    return _free(name, _LONGEST_NAME, used)


def sheet_name(path: str, used: Collection[str] = ()) -> str:
    """The name of the sheet of a part: its path, no longer than a spreadsheet takes."""
    return _free(_FOREIGN.sub("_", path), _LONGEST_SHEET, used)


def _free(name: str, longest: int, used: Collection[str]) -> str:
    found, number = name[:longest], 1
    while found.lower() in used:
        number += 1
        found = f"{name[: longest - len(str(number)) - 1]}_{number}"
    return found
