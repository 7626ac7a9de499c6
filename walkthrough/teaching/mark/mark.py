"""Marks a sheet: each cell against the right number, and against the student's own numbers before it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from walkthrough.judging.assumption import RoundingAssumption
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judge, Judgement
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.mark.altered import Alteration
from walkthrough.teaching.mark.causes import name_causes
from walkthrough.teaching.mark.entries import Entry, read_entry
from walkthrough.teaching.mark.marked import Marked, MarkedCell
from walkthrough.teaching.mark.student import StudentCalculation
from walkthrough.teaching.mark.trivial import find_trivial
from walkthrough.teaching.read.answer import EMPTY, Answer
from walkthrough.teaching.sheet import Place, Sheet, Step

Answers = Mapping[Place, Answer]


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def mark(sheet: Sheet, answers: Answers, name: str = "", altered: Sequence[Alteration] = ()) -> Marked:
    """Marks the answers to a sheet."""
    cells, own = judge(sheet, answers)
    causes = name_causes(cells, own)
    explained = [cell.replace(cause=causes.get(cell.place)) for cell in cells]
    trivial = find_trivial(explained, sheet)
    marked = tuple(cell.replace(is_trivial=True) if cell.place in trivial else cell for cell in explained)
    return Marked(name, sheet, marked, own, tuple(altered))


@np.errstate(all="ignore")
def judge(sheet: Sheet, answers: Answers) -> tuple[list[MarkedCell], StudentCalculation]:
    """The verdict on each cell, and the calculation that the student continues with."""
    entries = [read_entry(step, place, answers.get(place, EMPTY)) for step, place in sheet.places]
    own = StudentCalculation(sheet, {one.place: one.answer.number for one in entries if one.answer.number is not None})
    verdicts = _judge(sheet, entries)
    return [_mark(one, verdicts[one.printed] if one.printed is not None else None) for one in entries], own


def _mark(entry: Entry, judgement: Judgement | None) -> MarkedCell:
    """The marked cell of an entry. judgement: the judge's; None where there is nothing to judge"""
    _, row, column = entry.place
    if judgement is None:
        verdict = Verdict.MISSING if entry.answer.is_missing else Verdict.UNREADABLE
        return MarkedCell(entry.step, row, column, entry.answer, verdict)
    verdict = judgement.verdict
    from_own = None if verdict is Verdict.WRONG else verdict is Verdict.FOLLOWS or judgement.is_from_own
    return MarkedCell(entry.step, row, column, entry.answer, verdict, from_own)


def _judge(sheet: Sheet, entries: Sequence[Entry]) -> dict[PrintedCell, Judgement]:
    """The judge's verdict on every entry that can be read; the judge gets what is printed on the sheet as well."""
    shown = [
        BoundPrint(step.exact, tuple(_shown_numbers(step)))
        for step in sheet.steps
        if not step.is_left_out and not step.to_fill.all()
    ]
    digits = {step.exact: step.digits for step in sheet.steps}
    everything = [*shown, *(BoundPrint(step.exact, ()) for step in sheet.asked)]
    assumption = RoundingAssumption(sheet.exact, everything, digits.get, "as was asked for")
    judge = Judge(sheet.scenario.spec, sheet.exact, assumption, for_student=True)
    printed: dict[Value, list[PrintedCell]] = {step.exact: [] for step in sheet.asked}
    for entry in entries:
        if entry.printed is not None:
            printed[entry.step.exact].append(entry.printed)
    return judge.verdicts([BoundPrint(value, tuple(cells)) for value, cells in printed.items()], shown)


def _shown_numbers(step: Step) -> list[PrintedCell]:
    """The numbers of a step that are printed on the sheet, without unknown ones."""
    if step.is_asked:
        return []
    return [
        PrintedCell(step.exact, row, column, Printed(repr(number), number, step.decimals(number, row, column)))
        for row, numbers in enumerate(step.value.array.tolist())
        for column, number in enumerate(numbers)
        if not math.isnan(number) and not step.value.is_word(column)
    ]
