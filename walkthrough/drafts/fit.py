"""Whether a table can be a step, or a part of it, by shape, labels and gaps; and how well its numbers agree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from walkthrough.drafts.cells import ReadCell
from walkthrough.judging.digits import decimals_of
from walkthrough.recording.values import Value
from walkthrough.text import as_word, escape_label, whole_number

ReadCells = Sequence[Sequence[ReadCell]]
_COUNT = re.compile(r"[0-9]+$")
Placing = tuple[list[int | None], int]
"""Which of a step's rows or columns those of a table are, and how well their labels agree."""


class Reading(NamedTuple):
    """A table read in one way: which of its cells are labels. rows, columns: the labels; None where it has none"""

    rows: tuple[str, ...] | None
    columns: tuple[str, ...] | None
    body: ReadCells


class Fit(NamedTuple):
    """A table on a step.

    cells:  each with its row and column, those that are printed
    labels: 2 where words of both agree, 1 where there are none, or not all are known, 0 where none is
    whole:  it has the step's shape
    """

    value: Value
    cells: tuple[tuple[int, int, ReadCell], ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    labels: int
    whole: bool


def fit(table: ReadCells, value: Value, row: str = "", column: str = "") -> Fit | None:
    """The table on a step, in the best of its readings; None where it does not fit.

    row, column: labels that the table's name says
    """
    found = [one for reading in readings(table) if (one := _fit(reading, value, row, column))]
    return max(found, key=lambda one: (one.whole, one.labels, len(one.cells)), default=None)


def readings(table: ReadCells) -> Iterator[Reading]:
    """The ways to read a table: with its first row or column as labels, or as numbers."""
    if not table or not table[0]:
        return
    if _begins_with_group(table):
        table = [line[1:] for line in table]
    for has_head in (True, False):
        for has_side in (True, False):
            rows = table[has_head:]
            body = [line[has_side:] for line in rows]
            if (
                body
                and body[0]
                and not (has_head and _holds_decimals(table[0]))
                and not (has_head and not has_side and _has_empty_corner(table))
                and not (has_side and _holds_decimals([line[0] for line in table]))
            ):
                side = tuple(line[0].text for line in rows) if has_side else None
                head = tuple(entry.text for entry in table[0][has_side:]) if has_head else None
                yield Reading(side, head, body)


def _begins_with_group(table: ReadCells) -> bool:
    """Whether the first column names groups of rows, whose own labels are in the second."""
    if len(table[0]) < 3:
        return False
    groups, labels = ([line[at] for line in table[1:]] for at in (0, 1))
    named = sum(entry.is_word for entry in groups)
    is_spanned = all(entry.is_word or not entry.text for entry in groups)
    return is_spanned and 0 < 2 * named <= len(groups) and all(entry.is_word for entry in labels)


def _has_empty_corner(table: ReadCells) -> bool:
    """Whether a head begins above the second column: then the first one is labels, also where they are numbers."""
    corner, *others = table[0]
    return bool(others) and not corner.text and all(entry.text for entry in others)


def _holds_decimals(labels: Sequence[ReadCell]) -> bool:
    """Whether these cells are numbers of a matrix: labels are words, or count."""
    return any(entry.plain is not None and "." in entry.plain for entry in labels)


def shape_of(table: ReadCells) -> tuple[int, int]:
    """Rows and columns of the numbers."""
    has_head = any(entry.is_word for entry in table[0]) or (len(table) > 1 and not table[0][0].text)
    has_side = any(line[0].is_word for line in table[has_head:])
    return len(table) - has_head, len(table[0]) - has_side


def shapes_of(table: ReadCells) -> set[tuple[int, int]]:
    """The shapes that a table may have, whatever of it is labels; a vector may lie or stand."""
    shapes = {(len(one.body), len(one.body[0])) for one in readings(table)}
    return shapes | {(columns, rows) for rows, columns in shapes if 1 in (rows, columns)}


def _fit(reading: Reading, value: Value, row: str, column: str) -> Fit | None:
    if not _is_printed(reading, value):
        return None
    upright = _place(reading, value, row, column)
    is_whole = 1 in value.shape and not (row and value.shape[0] > 1)  # a row of a column is one number
    if upright is None and is_whole and 1 in (len(reading.body), len(reading.body[0])):
        lying = [list(line) for line in zip(*reading.body, strict=True)]
        return _place(Reading(reading.columns, reading.rows, lying), value, row, column)
    return upright


def _is_printed(reading: Reading, value: Value) -> bool:
    """Whether the body holds numbers, and words only where the step has them or a few cannot be read."""
    entries = [entry for line in reading.body for entry in line]
    numbers = sum(entry.plain is not None for entry in entries)
    words = sum(entry.is_word for entry in entries)
    if value.names is not None:
        known = set(map(normalize_label, value.names.values()))
        return any(normalize_label(entry.text) in known for entry in entries) or (not words and numbers > 0)
    return numbers > 0 and 4 * words <= numbers


def _place(reading: Reading, value: Value, row: str, column: str) -> Fit | None:
    body = reading.body
    empty = [all(entry.is_nothing for entry in line) for line in body]
    empty_columns = [all(line[at].is_nothing for line in body) for at in range(len(body[0]))]
    rows = place_labels(len(body), reading.rows, value.rows, empty, row)
    columns = place_labels(len(body[0]), reading.columns, value.columns, empty_columns, column)
    if rows is None or columns is None:
        return None
    cells = tuple(_cells(body, value, rows[0], columns[0]))
    said = [score for score in (rows[1], columns[1]) if score != 1]
    across, down = (tuple(at for at in axis[0] if at is not None) for axis in (columns, rows))
    whole = (len(body), len(body[0])) == value.shape
    return Fit(value, cells, down, across, min(said, default=1), whole) if cells else None


def _cells(
    body: ReadCells, value: Value, rows: Sequence[int | None], columns: Sequence[int | None]
) -> Iterator[tuple[int, int, ReadCell]]:
    """The numbers, and the words of a prediction, with their places."""
    for i, line in zip(rows, body, strict=True):
        for j, entry in zip(columns, line, strict=True):
            if i is None or j is None or entry.is_nothing:
                continue
            if entry.plain is not None or value.is_word(j):
                yield i, j, entry


def foreign_labels(table: ReadCells, value: Value) -> tuple[list[str], Sequence[str]]:
    """The words that a table has for labels where the step's are others, and these."""
    for reading in readings(table):
        for labels, expected in ((reading.rows, value.rows), (reading.columns, value.columns)):
            if labels is not None and are_foreign(labels, expected):
                return list(filter(is_word_label, labels)), expected
    return [], value.rows


def place_labels(
    count: int, labels: Sequence[str] | None, expected: Sequence[str], left_out: Sequence[bool], name: str
) -> Placing | None:
    """Which of a step's rows, or columns, those of a table are, and how well the labels agree."""
    if labels is not None and (found := _by_labels(labels, expected, left_out)) is not None:
        return found, 2 if any(not label.isdigit() for label in expected) or count != len(expected) else 1
    if name and count == 1:
        at = place_of(name, expected)
        return None if at is None else ([at], 2)
    if labels is not None and not any(map(is_word_label, labels)) and count != len(expected):
        return None
    if count == len(expected):
        return list(range(count)), 0 if labels is not None and are_foreign(labels, expected) else 1
    if left_out.count(True) == 1 and count - 1 <= len(expected):  # the first before the gap, the last after it
        gap = left_out.index(True)
        return [*range(gap), None, *range(len(expected) - (count - gap - 1), len(expected))], 1
    return None


def are_foreign(labels: Sequence[str], expected: Sequence[str]) -> bool:
    """Whether these are words, none of them a label of the step; x_1, x_2, … only count, and one may be its name."""
    if not any(map(is_word_label, labels)) or len(expected) == 1:
        return False
    return not _are_counted(labels) and all(_find(label, expected) is None for label in labels if is_word_label(label))


def _are_counted(labels: Sequence[str]) -> bool:
    """Whether each ends with its number, from 0 or from 1."""
    counts = [_COUNT.search(unicodedata.normalize("NFKC", label)) for label in labels]
    numbers = [int(found[0]) if found else -1 for found in counts]
    return numbers in (list(range(len(labels))), list(range(1, len(labels) + 1)))


def is_word_label(label: str) -> bool:
    """Whether a label says more than a place."""
    return bool(label) and not label.isdigit()


def _by_labels(labels: Sequence[str], expected: Sequence[str], left_out: Sequence[bool]) -> list[int | None] | None:
    """The places of the labels; None where one is not known, or stands twice."""
    if list(map(normalize_label, labels)) == list(map(normalize_label, expected)):
        return list(range(len(expected)))
    found = [_find(label, expected) for label in labels]
    places = [at for at, out in zip(found, left_out, strict=True) if at is not None or not out]
    if None in places or len(set(places)) < len(places) or not places:
        return None
    return found


def place_of(label: str, expected: Sequence[str]) -> int | None:
    """The place of a label, or of a number, which counts from 1."""
    if (at := _find(label, expected)) is not None:
        return at
    number = whole_number(label) or 0
    return number - 1 if 0 < number <= len(expected) else None


def _find(label: str, expected: Sequence[str]) -> int | None:
    """The place of a label; one of several alike must say which."""
    wanted = normalize_label(label)
    at = [place for place, one in enumerate(expected) if normalize_label(one) == wanted]
    at = at or [
        place for place, one in enumerate(expected) if normalize_label(one.rpartition("@")[0]) == wanted and wanted
    ]
    return at[0] if len(at) == 1 else None


def normalize_label(label: str) -> str:
    """A label as it is compared: as printed, whatever its case and its quotes."""
    return str(as_word(escape_label(label))).strip(" '\"`*:").casefold() or label


ENOUGH = 0.5
"""The share of numbers that agree where numbers decide between several steps that a name leaves."""
MOST = 0.75
"""The share that agrees with a step which nothing but its numbers speaks for."""
_MOST_WHOLE = 0.9
"""The same where all numbers are small and whole: a matrix of 0 and 1 agrees with half of any other."""
_SMALL = 10
_NEAR = 0.05
"""What rounding on the way may move a number by, as a share of the range of a step's numbers."""


def share(one: Fit) -> float:
    """The share of a table's numbers that agree with a step's, up to one unit of their last digit."""
    printed, right, slack = _numbers(one)
    if not printed.size:
        return ENOUGH
    with np.errstate(invalid="ignore"):
        return float(((np.abs(printed - right) <= slack) | (printed == right)).mean())


def is_alike(one: Fit) -> bool:
    """Whether most numbers agree, or all nearly, as those do that were computed from rounded ones."""
    return share(one) >= (_MOST_WHOLE if is_of_small_whole_numbers(one) else MOST) or _is_near(one)


def is_of_small_whole_numbers(one: Fit) -> bool:
    """Whether its numbers are weak evidence: they agree with others by chance."""
    return all(
        entry.plain is None or (float(entry.plain).is_integer() and abs(float(entry.plain)) < _SMALL)
        for *_, entry in one.cells
    )


def is_right(one: Fit) -> bool:
    """Whether all numbers agree, or nearly."""
    return share(one) == 1 or _is_near(one)


def _is_near(one: Fit) -> bool:
    printed, right, slack = _numbers(one)
    finite = right[np.isfinite(right)]
    if finite.size < 4:
        return False
    near = np.maximum(_NEAR * np.ptp(finite), slack)
    with np.errstate(invalid="ignore"):
        return bool(((np.abs(printed - right) <= near) | (printed == right)).all())


def most_alike(fits: Sequence[Fit], is_named: bool) -> Fit | None:
    """The first of those with which most numbers agree, if at least half do; without name and labels, if most do."""
    shares = [share(one) for one in fits]
    best = max(shares, default=0.0)
    found = fits[shares.index(best)] if best >= ENOUGH else None
    return found if found is None or is_named or found.labels == 2 or is_alike(found) else None


def _numbers(one: Fit) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """What is printed, what is right, and by how much they may differ: about a unit of the last digit.

    Of small whole numbers it is half a unit: nearly all numbers of a Transformer are within one.
    """
    cells = [(row, column, entry.plain) for row, column, entry in one.cells if entry.plain is not None]
    printed = np.array([float(plain) for *_, plain in cells])
    right = np.array([one.value.array[row, column] for row, column, _ in cells], dtype=float)
    with np.errstate(over="ignore"):  # that of 1e400 is infinite too
        units = np.power(10.0, [-(decimals_of(plain) or 0) for *_, plain in cells])
    return printed, right, units * (0.5 if is_of_small_whole_numbers(one) else 0.75)
