"""Marks a sheet: each cell against the right number, and against the student's own numbers before it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from walkthrough.judging.assumption import RoundingAssumption
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judge, Judgement
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import WrittenNumber
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.fairness import are_of_another, find_trivial
from walkthrough.teaching.marking.marked import Alteration, Marked, MarkedCell, charge_once
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import EMPTY, Answer, strip_quotes
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.text import as_word, find_meant, whole_number

Answers = Mapping[Place, Answer]


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def mark(sheet: Sheet, answers: Answers, name: str = "", altered: Sequence[Alteration] = ()) -> Marked:
    """Marks the answers to a sheet."""
    cells, own = judge(sheet, answers)
    explained = with_causes(cells, own)
    is_of_another = are_of_another(explained)
    charged = cells if is_of_another else charge_once(explained)
    trivial = find_trivial(charged, sheet)
    marked = tuple(cell.replace(is_trivial=True) if cell.place in trivial else cell for cell in charged)
    return Marked(name, sheet, marked, own, tuple(altered), is_of_another=is_of_another)


@np.errstate(all="ignore")
def judge(sheet: Sheet, answers: Answers) -> tuple[list[MarkedCell], StudentCalculation]:
    """The verdict on each cell, and the calculation that the student continues with."""
    cells = [read_answer(step, place, answers.get(place, EMPTY)) for step, place in sheet.places]
    own = StudentCalculation(sheet, {one.place: one.answer.number for one in cells if one.answer.number is not None})
    printed = [_printed(cell) for cell in cells]
    verdicts = _judge(sheet, [one for one in printed if one is not None])
    return [cell if one is None else _with(verdicts[one], cell) for cell, one in zip(cells, printed, strict=True)], own


def _with(judgement: Judgement, cell: MarkedCell) -> MarkedCell:
    verdict = judgement.verdict
    from_own = None if verdict is Verdict.WRONG else verdict is Verdict.FOLLOWS or judgement.is_from_own
    return cell.replace(finding=verdict, from_own=from_own)


def _judge(sheet: Sheet, printed: Sequence[PrintedCell]) -> dict[PrintedCell, Judgement]:
    """The judge's verdict on every answer that can be read; the judge gets what is printed on the sheet as well."""
    shown = [
        BoundPrint(step.exact, tuple(_shown_numbers(step)))
        for step in sheet.steps
        if not step.is_left_out and not step.blank.all()
    ]
    digits = {step.exact: step.digits for step in sheet.steps}
    everything = [*shown, *(BoundPrint(step.exact, ()) for step in sheet.blank_steps)]
    assumption = RoundingAssumption(sheet.exact, everything, digits.get, "as was asked for")
    judge = Judge(sheet.scenario.spec, sheet.exact, assumption, for_student=True)
    return judge.verdicts([BoundPrint(cell.value, (cell,)) for cell in printed], shown)


def _shown_numbers(step: Step) -> list[PrintedCell]:
    """The numbers of a step that are printed on the sheet, without unknown ones."""
    if step.has_blanks:
        return []
    return [
        PrintedCell(step.exact, row, column, Printed(repr(number), number, step.decimals(number, row, column)))
        for row, numbers in enumerate(step.value.array.tolist())
        for column, number in enumerate(numbers)
        if not math.isnan(number) and not step.value.is_word(column)
    ]


def read_answer(step: Step, place: Place, answer: Answer) -> MarkedCell:
    """An answer in its cell, before it is judged; a word is looked up."""
    _, row, column = place
    if step.value.is_word(column):
        answer = look_up_word(step.value, answer)
    if answer.number is not None:
        return MarkedCell(step, row, column, answer, Verdict.UNJUDGED)
    return MarkedCell(step, row, column, answer, Verdict.MISSING if answer.is_missing else Verdict.UNREADABLE)


def _printed(cell: MarkedCell) -> PrintedCell | None:
    """What was written, claiming the digits of the sheet; None where it cannot be read."""
    number = cell.answer.number
    if number is None:
        return None
    if cell.value.is_word(cell.column):
        printed: Printed | str = (cell.value.names or {}).get(int(number), cell.answer.text)
    else:
        wanted = cell.step.decimals(number, cell.row, cell.column)
        printed = Printed(_digits(cell.answer, number), number, wanted)
    return PrintedCell(cell.step.exact, cell.row, cell.column, printed)


def look_up_word(value: Value, answer: Answer) -> Answer:
    """An answer with the id of its word as its number, −1 for a word that the step does not know.

    Case does not count where only one word is meant then; an id stands for its word.
    """
    if answer.is_missing or answer.reason:
        return answer
    names = value.names or {}
    word = strip_quotes(answer.text)
    ids, words = list(names), [as_word(name) for name in names.values()]
    at = find_meant(word, words)
    if at is None:
        same = [at for at, name in enumerate(words) if name.casefold() == word.casefold()]
        at = same[0] if len(same) == 1 else None
    if at is None and (number := whole_number(word)) in names:
        at = ids.index(number)
    return answer.replace(number=float(ids[at]) if at is not None else -1.0)


def _digits(answer: Answer, number: float) -> str:
    """The digits of an answer, as many as were written."""
    if not math.isfinite(number) or answer.decimals is None:
        return repr(number)
    return f"{number:.{min(answer.decimals, 17)}f}"


def with_causes(cells: Sequence[MarkedCell], own: StudentCalculation) -> list[MarkedCell]:
    """The cells with the cause of each wrong number for which there is strong evidence."""
    causes = find_causes(_written(cells), own, own.sheet.hand)
    return [cell.replace(cause=causes.get(CellAt(cell.value, cell.row, cell.column))) for cell in cells]


def _written(cells: Sequence[MarkedCell]) -> Iterator[WrittenNumber]:
    for cell in cells:
        number = cell.answer.number
        if number is not None and cell.value.names is None:
            wanted = cell.step.decimals(number, cell.row, cell.column)
            yield WrittenNumber(cell.value, cell.row, cell.column, number, wanted, cell.answer.decimals, cell.is_wrong)
