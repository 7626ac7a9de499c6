"""The answers of a round of practice so far: what the next one is judged by, and what its hints are made of."""

from __future__ import annotations

from walkthrough.explaining.explanation import MOST_TERMS
from walkthrough.explaining.worked import Worked, line_in, work_out
from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.mark import judge, with_causes
from walkthrough.teaching.marking.marked import MarkedCell
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import Answer, answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step


class GivenAnswers:
    """The answers that a student continues with: the last one to each cell that could be read."""

    def __init__(self, sheet: Sheet, words: Catalogue) -> None:
        self.sheet = sheet
        self.words = words
        self._answers: dict[Place, Answer] = {}

    def judge(self, step: Step, place: Place, text: str) -> MarkedCell:
        """The verdict on an answer, from the numbers before it; it is gone on with, whether it is right or not."""
        answer = answer_of(text)
        cell = self._mark(step, place, answer)
        if cell.finding is not Verdict.UNREADABLE:
            self._answers[place] = cell.answer
        return cell

    def _mark(self, step: Step, place: Place, answer: Answer) -> MarkedCell:
        sheet = sheet_up_to(self.sheet, step)
        cells, own = judge(sheet, {**self._answers, place: answer})
        found = next(cell for cell in cells if cell.place == place)
        if not found.is_wrong:
            return found
        explained = with_causes([cell for cell in cells if cell.value is found.value], own)
        return next(cell for cell in explained if cell.place == place)

    def arithmetic(self, step: Step, place: Place) -> str:
        """The line with the student's own numbers, without its result."""
        found = self._work_out(step, place)
        arithmetic = found.arithmetic or self.words.title(step.value.kind)
        return f"{found.name} = {arithmetic}"

    def right_answer(self, step: Step, place: Place) -> str:
        """What the student's own numbers give for a cell."""
        return self._work_out(step, place).result

    def _work_out(self, step: Step, place: Place) -> Worked:
        numbers = {at: one.number for at, one in self._answers.items() if one.number is not None}
        value = StudentCalculation(self.sheet, numbers).with_own_inputs(step.value)
        line = work_out(value, place[1], place[2], max(step.digits.count, 1), MOST_TERMS)
        return line_in(line, self.words)


def sheet_up_to(sheet: Sheet, step: Step) -> Sheet:
    """The sheet up to a step: nothing after it has been asked."""
    return sheet.replace(steps=sheet.steps[: sheet.steps.index(step) + 1])
