"""What is right for a question of the course, and what is said to an answer."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from walkthrough.teaching.catalogue import catalogue
from walkthrough.teaching.course.chapters import Question
from walkthrough.teaching.make.maker import Maker, SheetOptions
from walkthrough.teaching.mark.causes import say
from walkthrough.teaching.mark.explain import unreadable_reason
from walkthrough.teaching.practice.given_answers import GivenAnswers
from walkthrough.teaching.practice.practice import strip_quotes
from walkthrough.teaching.write.formula import formula
from walkthrough.transformer.loading.changes import change_scenario, read_change
from walkthrough.transformer.loading.load import load_scenario


class Verdict(NamedTuple):
    """Whether an answer is right, and what more there is to say of it."""

    is_right: bool
    remark: str = ""


class Asked(Protocol):
    """A question whose answers can be judged."""

    hint: str

    def judge(self, text: str) -> Verdict:
        """The verdict on an answer."""

    @property
    def right(self) -> str:
        """The right answer."""


class AskedChoice:
    """Choices with letters."""

    def __init__(self, question: Question) -> None:
        self.right = question.letter
        self.hint = ""

    def judge(self, text: str) -> Verdict:
        letter = text.strip(" ().").casefold()
        if len(letter) != 1:
            return Verdict(False, "Answer with a letter, such as a.")
        return Verdict(letter == self.right)


class AskedNumber:
    """A number or a predicted word, judged as in practice: by its digits, and with fair reading."""

    def __init__(self, question: Question) -> None:
        scenario = load_scenario(question.scenario)
        if question.sets:
            scenario = change_scenario(scenario, map(read_change, question.sets))
        selector = question.cell.partition("[")[0].strip()
        self._sheet = Maker(scenario, question.scenario, SheetOptions((selector,), question.decimals)).sheet(None)
        self._words = catalogue("en")
        cell = self._sheet.hand.cell(question.cell)
        self._step = next(step for step in self._sheet.steps if step.value.path == cell.value.path)
        self._place = (cell.value.path, cell.row, cell.column)
        self.hint = formula(self._step.value, self._words)

    @property
    def right(self) -> str:
        return self._answers().right_answer(self._step, self._place)

    def judge(self, text: str) -> Verdict:
        cell = self._answers().judge(self._step, self._place, strip_quotes(text))
        if cell.verdict == "unreadable":
            return Verdict(False, unreadable_reason(cell, self._words))
        is_right = cell.verdict in ("right", "follows")
        return Verdict(is_right, say(cell.cause, self._words) if cell.cause is not None else "")

    def _answers(self) -> GivenAnswers:
        return GivenAnswers(self._sheet, self._words)


def asked(question: Question) -> Asked:
    """The question, ready to be answered."""
    return AskedChoice(question) if question.letter else AskedNumber(question)
