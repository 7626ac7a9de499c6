"""The line of a marked cell: the arithmetic with the student's own numbers, or why it cannot be read."""

from __future__ import annotations

import numpy as np

from walkthrough.explaining.explanation import MOST_TERMS
from walkthrough.explaining.worked import Worked, line_in, work_out
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.causes.rounding_slips import is_rounded_to
from walkthrough.recording.verdict import Verdict
from walkthrough.records import Record
from walkthrough.teaching.mark.marked import MarkedCell
from walkthrough.teaching.mark.student import StudentCalculation
from walkthrough.teaching.read.answer import simplify_answer
from walkthrough.teaching.read.dates import is_date
from walkthrough.teaching.read.quotient import is_calculation
from walkthrough.teaching.titles import Name, path_of


class OwnLine(Record):
    """The arithmetic of a cell with the student's own numbers, in a language.

    notes: the steps before it of which a number is missing; the digits that were asked for, where there are fewer
    """

    worked: Worked
    notes: tuple[str, ...]


def line_of(cell: MarkedCell, own: StudentCalculation, words: Catalogue, name: Name = path_of) -> str | None:
    """The line of a wrong cell; the reason for an unreadable one.

    name: how another step is called
    """
    if cell.finding is Verdict.UNREADABLE:
        return unreadable_reason(cell, words)
    if not cell.is_wrong:
        return None
    line = own_line(cell, own, words, name)
    return f"{line.worked} ({'; '.join(line.notes)})" if line.notes else str(line.worked)


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def own_line(cell: MarkedCell, own: StudentCalculation, words: Catalogue, name: Name) -> OwnLine:
    """The line of a cell that was handed in. name: how another step is called"""
    step = own.with_own_inputs(cell.value)
    digits = max(cell.step.digits.count, 1)
    worked = line_in(work_out(step, cell.row, cell.column, digits, MOST_TERMS), words)
    missing = own.missing_before(cell.value, cell.row, cell.column)
    notes = [words("not_handed_in", steps=", ".join(map(name, missing)))] if missing else []
    if _has_fewer(cell, float(own.compute(cell.value)[cell.row, cell.column])):
        notes.append(words("asked_for", digits=words.digits(cell.step.digits)))
    return OwnLine(worked, tuple(notes))


def _has_fewer(cell: MarkedCell, expected: float) -> bool:
    """Whether it would be right with as few digits as were written."""
    number, decimals = cell.answer.number, cell.answer.decimals
    if number is None or decimals is None or decimals >= cell.step.decimals(number, cell.row, cell.column):
        return False
    return is_rounded_to(expected, number, decimals)


def unreadable_reason(cell: MarkedCell, words: Catalogue) -> str:
    """Why a cell cannot be read."""
    name, *parts = cell.answer.reason.split("\n")
    if name:
        return words(f"unreadable_{name}", **dict(zip(("one", "other"), parts, strict=False)))
    if cell.value.is_word(cell.column):
        return words("unreadable_word")
    if is_date(cell.answer.text):
        return words("unreadable_date")
    is_open = is_calculation(simplify_answer(cell.answer.text))
    return words("unreadable_calculation" if is_open else "unreadable_text")
