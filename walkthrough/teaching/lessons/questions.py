"""What is right for a question of the course, and what is said to an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.expressions.tree.nodes import Cell
from walkthrough.expressions.tree.walk import cells
from walkthrough.languages.catalogue import catalogue
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.sentences import say_likely
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.teaching.lessons.chapters import Question
from walkthrough.teaching.lessons.given_answers import GivenAnswers
from walkthrough.teaching.marking.sentences import unreadable_reason
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
from walkthrough.teaching.sheets.write.texts import Cells, formula
from walkthrough.text import escape_label
from walkthrough.transformer.loading.changes import change_scenario, read_change
from walkthrough.transformer.loading.load import load_scenario
from walkthrough.transformer.runs.run import trace

_HEAD = re.compile(r"head\.([0-9]+)\.")


class Reply(NamedTuple):
    """Whether an answer is right, what more there is to say of it, and whether it could be read as an answer at all."""

    is_right: bool
    remark: str = ""
    is_answer: bool = True


class ChoiceJudge:
    """Choices with letters."""

    operands: Sequence[Value] = ()

    def __init__(self, question: Question) -> None:
        self._question = question
        self.right = question.letter
        self.hint = ""
        self._reasons = dict(question.reasons)
        self._letters = re.findall(r"^- ([a-z])\)", question.markdown, re.MULTILINE)

    def judge(self, text: str) -> Reply:
        """The verdict on an answer."""
        letter = text.strip(" ().").casefold()
        if letter not in self._letters:
            return Reply(False, f"Answer with one of the letters {', '.join(self._letters)}.", is_answer=False)
        return Reply(letter == self.right, self._reasons.get(letter, ""))

    def rows_of(self, operands: Collection[Value]) -> list[str]:
        """What the question says that it is to be chosen from, a line for each row."""
        return list(_rows_to_look_at(self._question)) if self._question.looks_at else []


def _rows_to_look_at(question: Question) -> Iterator[str]:
    """The rows that a choice is made from, as the chapter prints them; of several heads each says which."""
    recorded = trace(_scenario_of(question))
    parted = [selector.removesuffix("]").partition("[") for selector in question.looks_at]
    steps = [(recorded.only(selector), row) for selector, _, row in parted]
    heads = [_HEAD.search(value.path) for value, _ in steps]
    names = {found[0] for found in heads if found is not None}
    for (value, chosen), head in zip(steps, heads, strict=True):
        before = f"head {head[1]}: " if head is not None and len(names) > 1 else ""
        for row in [value.rows.index(chosen)] if chosen else range(value.shape[0]):
            strip = [Cell(0, row, column) for column in range(value.shape[1])]
            numbers = "  ".join(_shown(float(number), recorded.decimals) for number in value.array[row])
            yield f"    {before}{_strip_name(value, strip)}: {numbers}"


def _scenario_of(question: Question) -> Scenario:
    """The scenario of a question, with what it sets."""
    scenario = load_scenario(question.scenario)
    return change_scenario(scenario, map(read_change, question.sets)) if question.sets else scenario


def _shown(number: float, decimals: int) -> str:
    return catalogue("en").number(typeset(f"{number:.0f}" if number.is_integer() else f"{number:.{decimals}f}"))


class NumberJudge:
    """A number or a predicted word, judged as in practice: by its digits, and with fair reading."""

    def __init__(self, question: Question) -> None:
        scenario = _scenario_of(question)
        selector = question.cell.partition("[")[0].strip()
        options = SheetOptions((selector,), rounding=_rounding(question, scenario.spec, selector))
        self._sheet = Maker(scenario, question.scenario, options).sheet()
        self._by_hand = question.by_hand
        self.reasons = {float(number): reason for number, reason in question.reasons}
        self._words = catalogue("en")
        cell = self._sheet.hand.cell(question.cell)
        self._step = next(step for step in self._sheet.steps if step.value.path == cell.value.path)
        self._place = (cell.value.path, cell.row, cell.column)
        self.hint = formula(self._step.value, self._words)

    @property
    def cell(self) -> str:
        """What is asked for, as PATH[row, column]."""
        path, row, column = self._place
        return f"{path}[{self._step.value.rows[row]}, {self._step.value.columns[column]}]"

    @property
    def right(self) -> str:
        """The right answer."""
        if self._by_hand:
            return self._answers().show(self._step, self._place)
        _, row, column = self._place
        return self._words.number(typeset(self._step.digits.text(float(self._step.right[row, column]))))

    def judge(self, text: str) -> Reply:
        """The verdict on an answer."""
        cell = self._answers().judge(self._step, self._place, text.strip())
        if cell.finding is Verdict.UNREADABLE:
            reason = unreadable_reason(cell, self._words)
            return Reply(False, f"{reason[:1].upper()}{reason[1:]}.", is_answer=False)
        if cell.is_right or cell.cause is not None:
            return Reply(cell.is_right, say_likely([cell.cause], self._words) if cell.cause is not None else "")
        return Reply(False, self.reasons.get(cell.answer.number or 0.0, ""))

    @property
    def operands(self) -> list[Value]:
        """The steps that it is computed from."""
        return list(dict.fromkeys(self._step.value.inputs))

    def rows_of(self, operands: Collection[Value]) -> list[str]:
        """The numbers of these steps that the cell is computed from: a line for each row or column."""
        _, row, column = self._place
        read: dict[Value, list[Cell]] = {}
        for cell in dict.fromkeys(cells(self._step.value.cell(row, column))):
            one = self._step.value.inputs[cell.operand]
            if one in operands and not one.is_word(cell.column):
                read.setdefault(one, []).append(cell)
        return [
            f"    {_strip_name(one, strip)}: {'  '.join(self._text(one, cell) for cell in strip)}"
            for one, strip in read.items()
        ]

    def _text(self, value: Value, cell: Cell) -> str:
        number = float(value.array[cell.row, cell.column])
        return self._words.number(typeset(f"{number:.0f}" if number.is_integer() else Cells(value).number(number)))

    @property
    def rights(self) -> list[float]:
        """The right number, by hand and exactly."""
        _, row, column = self._place
        return [float(one.array[row, column]) for one in (self._step.value, self._step.exact)]

    @property
    def half(self) -> float:
        """Half a unit of the last digit that is asked for."""
        return float(self._step.digits.unit(np.array([self.rights[0] or 1.0]))[0]) / 2

    @property
    def slips(self) -> list[tuple[Mistake, float]]:
        """What usual mistakes give."""
        return self._answers().mistakes(self._step, self._place)

    def _answers(self) -> GivenAnswers:
        return GivenAnswers(self._sheet, self._words, are_shown=False)


def _strip_name(value: Value, strip: Sequence[Cell]) -> str:
    """What a row or a column, or a few numbers, of a step are called."""
    first, symbol = strip[0], value.kind.symbol
    if len(strip) == 1:
        return str(cell_name(value, first.row, first.column))
    if all(cell.row == first.row for cell in strip):
        return f"{symbol}, row {escape_label(value.rows[first.row])}"
    return f"{symbol}, column {escape_label(value.columns[first.column])}"


def _rounding(question: Question, spec: ScenarioSpec, selector: str) -> dict[str, Any]:
    """How the question's numbers are rounded: those before it as the chapter shows them, or as the scenario says."""
    stated = spec.rounding if question.by_hand else None
    steps = dict(stated.steps or {}) if stated is not None else {}
    written = {
        name: f"{count} significant" if is_significant else count for name, (count, is_significant) in steps.items()
    }
    if question.decimals is not None:
        written[selector] = question.decimals
    decimals = spec.decimals if stated is None or stated.decimals is None else stated.decimals
    return {"decimals": decimals, **({"steps": written} if written else {})}


AnswerJudge = ChoiceJudge | NumberJudge


def judge_of(question: Question) -> AnswerJudge:
    """What judges the answers to a question."""
    return ChoiceJudge(question) if question.letter else NumberJudge(question)
