"""Marks a sheet: each cell against the right number, and against the student's own numbers before it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from walkthrough.judging.assumed import Assumed
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judge, Verdict
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.recording.values import Value
from walkthrough.teaching.mark.marked import Marked, MarkedCell
from walkthrough.teaching.mark.own import Own, Place
from walkthrough.teaching.mark.trivial import Trivial
from walkthrough.teaching.read.answer import EMPTY, Answer
from walkthrough.teaching.sheet import Sheet, Step
from walkthrough.teaching.write.cells import is_word
from walkthrough.text import as_word, meant, whole_number

_WORD = {"exact": "right", "rounding": "right", "unjudged": "right", "inherited": "follows", "wrong": "wrong"}

Answers = Mapping[Place, Answer]


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def mark(sheet: Sheet, answers: Answers, name: str = "", altered: Sequence[str] = ()) -> Marked:
    """Marks the answers to a sheet; what was probably done, and lines, come with `explain`."""
    read = [_read(step, answers) for step in sheet.asked]
    pairs = list(zip(sheet.asked, read, strict=True))
    own = Own(
        sheet,
        {
            place: one.number
            for step, found in pairs
            for place, one in zip(step.places, found, strict=True)
            if one.number is not None
        },
    )
    judge, shown = _judge(sheet)
    cells = [_printed(step, found) for step, found in pairs]
    prints = [
        BoundPrint(step.exact, tuple(cell for cell in some if cell is not None))
        for step, some in zip(sheet.asked, cells, strict=True)
    ]
    verdicts = judge.all(prints, shown)
    marked = [
        _marked(step, place, answer, verdicts[cell] if cell is not None else None)
        for (step, found), some in zip(pairs, cells, strict=True)
        for place, answer, cell in zip(step.places, found, some, strict=True)
    ]
    trivial = Trivial(own, {cell.place for cell in marked if cell.verdict == "follows"})
    marked = [
        cell.replace(is_trivial=True)
        if cell.verdict == "follows" and trivial(cell.value, cell.row, cell.column)
        else cell
        for cell in marked
    ]
    return Marked(name, sheet, tuple(marked), own, tuple(altered))


def _read(step: Step, answers: Answers) -> list[Answer]:
    """The answers to a step, in the order of its places."""
    found = [answers.get(place, EMPTY) for place in step.places]
    if step.value.names is None:
        return found
    return [read_answer(step.value, place[2], answer) for place, answer in zip(step.places, found, strict=True)]


def read_answer(value: Value, column: int, answer: Answer) -> Answer:
    """An answer with the word that it means, where a word is asked for: its number is the id then, −1 of a foreign one.

    A word may be written in other case, or as its id.
    """
    if not is_word(value, column) or answer.is_missing or answer.reason:
        return answer
    names = value.names or {}
    word = answer.text.strip()
    ids, words = list(names), [as_word(name) for name in names.values()]
    at = meant(word, words)
    if at is None:
        same = [at for at, name in enumerate(words) if name.casefold() == word.casefold()]
        at = same[0] if len(same) == 1 else None
    if at is None and (number := whole_number(word)) in names:
        at = ids.index(number)
    return answer.replace(number=float(ids[at]) if at is not None else -1.0)


def _judge(sheet: Sheet) -> tuple[Judge, list[BoundPrint]]:
    """The judge of a sheet, and the numbers that stand on it beside the given ones."""
    shown = [
        BoundPrint(step.exact, tuple(_as_shown(step)))
        for step in sheet.steps
        if not step.is_left_out and not step.to_fill.all()
    ]
    everything = [*shown, *(BoundPrint(step.exact, ()) for step in sheet.asked)]
    digits = {step.exact: step.digits for step in sheet.steps}
    assumed = Assumed(sheet.exact, everything, digits.get, "as was asked for")
    return Judge(sheet.scenario.spec, sheet.exact, assumed, for_student=True), shown


def _as_shown(step: Step) -> list[PrintedCell]:
    """The numbers of a step that stand on the sheet; unknown ones do not."""
    array = step.value.array
    return [
        PrintedCell(
            step.exact, int(row), int(column), _as_printed(step, float(array[row, column]), int(row), int(column))
        )
        for row, column in np.argwhere(~step.to_fill & ~np.isnan(array))
        if not is_word(step.value, int(column)) and not step.is_asked
    ]


def _as_printed(step: Step, number: float, row: int, column: int) -> Printed:
    return Printed(repr(number), number, step.decimals(number, row, column))


def _printed(step: Step, answers: Sequence[Answer]) -> list[PrintedCell | None]:
    """Answers as the judge takes them: claiming the digits of the sheet, whatever digits they have."""
    exact, has_words = step.exact, step.value.names is not None
    cells: list[PrintedCell | None] = []
    for (_, row, column), answer in zip(step.places, answers, strict=True):
        number = answer.number
        if number is None:
            cells.append(None)
        elif has_words and is_word(step.value, column):
            names = step.value.names or {}
            cells.append(PrintedCell(exact, row, column, names.get(int(number), answer.text)))
        else:
            printed = Printed(_plain(answer), number, step.decimals(number, row, column))
            cells.append(PrintedCell(exact, row, column, printed))
    return cells


def _plain(answer: Answer) -> str:
    """The digits of an answer, as many as were written."""
    assert answer.number is not None
    if not math.isfinite(answer.number) or answer.decimals is None:
        return repr(answer.number)
    return f"{answer.number:.{min(answer.decimals, 17)}f}"


def _marked(step: Step, place: Place, answer: Answer, verdict: Verdict | None) -> MarkedCell:
    _, row, column = place
    if verdict is None:
        return MarkedCell(step, row, column, answer, "missing" if answer.is_missing else "unreadable")
    word = _WORD[verdict.word]
    from_own = None if word == "wrong" else word == "follows" or verdict.is_from_own
    return MarkedCell(step, row, column, answer, word, from_own)
