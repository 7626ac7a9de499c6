"""One number worked out: `S[chai, is] = 1.0415×(−0.1161) + 1.5403×1.4093 = 2.050`.

The numbers printed in a line give its result on a pocket calculator, up to the last digit printed: the operands get
as many decimals as that takes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice, product
from typing import NamedTuple

from walkthrough.explaining.choices import choose, numbers_of
from walkthrough.explaining.formulas import symbols_of
from walkthrough.explaining.residue import result, shown_number, without_last_bits
from walkthrough.explaining.shorten import REST, shorten
from walkthrough.explaining.shown import Shown
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.evaluate import Values
from walkthrough.expressions.tree.nodes import Cell, Expression, Number
from walkthrough.expressions.tree.walk import cells
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.notation import typeset, write_shortest
from walkthrough.recording.values import Value
from walkthrough.text import escape_label

_MOST_DIGITS = 17
"""A float64 has no more."""
_TYPED = str.maketrans({"−": "-", "∞": "inf", "(": "", ")": ""})
_TINY = 5e-10
"""So many zeros in front of what is left of a number are written as a power of ten."""


class CellName(str):
    """`S[chai, is]`, with its symbol and its labels."""

    symbol: str
    labels: tuple[str, ...]

    def __new__(cls, symbol: str, labels: tuple[str, ...]) -> CellName:
        new = super().__new__(cls, f"{symbol}[{', '.join(labels)}]")
        new.symbol, new.labels = symbol, labels
        return new


class Worked(NamedTuple):
    """The three parts of a worked line, which is equal to another one of the same text.

    arithmetic: a CellName where a number is only moved, or empty
    expression: what the arithmetic is the text of, if it is one; writer: how its numbers are written
    is_word:    the result is a word, such as a prediction
    """

    name: CellName
    arithmetic: str
    result: str
    expression: Expression | None = None
    writer: Writer = Writer()
    is_word: bool = False

    def __str__(self) -> str:
        return f"{self.name} = {self.arithmetic} = {self.result}" if self.arithmetic else f"{self.name} = {self.result}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Worked) and self[:3] == other[:3]

    def __hash__(self) -> int:
        return hash(self[:3])


def cell_name(value: Value, row: int, column: int, symbol: str = "") -> CellName:
    """`S[chai, is]`; where there is one column or one row only, its label is left out."""
    labels = [value.rows[row]] if value.shape[0] > 1 or value.shape[1] == 1 else []
    if value.shape[1] > 1:
        labels.append(value.columns[column])
    return CellName(symbol or value.kind.symbol, tuple(map(escape_label, labels)))


class Arithmetic(NamedTuple):
    """How a number comes about.

    whole:      its expression as the operation has it
    expression: with every choice made, and long sums shortened
    rests:      what these leave out
    """

    whole: Expression
    expression: Expression
    rests: list[float]

    @classmethod
    def of(cls, value: Value, row: int, column: int, terms: int | None = None) -> Arithmetic:
        """That of a calculated number; terms: a longer sum shows its largest terms and the rest as one number."""
        whole, number = value.cell(row, column), numbers_of(value)
        expression, rests = choose(whole, number), list[float]()
        return cls(whole, expression if terms is None else shorten(expression, number, terms, rests), rests)


def work_out(value: Value, row: int, column: int, decimals: int, terms: int | None = None) -> Worked:
    """The arithmetic of one number with its operands put in; `terms` as of `Arithmetic`."""
    arithmetic = None if value.operation is None else Arithmetic.of(value, row, column, terms)
    return write_out(value, row, column, decimals, arithmetic)


def write_out(value: Value, row: int, column: int, decimals: int, found: Arithmetic | None) -> Worked:
    """The line of one number, whose arithmetic has been found; None of a given one."""
    shown = Shown(value, decimals)
    name = cell_name(value, row, column)
    is_word = value.is_word(column)
    written = shown.typeset(row, column)
    if found is None:
        return Worked(name, "", written, is_word=is_word)

    expression = found.expression
    if isinstance(expression, Cell):  # a number that is only moved: say where it was
        symbol = symbols_of(value.inputs)[expression.operand]
        moved = cell_name(value.inputs[expression.operand], expression.row, expression.column, symbol)
        return Worked(name, moved, written, is_word=is_word)
    if is_word and isinstance(expression, Number):  # nobody works out an id
        return Worked(name, "", written, is_word=True)
    expected = shown.number(shown_number(value, row, column))
    names = (value.names or {}) if is_word else {}
    writer = _with_numbers(value, found, expected, shown, names)
    arithmetic = to_text(expression, writer)
    if arithmetic == written:
        return Worked(name, "", written, is_word=is_word)
    return Worked(name, arithmetic, written, expression, writer, is_word)


def line_in(line: Worked, words: Catalogue) -> Worked:
    """A worked line in a language."""
    if words is ENGLISH:
        return line
    result = line.result if line.is_word else words.number(line.result)
    if line.expression is None:
        return line._replace(result=result)
    writer = line.writer.convert(words.number).replace(phrase=words.phrase, has_comma=words.has_comma)
    return line._replace(arithmetic=to_text(line.expression, writer), result=result, writer=writer)


def _with_numbers(value: Value, found: Arithmetic, expected: str, shown: Shown, names: Mapping[int, str]) -> Writer:
    """How the numbers of an expression are written: in as few digits as give the result.

    names: the words that its labels stand for
    """
    expression, number = found.expression, numbers_of(value)

    def operand(cell: Cell) -> float:
        return found.rests[cell.row] if cell.operand == REST else number(cell)

    seen = {cell: _shown_operand(value, cell, operand) for cell in cells(expression)}
    enough = _digits(expression, seen.__getitem__, expected, shown)
    if enough is None:  # what the last bits decide
        seen = {cell: operand(cell) for cell in seen}
        enough = _digits(expression, seen.__getitem__, expected, shown)
    digits = _MOST_DIGITS if enough is None else enough
    return Writer(
        cell=lambda cell: _operand_text(value, cell, seen[cell], digits),
        number=lambda number: _text(number, max(digits, 12)),
        label=lambda number: "?" if math.isnan(number) else escape_label(names.get(int(number), f"{number:g}")),
        phrase=ENGLISH.phrase,
    )


def _shown_operand(value: Value, cell: Cell, operand: Values) -> float:
    """An operand as it is shown."""
    if cell.operand == REST:
        return without_last_bits(value, operand(cell))
    return shown_number(value.inputs[cell.operand], cell.row, cell.column)


def _digits(expression: Expression, seen: Values, expected: str, shown: Shown) -> int | None:
    """The fewest digits of the operands that give the result, or None."""
    for digits in range(shown.decimals, _MOST_DIGITS + 1):
        if shown.number(result(expression, lambda cell: _as_typed(seen(cell), digits))) == expected:  # noqa: B023
            return digits
    return None


def _operand_text(value: Value, cell: Cell, number: float, digits: int) -> str:
    is_unknown = cell.operand == REST or value.inputs[cell.operand].unknown
    return "nan" if math.isnan(number) and not is_unknown else _text(number, digits)


def _text(number: float, digits: int) -> str:
    text = write_shortest(number, digits)
    is_lost = abs(number) < 0.5 * 10.0**-digits or (abs(number) < _TINY and float(text) != number)
    if math.isfinite(number) and number and is_lost:
        return typeset(f"{number:.{max(digits - 1, 0)}e}".replace("e-0", "e-"))
    return typeset(text)


def _as_typed(number: float, digits: int) -> float:
    """The number as a reader of the line would type it."""
    text = _text(number, digits).translate(_TYPED).replace("×10^", "e")
    return math.nan if text == "?" else float(text)


def example_cell(value: Value, row: int | None = None) -> tuple[int, int] | None:
    """The cell to work out where one is enough: not the first, but one whose number, as it is shown, says something."""
    rows, columns = value.shape
    if rows == 0 or columns == 0:
        return None
    first = row if row is not None else min(1, rows - 1)
    order = [(first, min(2, columns - 1)), *((first, j) for j in range(columns))]
    if row is None:
        order += islice(product(range(rows), range(columns)), 1000)
    for i, j in order:
        number = shown_number(value, i, j)
        if math.isfinite(number) and number != 0:
            return i, j
    return order[0]
