"""Judges the numbers of a draft as published ones of a scenario, whose own published numbers are not used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from walkthrough.drafts.cells import ReadCell
from walkthrough.drafts.draft import DraftError, items_of, read_draft
from walkthrough.drafts.fit import Fit
from walkthrough.drafts.items import Item, Table
from walkthrough.drafts.markup import clean
from walkthrough.drafts.place import NotPlaced, Placed, place
from walkthrough.drafts.reasons import HOW_TO_NAME
from walkthrough.judging import check
from walkthrough.judging.check import Judged
from walkthrough.judging.digits import Printed, decimals_of, most_decimals
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.recording.trace import Trace
from walkthrough.recording.verdict import Verdict
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.text import escape_label


class DraftResult(Record):
    """What is said of a draft.

    lines:  of the draft, one for each cell of `judged`
    placed: its tables with their steps
    """

    draft: str
    judged: check.CheckResult
    lines: tuple[int, ...]
    placed: tuple[Placed, ...]
    not_placed: tuple[NotPlaced, ...]


class NothingPlacedError(DraftError):
    """A draft in which nothing can be placed. report: says why of each of its tables"""

    def __init__(self, report: DraftResult) -> None:
        what = "none of its tables can be placed" if report.not_placed else "it holds no matrix"
        name = escape_label(report.draft)
        each = [f"\n  {name}:{one.line} ({one.shown_shape}): {one.why}" for one in report.not_placed]
        said = f":{''.join(each)}\n{HOW_TO_NAME}" if each else ""
        super().__init__(f"{name}: {what} in {escape_label(report.judged.name)}{said}")
        self.report = report


def check_draft(name: str, scenario: Scenario, trace: Trace, scenario_name: str = "") -> DraftResult:
    """Reads a draft, places its tables and judges their numbers.

    Raises DraftError where it is none, NothingPlacedError where nothing in it can be placed.
    """
    items = _without_description(items_of(read_draft(name), name), trace)
    found = list(place(items, trace))
    placed = [one for one in found if isinstance(one, Placed)]
    not_placed = tuple(one for one in found if isinstance(one, NotPlaced))
    prints = [_bind(one.fit) for one in placed]
    judged = check.judge_prints(scenario, trace, [print for print, _ in prints], scenario_name or scenario.source.name)
    cells = tuple(map(_of_given, judged.cells))
    lines = tuple(line for _, lines in prints for line in lines)
    report = DraftResult(name, judged.replace(cells=cells), lines, tuple(placed), not_placed)
    if not placed:
        raise NothingPlacedError(report)
    return report


def _without_description(items: Iterable[Item], trace: Trace) -> Iterator[Item]:
    """The items, but for the tables of the scenario's description, with which the program's own documents begin."""
    described = [_texts(item) for item in items_of(trace.description, ".md") if isinstance(item, Table)]
    is_first = True
    for item in items:
        is_first = is_first and not (isinstance(item, Table) and _texts(item) not in described)
        if not (is_first and isinstance(item, Table)):
            yield item


def _texts(table: Table) -> list[list[str]]:
    return [[clean(cell.text) for cell in row] for row in table.rows]


def _of_given(one: Judged) -> Judged:
    """A given number is exact or wrong: it is not computed from any."""
    is_off = one.cell.value.operation is None and one.finding in (Verdict.ROUNDING, Verdict.FOLLOWS)
    return one.replace(finding=Verdict.WRONG) if is_off else one


def _bind(fit: Fit) -> tuple[BoundPrint, Sequence[int]]:
    """The numbers of a table as a print of its step, and the line of each."""
    value = fit.value
    longest = most_decimals(entry.plain for *_, entry in fit.cells if entry.plain is not None)
    cells = [
        (PrintedCell(value, row, column, printed), entry.line)
        for row, column, entry in fit.cells
        if (printed := _printed(fit, column, entry, longest)) is not None
    ]
    return BoundPrint(value, tuple(cell for cell, _ in cells)), [line for _, line in cells]


def _printed(fit: Fit, column: int, entry: ReadCell, longest: int) -> Printed | str | None:
    """A word as the step has it, or a number; None where it is neither."""
    if fit.value.names is not None and fit.value.is_word(column):
        words = {escape_label(word).casefold(): word for word in fit.value.names.values()}
        return words.get(entry.text.casefold()) or words.get(escape_label(entry.text).casefold(), entry.text)
    if entry.plain is None:
        return None
    return Printed.of(entry.text, float(entry.plain), decimals_of(entry.plain), longest)
