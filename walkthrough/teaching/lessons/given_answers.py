"""The answers of a round of practice so far: what the next one is judged by, and what its hints are made of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import numpy as np

from walkthrough.explaining.explanation import MOST_TERMS
from walkthrough.explaining.worked import line_in, work_out
from walkthrough.judging.reach import reach_of
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.mistake import Mistake
from walkthrough.notation import typeset
from walkthrough.operations.definition import Array
from walkthrough.recording.graph import cells_read
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.lessons.slips import BEFORE_CELL, IN_CELL, IsRight, find_slip, mistakes_at
from walkthrough.teaching.marking.mark import read_answer
from walkthrough.teaching.marking.marked import MarkedCell
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import answer_of
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.teaching.sheets.write.texts import Cells

_NOISE = 1e-9


def number_shown(step: Step, number: float, words: Catalogue) -> str:
    """A number of a step as people read it: without decimals where all of the step are whole."""
    is_whole = step.is_whole and np.isfinite(number)
    return words.number(typeset(f"{number:.0f}" if is_whole else step.digits.text(number)))


class GivenAnswers:
    """The answers that a student continues with: the last one to each cell that could be read.

    Where the right number was shown, that one stands, whatever is typed afterwards.

    shown: the steps that stand before whoever is asked; None: all that the next number is computed from
    """

    def __init__(self, sheet: Sheet, words: Catalogue, shown: Collection[Value] | None = None) -> None:
        self.sheet = sheet
        self.words = words
        self._shown = shown
        self._numbers: dict[Place, float] = {}
        self._refused: dict[Place, str] = {}
        self._told: set[Place] = set()

    @np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
    def judge(self, step: Step, place: Place, text: str) -> MarkedCell:
        """The verdict on an answer, from the right numbers before it or from the student's own."""
        column = place[2]
        cell = read_answer(step, place, answer_of(text))
        number = cell.answer.number
        if number is None:
            return cell.replace(finding=Verdict.UNREADABLE)
        self._refused.pop(place, None)
        cell = cell.replace(finding=self._verdict(step, place, number))
        if cell.is_wrong and not step.value.is_word(column):
            cell = cell.replace(cause=self._slip(cell))
        if place in self._told:
            return cell
        if not step.value.is_word(column) or number >= 0:
            self._numbers[place] = number
        if cell.is_wrong:
            self._refused[place] = text.strip()
        return cell

    def show(self, step: Step, place: Place) -> str:
        """The right number of a cell, which stands there from then on."""
        _, row, column = place
        self._refused.pop(place, None)
        self._told.add(place)
        self._numbers[place] = number = float(step.value.array[row, column])
        if step.value.is_word(column):
            return Cells(step.value).shown(row, column, self.words)
        return number_shown(step, number, self.words)

    def _verdict(self, step: Step, place: Place, number: float) -> Verdict:
        if self._reach(step, place, self._right)(number):
            return Verdict.ROUNDING
        if self._numbers and self._reach(step, place, self._own().array)(number):
            return Verdict.FOLLOWS if self._refused else Verdict.ROUNDING
        return Verdict.WRONG

    @staticmethod
    def _reach(step: Step, place: Place, numbers: Callable[[Value], Array]) -> IsRight:
        """What tells whether a number, or a word by its id, is right: by hand, exactly, or by the numbers before it."""
        _, row, column = place
        value, bounds = step.value, reach_of(step.value, step.digits, numbers)
        right = float(value.array[row, column]), float(step.right[row, column])

        def is_right(x: float) -> bool:
            if value.is_word(column):
                return x == right[0] or (x >= 0 and bounds.may_choose(value, (row, column), int(x)))
            forms = bounds.compute(value).forms
            low, high = float(forms.low[row, column]), float(forms.high[row, column])
            if x in right or not np.isfinite(x):
                return x in (*right, low, high)
            sizes = np.array([one if np.isfinite(one) and one else 1.0 for one in (x, low, high)])
            slack = float(step.digits.unit(sizes).max()) / 2 * (1 + _NOISE) + _NOISE * 1e-3 * abs(x)
            return bool(np.isfinite(low) and np.isfinite(high) and low - slack <= x <= high + slack)

        return is_right

    @staticmethod
    def _right(value: Value) -> Array:
        return value.array

    def _own(self) -> StudentCalculation:
        return StudentCalculation(self.sheet, self._numbers)

    def _slip(self, cell: MarkedCell) -> Mistake | None:
        """What was probably done in a wrong one, with the right numbers before it or with one's own."""
        step, place, x = cell.step, (cell.value.path, cell.row, cell.column), float(cell.answer.number or 0)
        reaches = [self._reach(step, place, self._right)]
        if self._refused:
            reaches.append(self._reach(step, place, self._own().array))
        half = float(step.digits.unit(np.array([x or 1.0]))[0]) / 2 * (1 + _NOISE)

        def made() -> Iterator[tuple[Mistake, float]]:
            return (found for found in self.mistakes(step, place) if abs(found[1] - x) <= half)

        right = [float(one.array[cell.row, cell.column]) for one in (step.value, step.exact)]
        is_copy = any(abs(number - x) <= half for number in self.operands(step, place))
        return find_slip(cell.answer, right, lambda other: any(is_right(other) for is_right in reaches), made, is_copy)

    @staticmethod
    def operands(step: Step, place: Place) -> list[float]:
        """The right numbers that a cell is computed from."""
        return [one.number for one in cells_read(step.value, *place[1:])]

    @np.errstate(all="ignore")
    def mistakes(self, step: Step, place: Place) -> list[tuple[Mistake, float]]:
        """What usual mistakes make of a cell, with the right numbers before it and with one's own."""
        found: list[tuple[Mistake, float]] = []
        for numbers in (self._right, self._own().array) if self._refused else (self._right,):
            shown = step.value.inputs if self._shown is None else self._shown
            words = IN_CELL if self._shown is None else BEFORE_CELL
            replay = Recalculation({one: numbers(one) for one in shown})
            found += mistakes_at(step.value, place[1:], replay, self.sheet.hand, words)
        return found

    def arithmetic(self, step: Step, place: Place) -> str:
        """The line with the numbers before it, without its result; own ones that were refused are named."""
        _, row, column = place
        value = self._own().with_own_inputs(step.value)
        line = line_in(work_out(value, row, column, max(step.digits.count, 1), MOST_TERMS), self.words)
        own = self.refused_operands(step, place)
        said = f"{line.name} = {line.arithmetic or self.words.title(step.value.kind)}"
        return f"{said}   ({self.words('with_your', numbers=own)})" if own else said

    def refused_operands(self, step: Step, place: Place) -> str:
        """The student's own numbers that a cell is computed from and that were refused, as they were typed."""
        before = [(one.value.path, one.row, one.column) for one in cells_read(step.value, *place[1:])]
        return ", ".join(dict.fromkeys(self._refused[one] for one in before if one in self._refused))
