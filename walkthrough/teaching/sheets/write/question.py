"""A question of a quiz: one step of one sheet, as HTML with a place for each answer."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

import numpy as np

from walkthrough.expressions.tree.aliases import Array
from walkthrough.judging.reach import reach_of
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.teaching.sheets.sheet import Sheet, Step
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.teaching.sheets.write.texts import Cells, formula, stands_for
from walkthrough.text import escape_label

_SIGNS = str.maketrans({sign: f"&#{ord(sign)};" for sign in "{}[]"})
HIDDEN = ("-inf", "−∞", "-∞")
"""How a hidden score may be written."""
_TINY = 1e-6
"""Of a unit: a number between two may be rounded to either."""


class Accepted(Record):
    """What is right in a cell.

    word:      the word of a prediction, or None
    by_hand:   the number by hand; −∞ where a score is hidden
    low, high: the least and the largest right number, with the digits asked for
    """

    word: str | None = None
    by_hand: Decimal = Decimal(0)
    low: Decimal = Decimal(0)
    high: Decimal = Decimal(0)


class QuizQuestion(Record, eq=False):
    """A step to fill in of one sheet. number: of the step on its sheet, from 1"""

    sheet: Sheet
    step: Step
    number: int
    titles: Titles
    words: Catalogue

    @property
    def title(self) -> str:
        """`01 Queries, head 2`."""
        return f"{self.number:02d} {escape_label(self.titles.title(self.step.value))}"

    @property
    def variant(self) -> str:
        """Whose it is, or which numbers it has."""
        who = self.sheet.student or ("" if self.sheet.seed is None else f"{self.words('seed')} {self.sheet.seed}")
        return escape_label(who)

    @property
    def name(self) -> str:
        """Title and variant."""
        return f"{self.title}, {self.variant}" if self.variant else self.title

    @property
    def note(self) -> str:
        """That nothing is carried on from a student's own numbers."""
        return self.words("quiz_note")

    def accepted(self) -> dict[tuple[int, int], Accepted]:
        """What is right in each cell to fill in, row by row."""
        low, high = intervals(self.step)
        found = {}
        for _, row, column in self.step.places:
            number = float(self.step.value.array[row, column])
            number = number if not math.isnan(number) and number != math.inf else float(self.step.right[row, column])
            if self.step.value.is_word(column):
                names = self.step.value.names or {}
                found[row, column] = Accepted(names.get(int(number), "?"))
            elif math.isinf(number):
                found[row, column] = Accepted(by_hand=Decimal("-Infinity"))
            else:
                ends = (number, float(low[row, column]), float(high[row, column]))
                found[row, column] = Accepted(None, *(self.decimal(end, row, column) for end in ends))
        return found

    def decimal(self, number: float, row: int, column: int) -> Decimal:
        """A number with exactly the digits that are asked for."""
        places = self.step.decimals(number, row, column)
        return Decimal(repr(number)).quantize(Decimal(1).scaleb(-places)) + 0

    def html(self, field: Callable[[int, int], str]) -> str:
        """The question. field: the place of an answer, by row and column"""
        return "\n".join(self._blocks(field))

    def _blocks(self, field: Callable[[int, int], str]) -> Iterator[str]:
        value, words = self.step.value, self.words
        facts = stands_for(value, words)
        yield f"<h4>{text(self.titles.with_symbol(value))}</h4>"
        yield f"<p>{text(formula(value, words) + (f' ({facts})' if facts else ''))}</p>"
        for given in dict.fromkeys(value.inputs):
            cells = Cells(given)
            shown = [[self._number(cells, row, column) for column in _range(given, 1)] for row in _range(given, 0)]
            yield f"<p>{text(self.titles.with_symbol(given))}</p>\n{_table(given, shown)}"
        yield f"<p>{text(words('round_all', digits=words.digits(self.step.digits)))}</p>"
        cells = Cells(value)
        asked = self.step.blank
        rows = [
            [field(row, column) if asked[row, column] else "" for column in _range(value, 1)]
            for row in _range(value, 0)
        ]
        yield _table(value, rows)

    def _number(self, cells: Cells, row: int, column: int) -> str:
        found = cells.text(row, column)
        if cells.value.is_word(column):
            return text(escape_label(found))
        return text(self.words.number(found.replace("inf", "∞").replace("-", "−")))


def text(words: str) -> str:
    """A text as HTML in which a platform finds no field of its own."""
    return html.escape(words, quote=False).translate(_SIGNS)


def questions(sheets: Sequence[Sheet]) -> list[list[QuizQuestion]]:
    """For each step to fill in its question on each sheet."""
    words = catalogue(sheets[0].language)
    found = [
        [QuizQuestion(sheet, step, at, Titles.of(sheet, words), words) for at, step in enumerate(sheet.blank_steps, 1)]
        for sheet in sheets
    ]
    return [list(one) for one in zip(*found, strict=True)]


def _range(value: Value, axis: int) -> range:
    return range(value.shape[axis])


def _table(value: Value, rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{text(escape_label(label))}</th>" for label in value.columns)
    body = "".join(
        f"<tr><th>{text(escape_label(label))}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>\n"
        for label, row in zip(value.rows, rows, strict=True)
    )
    return f"<table>\n<tr><th></th>{head}</tr>\n{body}</table>"


@np.errstate(all="ignore")  # where nothing is known of a number, its bounds are infinite
def intervals(step: Step) -> tuple[Array, Array]:
    """The least and the largest right number of each cell, to the digits asked for.

    Each computed number that goes in may be anywhere within half a unit of its last digit; what people look up may be
    rounded, too. The number by hand and the exact one are always right.
    """
    forms = reach_of(step.value, step.digits, lambda one: one.array).compute(step.value).forms
    low, high = forms.low, forms.high
    play = _TINY * step.digits.unit(np.where(step.value.array == 0, 1.0, step.value.array))
    known = np.isfinite(low) & np.isfinite(high)
    least = np.where(known, step.digits.round(np.where(known, low, 0.0) - play), step.value.array)
    most = np.where(known, step.digits.round(np.where(known, high, 0.0) + play), step.value.array)
    certain = np.stack([step.right, np.where(np.isfinite(step.value.array), step.value.array, step.right)])
    return np.fmin(least, certain.min(axis=0)), np.fmax(most, certain.max(axis=0))
