"""An answer key for marking by eye: a line for each step, `Queries, head 2, Q = 1.04 1.5 | 0 2`."""

from __future__ import annotations

from collections.abc import Iterator

from walkthrough.languages.catalogue import Catalogue
from walkthrough.notation import typeset
from walkthrough.records import Record
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.titles import Titles
from walkthrough.teaching.write.cells import Cells
from walkthrough.text import escape_label


class KeyLine(Record):
    """A step: its path and title, its symbol with =, and what belongs in its rows."""

    path: str
    title: str
    symbol: str
    rows: tuple[str, ...]


def key_lines(sheet: Sheet, words: Catalogue) -> Iterator[KeyLine]:
    """The lines of a sheet, one for each step to fill in."""
    titles = Titles.of(sheet, words)
    for step in sheet.asked:
        rows = (" ".join(_row(step, row, words)) for row in range(step.value.shape[0]))
        symbol = f"{step.value.kind.symbol} =".lstrip()
        yield KeyLine(step.value.path, titles.title(step.value), symbol, tuple(rows))


def _row(step: Step, row: int, words: Catalogue) -> Iterator[str]:
    cells = Cells(step.value)
    for column in range(step.value.shape[1]):
        text = cells.text(row, column)
        yield escape_label(text) if step.value.is_word(column) else words.number(typeset(strip_zeros(text)))


def strip_zeros(text: str) -> str:
    """A number without zeros at its end: `1.500` is 1.5, `0.000` is 0."""
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}{e}{exponent}"
