"""Cells by their labels: `scores[chai, is]`, `mean[chai]`, `input[chai, 3]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from walkthrough.recording.labels import Labels
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.values import Value
from walkthrough.text import did_you_mean, escape_label, find_meant, in_quotes


class CellAt(NamedTuple):
    """One number of a value: its row and column, counted from 0."""

    value: Value
    row: int
    column: int

    def __str__(self) -> str:
        return f"{self.value.path}[{self.value.rows[self.row]}, {self.value.columns[self.column]}]"

    @property
    def number(self) -> float:
        """The number itself."""
        return float(self.value.array[self.row, self.column])


def split_cell(text: str) -> tuple[str, str]:
    """Selector and labels of `SELECTOR[row, column]`; a SelectorError where it has another form."""
    selector, bracket, rest = text.strip().partition("[")
    if not bracket or not rest.endswith("]") or not selector.strip():
        raise SelectorError(f"{in_quotes(text)} is not a cell; write SELECTOR[row, column], such as scores[chai, is]")
    return selector.strip(), rest[:-1]


def find_cell(value: Value, labels: str) -> CellAt:
    """The cell of a value by its labels; a label may hold commas, a single row or column may be left out.

    A label may also be given as it is printed, with its escapes. Raises SelectorError that names near labels.
    """
    for row, column in _readings(value, labels):
        at = find_meant(row, value.rows), find_meant(column, value.columns)
        if at[0] is not None and at[1] is not None:
            return CellAt(value, at[0], at[1])
    raise _no_cell(value, labels)


def _readings(value: Value, labels: str) -> Iterator[tuple[str, str]]:
    """The ways to read the labels as a row and a column."""
    if value.shape[1] == 1:
        yield labels.strip(), value.columns[0]
    if value.shape[0] == 1:
        yield value.rows[0], labels.strip()
    for at, character in enumerate(labels):
        if character == ",":
            yield labels[:at], labels[at + 1 :].removeprefix(" ")
            yield labels[:at].strip(), labels[at + 1 :].strip()


def _no_cell(value: Value, labels: str) -> SelectorError:
    row, comma, column = labels.partition(",")
    if not comma and value.shape[0] > 1 and value.shape[1] > 1:
        return SelectorError(f"{value.path} has rows and columns: write {value.path}[row, column]")
    for kind, label, known in (("row", row.strip(), value.rows), ("column", column.strip(), value.columns)):
        if find_meant(label, known) is None:
            return SelectorError(f"{value.path} has no {kind} {in_quotes(label)}; {_hint(label, known)}")
    return SelectorError(f"{value.path} has no cell [{escape_label(labels)}]")


def _hint(label: str, known: Labels) -> str:
    repeated = [one for one in known if "@" in one and find_meant(label, [one.rpartition("@")[0]]) is not None]
    if repeated:
        return f"it occurs {len(repeated)} times: {', '.join(map(escape_label, repeated))}"
    few = ", ".join(map(escape_label, known[:12])) + (", …" if len(known) > 12 else "")
    return did_you_mean(label, known) or f"known: {few}"
