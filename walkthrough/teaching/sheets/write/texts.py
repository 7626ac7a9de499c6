"""What every kind of sheet says: the cells of a matrix, a formula, what to do, and the lines of an answer key."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from walkthrough.expressions.tree.nodes import Call, Expression, Named
from walkthrough.expressions.tree.shapes import shape_text
from walkthrough.expressions.tree.walk import parts
from walkthrough.judging.reach import is_exact
from walkthrough.languages.catalogue import Catalogue
from walkthrough.notation import strip_zeros, typeset
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.text import escape_label

_WIDTHS = ("d_model", "r")
_SMALLEST = 1e-7
_LARGE = 1e15


def stands_for(value: Value, words: Catalogue) -> str:
    """What the names in a step's formula stand for, `d_k = 16`; empty where all of them are matrices."""
    return "; ".join(_facts(value, words))


def _facts(value: Value, words: Catalogue) -> Iterator[str]:
    if value.formula is None:
        return
    found, settings = list(_every_part(value.formula)), value.settings
    named = {part.name for part in found if isinstance(part, Named)}
    known = {name: settings["width"] for name in _WIDTHS if "width" in settings} | value.constants
    for name in sorted(named & known.keys()):
        yield f"{name} = {words.number(_number(known[name]))}"
    if "pos" in named:
        yield words("positions")
        if "angle" in settings:
            yield words(f"waves_{settings['layout']}")
    if "j" in named:
        yield words("distances")
    if any(isinstance(part, Call) and part.function == "step" for part in found):
        yield words("step_function")
    if "targets" in settings:
        yield words("targets", targets=", ".join(_targets(value)))


def _every_part(expression: Expression) -> Iterator[Expression]:
    yield expression
    for part in parts(expression):
        yield from _every_part(part)


def _number(number: float) -> str:
    number = float(number)
    if not number or abs(number) >= _SMALLEST:
        return f"{Decimal(repr(number)):f}".removesuffix(".0")
    return typeset(repr(number))


def _targets(value: Value) -> Iterator[str]:
    """`I → learned`: the right word after each one that has a target."""
    targets = value.settings["targets"]
    several = targets if isinstance(targets[0], tuple) else [targets]
    for words, own in zip(value.inputs or [value], several, strict=False):
        for label, target in zip(words.rows, own, strict=True):
            if target is not None:
                yield f"{escape_label(label)} → {escape_label(words.columns[target])}"


class Cells:
    """The texts of one value's numbers.

    stand_there: they are not asked for; those that are copied from given ones are written like these
    """

    def __init__(self, value: Value, stand_there: bool = False) -> None:
        self.value = value
        is_copy = stand_there and value.operation is not None and is_exact(value)
        self.digits = None if is_copy else value.digits
        self.places = places_of(value) if self.digits is None else 0

    def text(self, row: int, column: int) -> str:
        """A number as a sheet shows it, or a word: all digits of a given number, a computed one's as its step has."""
        number = float(self.value.array[row, column])
        if not math.isfinite(number):
            return "?" if math.isnan(number) else "-inf" if number < 0 else "inf"
        if self.value.is_word(column):
            assert self.value.names is not None
            return self.value.names[int(number)]
        return str(int(number)) if self.value.is_id(column) else self.number(number)

    def shown(self, row: int, column: int, words: Catalogue) -> str:
        """The same, as people of a language read it."""
        text = self.text(row, column)
        return escape_label(text) if self.value.is_word(column) else words.number(typeset(text))

    def number(self, number: float) -> str:
        """A finite number with the digits of this value."""
        if self.digits is not None:
            return self.digits.text(number)
        return repr(number) if self.places is None else f"{Decimal(repr(number)):.{self.places}f}"

    def rows(self) -> list[list[str]]:
        """All of them."""
        rows, columns = self.value.shape
        return [[self.text(row, column) for column in range(columns)] for row in range(rows)]


def column_labels(value: Value, words: Catalogue) -> list[str]:
    """What stands above the columns of a table; of words and their shares in a language."""
    named = [words.column(label) if value.names is not None else None for label in value.columns]
    return [name or escape_label(label) for name, label in zip(named, value.columns, strict=True)]


def say_shape(value: Value, step: Step | None, words: Catalogue, between: str = ", ") -> str:
    """`2×2, to 3 decimals`, or `2×2, whole numbers`, where something is to be filled in."""
    shape = shape_text(value.shape)
    if step is None or not step.has_blanks:
        return shape
    digits = words("whole_numbers") if step.is_whole else words("to_digits", digits=words.digits(step.digits))
    return f"{shape}{between}{digits}"


def places_of(value: Value) -> int | None:
    """The decimals that show all digits of a given matrix; None where each number is written in its shortest form."""
    finite = value.array[np.isfinite(value.array)]
    if not finite.size:
        return 0
    places = max(-int(Decimal(repr(number)).normalize().as_tuple().exponent) for number in finite.tolist())
    return max(places, 0) if places <= 15 and float(np.abs(finite).max()) < _LARGE else None


def instructions(sheet: Sheet, words: Catalogue) -> list[str]:
    """How to round, what to hand in, and what words or signs some cells need: a line each."""
    digits = {step.digits for step in sheet.blank_steps}
    lines = [words("round_all", digits=words.digits(*digits)) if len(digits) == 1 else words("round_each")]
    lines.append(words("hand_in"))
    if any((step.exact.array[step.blank] == -float("inf")).any() for step in sheet.blank_steps):
        lines.append(words("hidden"))
    if any("probability" in step.value.columns for step in sheet.blank_steps):
        lines.append(words("predicted"))
    return lines


def identity(sheet: Sheet, words: Catalogue) -> list[tuple[str, str]]:
    """Whose sheet it is, and what identifies it."""
    seed = words("own_numbers") if sheet.seed is None else str(sheet.seed)
    return [(words("name"), sheet.student), (words("seed"), seed), (words("digest"), sheet.digest)]


class KeyLine(Record):
    """A step: its path and title, its symbol with =, and what belongs in its rows."""

    path: str
    title: str
    symbol: str
    rows: tuple[str, ...]


def key_lines(sheet: Sheet, words: Catalogue) -> Iterator[KeyLine]:
    """The lines of a sheet, one for each step to fill in."""
    titles = Titles.of(sheet, words)
    for step in sheet.blank_steps:
        rows = (" ".join(_row(step, row, words)) for row in range(step.value.shape[0]))
        symbol = f"{step.value.kind.symbol} =".lstrip()
        yield KeyLine(step.value.path, titles.title(step.value), symbol, tuple(rows))


def _row(step: Step, row: int, words: Catalogue) -> Iterator[str]:
    cells = Cells(step.value)
    for column in range(step.value.shape[1]):
        text = cells.text(row, column)
        yield escape_label(text) if step.value.is_word(column) else words.number(typeset(strip_zeros(text)))
