"""What a what-if has changed: the steps that differ, and the predictions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.explaining.shown import Shown, decimals_of
from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.selectors import is_look_inside
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.text import escape_label
from walkthrough.views.report.blocks import Block, Code, Items, Paragraph, Table
from walkthrough.views.text.cells import cell_text

_MOST_DECIMALS = 15


def what_changed(trace: Trace, words: Catalogue, decimals: int | None = None) -> Iterator[Block]:
    """The steps that differ, and what is predicted in place of what; `decimals` as in `Options`."""
    found = list(find_differences(trace))
    rows = tuple(_row(one, one.before, trace, words, decimals) for one in found if one.before is not None)
    if not found:
        yield Paragraph(words("changed_nothing"))
        return
    if rows:
        yield Paragraph(words("changed_steps"))
        yield Table(tuple(map(words, ("changed_most", "changed_from_to"))), rows, headless=True)
    if new := len(found) - len(rows):
        yield Paragraph(words("changed_new", count=words.pluralize("count_steps", new)))
    lines = tuple(_prediction(one, trace, words, decimals) for one in predictions(trace))
    if lines:
        yield Items(lines, words("changed_prediction"))


def _row(one: Difference, before: Value, trace: Trace, words: Catalogue, decimals: int | None) -> tuple[str, ...]:
    cell = cell_name(one.value, one.row, one.column, one.value.path)
    return Code(cell), _from_to(one, before, trace, words, decimals)


def _from_to(one: Difference, before: Value, trace: Trace, words: Catalogue, decimals: int | None) -> str:
    """Both numbers, with as many decimals as it takes to tell them apart."""
    texts = ["", ""]
    for count in range(decimals_of(one.value, trace, decimals), _MOST_DECIMALS + 1):
        texts = [cell_text(Shown(value, count), one.row, one.column, words) for value in (before, one.value)]
        if texts[0] != texts[1]:
            break
    return " → ".join(texts)


def _prediction(one: Difference, trace: Trace, words: Catalogue, decimals: int | None) -> str:
    """`hot: tea 0.991 → cold 0.812`, of the last row; of a pass that was not there before `hot: … → cold 0.812`."""

    def text(value: Value | None) -> str:
        if value is None:
            return "…"
        shown = Shown.of(value, trace, decimals)
        return " ".join(cell_text(shown, value.shape[0] - 1, at, words) for at in range(value.shape[1]))

    return f"{escape_label(one.value.rows[one.row])}: {text(one.before)} → {text(one.value)}"


TOLERANCE = 1e-12
"""Smaller changes are roundings."""


class Difference(Record):
    """A step that differs.

    before:      the same step without that; None where there was none, or one of another shape
    row, column: the cell with the largest change, from 0; where there is nothing to compare with the first one
    """

    value: Value
    before: Value | None
    row: int = 0
    column: int = 0


def find_differences(trace: Trace) -> Iterator[Difference]:
    """The steps that differ by more than roundings, in the order of the calculation; none without a what-if."""
    for value in trace if trace.before is not None else ():
        before = trace.before_of(value)
        if before is None:
            yield Difference(value, None)
        elif (cell := _largest_change(value, before)) is not None:
            yield Difference(value, before, *cell)


def _largest_change(value: Value, before: Value) -> tuple[int, int] | None:
    """The cell that has changed most; another id is the largest change there is. None where none has."""
    new, old = value.array, before.array
    with np.errstate(invalid="ignore"):
        change = np.where((new == old) | (np.isnan(new) & np.isnan(old)), 0.0, np.abs(new - old))
    change[np.isnan(change)] = np.inf
    for column in value.kind.ids:
        change[:, column] = np.where(change[:, column] > 0, np.inf, 0.0)
    if not (change > TOLERANCE).any():
        return None
    row, column = divmod(int(change.argmax()), change.shape[1])
    return row, column


def predictions(trace: Trace) -> Iterator[Difference]:
    """The last prediction of each pass, beside what it was, if it was made."""
    for value in trace:
        if value.kind.outcome == "prediction" and not is_look_inside(value.path):
            before = trace.before.get(value.path) if trace.before is not None else None
            yield Difference(value, before, value.shape[0] - 1)
