"""Whether a table can be a step, or a part of it: by its shape, its labels, and what it leaves out."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from walkthrough.drafts.cells import Entry
from walkthrough.recording.values import Value
from walkthrough.text import as_word, escape_label

Entries = Sequence[Sequence[Entry]]
_COUNT = re.compile(r"[0-9]+$")


class Reading(NamedTuple):
    """A table read in one way: which of its cells are labels. rows, columns: the labels; None where it has none"""

    rows: tuple[str, ...] | None
    columns: tuple[str, ...] | None
    body: Entries


class Fit(NamedTuple):
    """A table on a step.

    cells:  each with its row and column, those that are printed
    labels: 2 where words of both agree, 1 where there are none, or not all are known, 0 where none is
    whole:  it has the step's shape
    """

    value: Value
    cells: tuple[tuple[int, int, Entry], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    labels: int
    whole: bool


def fit(table: Entries, value: Value, row: str = "", column: str = "") -> Fit | None:
    """The table on a step, in the best of its readings; None where it does not fit.

    row, column: labels that the table's name says
    """
    found = [one for reading in readings(table) if (one := _fit(reading, value, row, column))]
    return max(found, key=lambda one: (one.whole, one.labels, len(one.cells)), default=None)


def readings(table: Entries) -> Iterator[Reading]:
    """The ways to read a table: with its first row or column as labels, or as numbers."""
    if not table or not table[0]:
        return
    for has_head in (True, False):
        for has_side in (True, False):
            rows = table[has_head:]
            body = [line[has_side:] for line in rows]
            if (
                body
                and body[0]
                and not (has_head and _holds_decimals(table[0]))
                and not (has_side and _holds_decimals([line[0] for line in table]))
            ):
                side = tuple(line[0].text for line in rows) if has_side else None
                head = tuple(entry.text for entry in table[0][has_side:]) if has_head else None
                yield Reading(side, head, body)


def _holds_decimals(labels: Sequence[Entry]) -> bool:
    """Whether these cells are numbers of a matrix: labels are words, or count."""
    return any(entry.plain is not None and "." in entry.plain for entry in labels)


def shape_of(table: Entries) -> tuple[int, int]:
    """Rows and columns of the numbers."""
    has_head = any(entry.is_word for entry in table[0]) or (len(table) > 1 and not table[0][0].text)
    has_side = any(line[0].is_word for line in table[has_head:])
    return len(table) - has_head, len(table[0]) - has_side


def shapes_of(table: Entries) -> set[tuple[int, int]]:
    """The shapes that a table may have, whatever of it is labels; a vector may lie or stand."""
    shapes = {(len(one.body), len(one.body[0])) for one in readings(table)}
    return shapes | {(columns, rows) for rows, columns in shapes if 1 in (rows, columns)}


def _fit(reading: Reading, value: Value, row: str, column: str) -> Fit | None:
    if not _is_printed(reading, value):
        return None
    upright = _place(reading, value, row, column)
    if upright is None and 1 in value.shape and 1 in (len(reading.body), len(reading.body[0])):
        lying = [list(line) for line in zip(*reading.body, strict=True)]
        return _place(Reading(reading.columns, reading.rows, lying), value, row, column)
    return upright


def _is_printed(reading: Reading, value: Value) -> bool:
    """Whether the body holds numbers, and words only where the step has them or a few cannot be read."""
    entries = [entry for line in reading.body for entry in line]
    numbers = sum(entry.plain is not None for entry in entries)
    words = sum(entry.is_word for entry in entries)
    if value.names is not None:
        known = set(map(_label, value.names.values()))
        return any(_label(line[0].text) in known for line in reading.body) or (not words and numbers > 0)
    return numbers > 0 and 4 * words <= numbers


def _place(reading: Reading, value: Value, row: str, column: str) -> Fit | None:
    body = reading.body
    rows = _axis(len(body), reading.rows, value.rows, [all(entry.is_nothing for entry in line) for line in body], row)
    sides = [all(line[at].is_nothing for line in body) for at in range(len(body[0]))]
    columns = _axis(len(body[0]), reading.columns, value.columns, sides, column)
    if rows is None or columns is None:
        return None
    cells = tuple(
        (i, j, entry)
        for i, line in zip(rows[0], body, strict=True)
        for j, entry in zip(columns[0], line, strict=True)
        if i is not None and j is not None and (entry.plain is not None or (value.names is not None and j == 0))
        if not entry.is_nothing
    )
    if not cells:
        return None
    said = [score for score in (rows[1], columns[1]) if score != 1]
    whole = (len(body), len(body[0])) == value.shape
    across, down = (tuple(at for at in axis[0] if at is not None) for axis in (columns, rows))
    return Fit(value, cells, down, across, min(said, default=1), whole)


Axis = tuple[list[int | None], int]


def _axis(
    count: int, labels: Sequence[str] | None, known: Sequence[str], left_out: Sequence[bool], name: str
) -> Axis | None:
    """Which of a step's rows, or columns, those of a table are, and how well the labels agree."""
    if labels is not None and (found := _by_labels(labels, known, left_out)) is not None:
        return found, 2 if any(not label.isdigit() for label in known) or count != len(known) else 1
    if name and count == 1:
        at = _find(name, known)
        return None if at is None else ([at], 2)
    if labels is not None and not any(map(_is_word, labels)) and count != len(known):
        return None
    if count == len(known):
        return list(range(count)), 0 if labels is not None and _are_foreign(labels, known) else 1
    if left_out.count(True) == 1 and count - 1 <= len(known):
        gap = left_out.index(True)
        behind = count - gap - 1
        return [*range(gap), None, *range(len(known) - behind, len(known))], 1
    return None


def foreign_labels(table: Entries, value: Value) -> tuple[list[str], Sequence[str]]:
    """The words that a table has for labels where the step's are others, and these."""
    for reading in readings(table):
        for labels, known in ((reading.rows, value.rows), (reading.columns, value.columns)):
            if labels is not None and _are_foreign(labels, known):
                return list(filter(_is_word, labels)), known
    return [], value.rows


def _are_foreign(labels: Sequence[str], known: Sequence[str]) -> bool:
    """Whether these are words, none of them a label of the step; x_1, x_2, … only count, and one may be its name."""
    if not any(map(_is_word, labels)) or len(known) == 1:
        return False
    counts = [_COUNT.search(unicodedata.normalize("NFKC", label)) for label in labels]
    numbers = [int(found[0]) for found in counts if found]
    is_counted = len(numbers) == len(labels) and numbers in (list(range(len(labels))), list(range(1, len(labels) + 1)))
    return not is_counted and all(_find(label, known) is None for label in labels if _is_word(label))


def _is_word(label: str) -> bool:
    return bool(label) and not label.isdigit()


def _by_labels(labels: Sequence[str], known: Sequence[str], left_out: Sequence[bool]) -> list[int | None] | None:
    """The places of the labels; None where one is not known, or stands twice."""
    if list(map(_label, labels)) == list(map(_label, known)):
        return list(range(len(known)))
    found = [
        None if out and _find(label, known) is None else _find(label, known)
        for label, out in zip(labels, left_out, strict=True)
    ]
    places = [at for at, out in zip(found, left_out, strict=True) if at is not None or not out]
    if None in places or len(set(places)) < len(places) or not places:
        return None
    return found


def _find(label: str, known: Sequence[str]) -> int | None:
    """The place of a label; one of several alike must say which."""
    wanted = _label(label)
    at = [place for place, one in enumerate(known) if _label(one) == wanted]
    at = at or [place for place, one in enumerate(known) if _label(one.rpartition("@")[0]) == wanted and wanted]
    return at[0] if len(at) == 1 else None


def _label(label: str) -> str:
    """A label as it is compared: as printed, whatever its case and its quotes."""
    return str(as_word(escape_label(label))).strip(" '\"`*:").casefold() or label
