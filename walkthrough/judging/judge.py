"""The verdict on each printed number, in the order of the calculation, with two calculations beside it.

`published` goes on with every number as printed; `right` puts the right number in the place of each that was found
wrong, or follows from a wrong one. They part at the first of these.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.bounds.forms import BFLOAT16, FLOAT16, FLOAT32, FLOAT64
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.expressions.tree.nodes import Expression, Number
from walkthrough.expressions.tree.walk import cells, parts
from walkthrough.judging.assumption import RoundingAssumption
from walkthrough.judging.bounds import Bounds
from walkthrough.judging.calculation import Calculation
from walkthrough.judging.margins import half_units
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.recording.graph import steps_before
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.scenario.schema.keys import ScenarioSpec

_REPLACED = (Verdict.WRONG, Verdict.FOLLOWS)
_ROUNDOFFS = {"exact": FLOAT64, "float32": FLOAT32, "float16": FLOAT16, "bfloat16": BFLOAT16}


class Judgement(NamedTuple):
    """The right number or word, the verdict on the printed one, and whether the numbers before it give that."""

    right: float | str
    verdict: Verdict
    is_from_own: bool


class Judge:
    """Goes through the prints of a scenario in the order of the calculation.

    for_student: a number with further digits than asked for may have been rounded before it was used; where a wrong
                 number leaves every answer possible, what comes from it is judged from the right ones
    """

    def __init__(
        self, spec: ScenarioSpec, trace: Trace, assumption: RoundingAssumption, for_student: bool = False
    ) -> None:
        roundoff = _ROUNDOFFS[spec.source_arithmetic]
        margins = half_units(trace) if spec.inputs_are == "rounded" else {}
        self.order = {value: number for number, value in enumerate(trace)}
        self._defined = _without_overflows(value for value in trace if value in assumption.relevant)
        self.for_student = for_student
        self.published = self.right = Calculation(Bounds(assumption.digits, margins, roundoff))
        self._replaced: set[Value] = set()

    @np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
    def verdicts(self, prints: Sequence[BoundPrint], shown: Sequence[BoundPrint] = ()) -> dict[PrintedCell, Judgement]:
        """The verdict on every cell.

        shown: numbers that were given to the author with the others: carried on as they are, and not judged
        """
        found: dict[PrintedCell, Judgement] = {}
        for value, given in _by_step(shown).items():
            self._carry(PrintedNumbers(value, given), np.zeros(len(given), dtype=bool))
        by_step = _by_step(prints)
        for value in sorted(by_step, key=self.order.__getitem__):
            own = by_step[value]
            found |= {cell: self._judge_word(cell, cell.printed) for cell in own if isinstance(cell.printed, str)}
            printed = PrintedNumbers(value, [cell for cell in own if not isinstance(cell.printed, str)])
            found |= self._judge_numbers(printed)
            first = printed.first
            self._carry(first, np.array([found[cell].verdict in _REPLACED for cell in first.cells], dtype=bool))
        return found

    def _judge_numbers(self, printed: PrintedNumbers) -> Mapping[PrintedCell, Judgement]:
        """The verdicts on the numbers of a step, all judged by the steps before it."""
        value = printed.value
        is_undefined = np.isnan(self._defined.array(value)).ravel()[printed.at]
        is_exact = printed.agree_with(value.array) & ~is_undefined
        verdicts = np.full(len(is_exact), Verdict.UNJUDGED, dtype=object)
        verdicts[is_exact] = Verdict.EXACT
        is_open = ~is_exact & ((value.unknown and not value.leaves_out) | ~is_undefined)
        if is_open.any():
            verdicts[is_open] = self._explain(printed.some(is_open))
        if value.unknown:  # by what is printed before it, it may be known all the same; else it can be excluded alone
            is_unknown = is_undefined & np.isnan(self.published.compute(value)).ravel()[printed.at]
            verdicts[is_unknown & (verdicts != Verdict.WRONG)] = Verdict.UNJUDGED
        is_own = np.full(len(verdicts), True)
        if self.for_student:
            is_own = self.published.reach(printed)
        rows = zip(printed.cells, printed.exact.tolist(), verdicts.tolist(), is_own.tolist(), strict=True)
        return {cell: Judgement(*rest) for cell, *rest in rows}

    def _explain(self, printed: PrintedNumbers) -> np.ndarray:
        """The likelier story of numbers that are not exact: rounding, unless only a wrong number gives their digits."""
        reached = self.right.reach(printed)
        follows = np.zeros(len(reached), dtype=bool)
        if self._follows_from_a_wrong_one(printed.value):
            by_wrong, by_right = (
                printed.agree_with(one.compute(printed.value)) for one in (self.published, self.right)
            )
            follows = reached & by_wrong & ~by_right
            if not reached.all():
                follows[~reached] = self._follow(printed.some(~reached))
        found = np.full(len(reached), Verdict.WRONG, dtype=object)
        found[reached], found[follows] = Verdict.ROUNDING, Verdict.FOLLOWS
        return found

    def _follow(self, printed: PrintedNumbers) -> Flags:
        """Which of the numbers those before them give; of a student's not where they leave every answer possible."""
        found = self.published.reach(printed)
        return found & self.published.are_bounded(printed) if self.for_student else found

    def _judge_word(self, cell: PrintedCell, printed: str) -> Judgement:
        number = float(cell.value.array[cell.row, cell.column])
        if math.isnan(number):
            return Judgement("?", Verdict.UNJUDGED, True)
        right = (cell.value.names or {}).get(int(number), "?")
        is_own = not self.for_student or self.published.reaches_word(cell)
        return Judgement(right, Verdict.EXACT if printed == right else self._explain_word(cell), is_own)

    def _explain_word(self, cell: PrintedCell) -> Verdict:
        """As `_explain`, of a word that is not the right one."""
        parted = self._follows_from_a_wrong_one(cell.value)
        if self.right.reaches_word(cell):
            is_likelier = parted and self.published.gives_word(cell) and not self.right.gives_word(cell)
            return Verdict.FOLLOWS if is_likelier else Verdict.ROUNDING
        if not parted:
            return Verdict.WRONG
        is_telling = not self.for_student or self.published.is_word_bounded(cell)
        return Verdict.FOLLOWS if is_telling and self.published.reaches_word(cell) else Verdict.WRONG

    def _carry(self, printed: PrintedNumbers, is_wrong: Flags) -> None:
        """Goes on with the printed numbers of a step, and beside it with the right ones in the place of wrong ones."""
        if not printed.cells:
            return
        if is_wrong.any():
            self._replaced.add(printed.value)
            if self.right is self.published:
                self.right = self.published.copy()
        if self.right is not self.published:
            self.right.carry(printed, is_wrong, self.for_student)
        self.published.carry(printed, is_wrong & False, self.for_student)

    def _follows_from_a_wrong_one(self, value: Value) -> bool:
        """Whether a step is computed from one of which a number has been replaced by the right one."""
        return bool(self._replaced) and any(step in self._replaced for step in steps_before(value))


def _by_step(prints: Sequence[BoundPrint]) -> dict[Value, list[PrintedCell]]:
    """The printed cells of each step."""
    by_step: dict[Value, list[PrintedCell]] = {}
    for one in prints:
        by_step.setdefault(one.value, []).extend(one.cells)
    return by_step


def _without_overflows(values: Iterable[Value]) -> Recalculation:
    """The calculation with nan for each overflow, which leaves no number to go on with, and all that comes of it.

    −∞ is a number where a score is hidden. `values`: in the order of the calculation
    """
    found = Recalculation()
    for value in values:
        overflowed = np.isposinf(value.array) if value.operation is not None else np.zeros(value.shape, dtype=bool)
        for row, column in np.argwhere(np.isneginf(value.array)):
            overflowed[row, column] = _overflows(value, int(row), int(column))
        if overflowed.any():
            found.give(value, np.full(value.shape, np.nan), overflowed)
    return found


def _overflows(value: Value, row: int, column: int) -> bool:
    """Whether a cell is −∞ although nothing that goes into it is."""
    if value.operation is None:
        return False
    expression = value.cell(row, column)
    operands = [value.inputs[cell.operand].array[cell.row, cell.column] for cell in cells(expression)]
    return not np.isinf(operands).any() and not _names_infinity(expression)


def _names_infinity(expression: Expression) -> bool:
    """Whether the expression itself contains −∞, as it does where a score is hidden."""
    if isinstance(expression, Number):
        return math.isinf(expression.value)
    return any(map(_names_infinity, parts(expression)))
