"""Marks what was handed in: its answers find their cells, are judged, and what went wrong is explained."""

from __future__ import annotations

from walkthrough.teaching.catalogue import Catalogue, catalogue
from walkthrough.teaching.mark.altered import describe_altered
from walkthrough.teaching.mark.assignment import Assignment
from walkthrough.teaching.mark.explain import explain
from walkthrough.teaching.mark.mark import mark
from walkthrough.teaching.mark.marked import Marked
from walkthrough.teaching.mark.own import Place
from walkthrough.teaching.read.answer import Answer
from walkthrough.teaching.read.filled import Filled, place_answers
from walkthrough.teaching.sheet import Sheet, SheetError
from walkthrough.text import printable


def mark_filled(filled: Filled, assignment: Assignment, words: Catalogue | None = None) -> Marked:
    """Marks what was handed in; says what of the given numbers is altered. words: None: the language of the sheet"""
    sheet = assignment.sheet(filled)
    words = words or catalogue(sheet.language)
    student = filled.student or sheet.student
    answers = _place(filled, sheet)
    found = mark(sheet.replace(student=student), answers, filled.name, describe_altered(filled, sheet, words))
    return explain(found, words)


def _place(filled: Filled, sheet: Sheet) -> dict[Place, Answer]:
    try:
        return place_answers(filled, sheet)
    except SheetError as error:
        if filled.scenario in ("", sheet.name):
            raise
        names = map(printable, (filled.name, filled.scenario, sheet.name))
        raise SheetError("{} is a sheet of {}, not of {}: {}".format(*names, error)) from None
