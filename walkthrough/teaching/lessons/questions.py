"""What is right for a question of the course, and what is said to an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from walkthrough.explaining.formulas import formula_text
from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.sentences import say_likely
from walkthrough.notation import typeset
from walkthrough.recording.graph import cells_read
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.keys import ScenarioSpec
from walkthrough.teaching.lessons.chapters import Question
from walkthrough.teaching.lessons.given_answers import GivenAnswers, number_shown
from walkthrough.teaching.lessons.practice import align_columns
from walkthrough.teaching.marking.sentences import unreadable_reason
from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions
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


class Strip(NamedTuple):
    """Numbers of a step that a question is answered from, by their rows and columns."""

    value: Value
    places: Sequence[tuple[int, int]]


class ChoiceJudge:
    """Choices with letters."""

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

    @property
    def lines(self) -> list[str]:
        """What it is chosen from, a line for each row or column."""
        if not self._question.looks_at:
            return []
        recorded = trace(_scenario_of(self._question))
        return _lines(rows_to_look_at(self._question, recorded), recorded.decimals)


def _shown_before(question: Question, recorded: Trace, sets: Sequence[str] | None = None) -> Iterator[Value]:
    """The steps of a question's scenario that its chapter has shown. sets: only those with these numbers"""
    for command, scenario, *options in question.before:
        pairs = list(pairwise(options))
        used = [value for name, value in pairs if name == "--set"]
        if (command, scenario) == ("run", question.scenario) and sets in (None, tuple(used)):
            for name, value in pairs:
                with suppress(SelectorError):  # other words may have other steps; a sheet has the first pass alone
                    yield from recorded.select(value.removeprefix("generate.1.")) if name == "--step" else ()


def rows_to_look_at(question: Question, recorded: Trace) -> list[Strip]:
    """The rows that a question says that it is answered from."""
    found = []
    for selector in question.looks_at:
        name, _, chosen = selector.removesuffix("]").partition("[")
        value = recorded.only(name)
        rows = [value.rows.index(chosen)] if chosen else range(value.shape[0])
        found += [Strip(value, [(row, column) for column in range(value.shape[1])]) for row in rows]
    return found


def strips_before(question: Question, recorded: Trace) -> list[Strip]:
    """What a number is calculated from: of each step before it a row, a column, or a few numbers."""
    read: dict[Value, list[tuple[int, int]]] = {}
    for cell in cells_read(*recorded.cell(question.cell)):
        read.setdefault(cell.value, []).append((cell.row, cell.column))
    return [Strip(value, places) for value, places in read.items()]


def _lines(strips: Sequence[Strip], decimals: int) -> list[str]:
    """A line for each row or column, numbers below one another; of several heads each says which."""
    heads = {found[0] for strip in strips if (found := _HEAD.search(strip.value.path)) is not None}
    lines = [[f"{_name(strip, len(heads) > 1)}:", *_numbers(strip, decimals)] for strip in strips]
    widest = max((len(line[0]) for line in lines), default=0)
    most = max(map(len, lines), default=0)
    padded = [[line[0].ljust(widest), *line[1:], *[""] * (most - len(line))] for line in lines]
    return [f"    {line}".rstrip() for line in align_columns(padded)] if padded else []


def _numbers(strip: Strip, decimals: int) -> list[str]:
    """As the chapter prints them; whole ones without decimals."""
    numbers = [float(strip.value.array[place]) for place in strip.places]
    places = 0 if all(number.is_integer() or np.isinf(number) for number in numbers) else decimals
    return [ENGLISH.number(typeset(f"{number:.{places}f}")) for number in numbers]


def _scenario_of(question: Question) -> Scenario:
    """The scenario of a question, with what it sets."""
    scenario = load_scenario(question.scenario)
    return change_scenario(scenario, map(read_change, question.sets)) if question.sets else scenario


class NumberJudge:
    """A number or a predicted word, judged as in practice: by its digits, and with fair reading."""

    def __init__(self, question: Question) -> None:
        self._question, scenario = question, _scenario_of(question)
        selector = question.cell.partition("[")[0].strip()
        options = SheetOptions((selector,), rounding=_rounding(question, scenario.spec, selector))
        self._sheet = Maker(scenario, question.scenario, options).sheet()
        self.reasons = {float(number): reason for number, reason in question.reasons}
        cell = self._sheet.hand.cell(question.cell)
        self._step = next(step for step in self._sheet.steps if step.value.path == cell.value.path)
        self._place = (cell.value.path, cell.row, cell.column)
        self._shown = set(_shown_before(question, self._sheet.hand)) - {cell.value}
        self.hint = formula_text(self._step.value, ENGLISH)

    @property
    def cell(self) -> str:
        """What is asked for, as PATH[row, column]."""
        path, row, column = self._place
        return f"{path}[{self._step.value.rows[row]}, {self._step.value.columns[column]}]"

    @property
    def right(self) -> str:
        """The right answer."""
        if self._question.by_hand:
            return self._answers().show(self._step, self._place)
        _, row, column = self._place
        return number_shown(self._step, float(self._step.right[row, column]), ENGLISH)

    def judge(self, text: str) -> Reply:
        """The verdict on an answer."""
        cell = self._answers().judge(self._step, self._place, text.strip())
        if cell.finding is Verdict.UNREADABLE:
            reason = unreadable_reason(cell, ENGLISH)
            return Reply(False, f"{reason[:1].upper()}{reason[1:]}.", is_answer=False)
        if cell.is_right or cell.cause is not None:
            return Reply(cell.is_right, say_likely([cell.cause], ENGLISH) if cell.cause is not None else "")
        return Reply(False, self.reasons.get(cell.answer.number or 0.0, ""))

    @property
    def lines(self) -> list[str]:
        """What it is calculated from, a line for each row or column: of steps that were shown; and what to look at."""
        question, recorded = self._question, self._sheet.hand if self._question.by_hand else self._sheet.exact
        shown = set(_shown_before(question, recorded, question.sets))
        strips = [one for one in strips_before(question, recorded) if one.value in shown]
        return _lines([*strips, *rows_to_look_at(question, recorded)], recorded.decimals)

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
    def operands(self) -> list[float]:
        """The numbers that it is calculated from, hidden ones apart."""
        return [one for one in self._answers().operands(self._step, self._place) if np.isfinite(one)]

    @property
    def slips(self) -> list[tuple[Mistake, float]]:
        """What usual mistakes give."""
        return self._answers().mistakes(self._step, self._place)

    def _answers(self) -> GivenAnswers:
        return GivenAnswers(self._sheet, ENGLISH, self._shown)


def _name(strip: Strip, with_head: bool) -> str:
    """What a row or a column, or a few numbers, of a step are called."""
    value, ((row, column), *others) = strip.value, strip.places
    head = _HEAD.search(value.path) if with_head else None
    before = f"head {head[1]}: " if head is not None else ""
    if not others:
        return f"{before}{cell_name(value, row, column)}"
    is_row = all(place[0] == row for place in others)
    label = f"row {escape_label(value.rows[row])}" if is_row else f"column {escape_label(value.columns[column])}"
    return f"{before}{value.kind.symbol}, {label}"


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
