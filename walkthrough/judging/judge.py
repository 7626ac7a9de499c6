"""The verdict on each printed number, in the order of the calculation, with two calculations beside it.

`published` goes on with every number as printed; `right` puts the right number in the place of each that was found
wrong, or inherited from a wrong one. They part at the first of these.

Of what a student hands in there is a third one: numbers that were handed in as they are, and right ones where there is
none. Somebody may have found his slip on another sheet of paper, and not where it stands.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import compress

import numpy as np

from walkthrough.expressions.bounds.intervals import FLOAT32, FLOAT64
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.expressions.tree.nodes import Cell
from walkthrough.judging.assumed import Assumed
from walkthrough.judging.digits import Printed
from walkthrough.judging.margins import half_units
from walkthrough.judging.plain import Plain, plain
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.judging.ranges import Ranges
from walkthrough.judging.recipes import Known, Recipes
from walkthrough.judging.spread import Spread
from walkthrough.judging.undefined import Undefined
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.schema.keys import ScenarioSpec

_PLAINLY = ("", "exact", "rounding", "inherited")
_REPLACED = ("wrong", "inherited")

Verdict = tuple[float | str, str]
"""The right number or word, and the verdict on the printed one."""


class Judge:
    """Goes through the prints of a scenario in the order of the calculation.

    is_class: a student's numbers: missing ones may be what his own give or the right ones; where a wrong number leaves
              every answer possible, what comes from it is judged from the right ones
    known:    what was made ready for the traces of other sheets
    """

    def __init__(
        self, spec: ScenarioSpec, trace: Trace, assumed: Assumed, is_class: bool = False, known: Known | None = None
    ) -> None:
        roundoff = FLOAT32 if spec.source_arithmetic == "float32" else FLOAT64
        margins = half_units(trace) if spec.inputs_are == "rounded" else {}
        self.order = {value: number for number, value in enumerate(trace)}
        self.undefined = Undefined(value for value in trace if value in assumed.relevant)
        self._replaced: set[Value] = set()
        self._parted: dict[Value, bool] = {}
        spread = Spread(assumed.digits, margins, roundoff, Recipes.of_trace(trace, known))
        self.published = self.right = _Calculation(Ranges(spread), Recalculation())
        self.is_class = is_class
        self._mixed: _Calculation | None = None
        self._own: set[int] = set()

    def all(self, prints: Sequence[BoundPrint], shown: Sequence[BoundPrint] = ()) -> dict[int, Verdict]:
        """The verdict on every cell, by identity: the same number may be printed twice.

        shown: numbers that were given to the author with the others: carried on as they are, and not judged
        """
        verdicts: dict[int, Verdict] = {}
        for given in self._by_step(shown)[1].values():
            self.published.carry_all(given)
        by_step, printed = self._by_step(prints)
        for step in sorted(by_step, key=self.order.__getitem__):
            verdicts |= self._step(by_step[step], printed[step])
        return verdicts

    def _by_step(self, prints: Sequence[BoundPrint]) -> tuple[dict[Value, list[PrintedCell]], dict[Value, Plain]]:
        """The printed cells of each step, and the same without words as arrays."""
        by_step: dict[Value, list[PrintedCell]] = {}
        for one in prints:
            by_step.setdefault(one.value, []).extend(one.cells)
        return by_step, plain(by_step, keeps_exact=self.published.ranges.spread.roundoff <= FLOAT64)

    def _step(self, cells: Sequence[PrintedCell], printed: Plain) -> dict[int, Verdict]:
        """The verdicts on the cells of a step; all are judged by what is before it, and then carried on."""
        verdicts = self._plain(printed)
        if len(verdicts) < len(cells):
            verdicts |= {id(cell): self._judged(cell) for cell in cells if id(cell) not in verdicts}
        is_replaced = [verdicts[id(cell)][1] in _REPLACED for cell in printed.cells]
        if printed.has_twice:
            first = {(cell.row, cell.column): cell for cell in reversed(cells)}
            for cell in first.values():
                self._carry(cell, verdicts[id(cell)][1] in _REPLACED)
        elif printed.cells:
            self._carry_all(printed, is_replaced)
        return verdicts

    def _plain(self, printed: Plain) -> dict[int, Verdict]:
        """The verdicts that can be given at once: of numbers that plainly are right, or plainly come out."""
        if not printed.cells or not self.undefined.is_free(printed.value):
            return {}
        come_out = own = printed.come_out(self.right.points.computed(printed.value))
        if self.published is not self.right:
            own = printed.come_out(self.published.points.computed(printed.value))
        self._own.update(map(id, compress(printed.cells, own.tolist())))
        if self._follows_from_a_wrong_one(printed.value):
            words = np.where(printed.do, 1, 3 * self._plainly_follow(printed, own & ~come_out))
        else:
            words = np.where(printed.do, 1, 2 * (printed.do_not & come_out))
        rows = zip(printed.cells, printed.exact.tolist(), words.tolist(), strict=True)
        return {id(cell): (exact, _PLAINLY[word]) for cell, exact, word in rows if word and cell.operands is None}

    def _plainly_follow(self, printed: Plain, own: Flags) -> Flags:
        """Which of those that come out of the numbers before them alone plainly cannot come of the right ones."""
        value = printed.value
        follow = own & printed.do_not
        if not follow.any() or value.names is not None:
            return follow & False
        right = self.right.ranges.spread.computed(value).forms
        follow &= (right.low[printed.at] > printed.high) | (printed.low > right.high[printed.at])
        if self.is_class and follow.any() and not self.published.ranges.spread.is_surely_bounded(value):
            follow &= self.published.ranges.are_bounded(value)[printed.at]
        return follow

    def _calculations(self) -> list[_Calculation]:
        """All that are followed, each once."""
        others = [] if self.right is self.published else [self.right]
        return [self.published, *others, *([self._mixed] if self._mixed is not None else [])]

    def _carry_all(self, printed: Plain, is_replaced: Sequence[bool]) -> None:
        """Goes on with the printed numbers of a step, and beside it with the right ones in the place of wrong ones."""
        if any(is_replaced):
            self._replace(printed.value)
        for calculation in self._calculations():
            calculation.carry_all(printed)
        for cell in compress(printed.cells, is_replaced):
            self.right.carry(cell, cell.printed, right=True)  # type: ignore[arg-type]

    def _replace(self, value: Value) -> None:
        """A number of a value is wrong: from here on there are two calculations."""
        self._replaced.add(value)
        self._parted.clear()
        if self.right is self.published:
            self.right = self.published.fork()
            self._mixed = self.published.fork(self.right) if self.is_class else None

    def _carry(self, cell: PrintedCell, replaced: bool) -> None:
        """Goes on with a printed number, and beside it with the right one in the place of a wrong one."""
        if isinstance(cell.printed, str):
            return  # nothing is computed from a word
        if replaced:
            self._replace(cell.value)
        self.published.carry(cell, cell.printed, right=False)
        if self.right is not self.published:
            self.right.carry(cell, cell.printed, right=replaced)
        if self._mixed is not None:
            self._mixed.carry(cell, cell.printed, right=False)

    def _judged(self, cell: PrintedCell) -> Verdict:
        if isinstance(cell.printed, str):
            return self._word(cell, cell.printed)
        exact = float(cell.value.array[cell.row, cell.column])
        if self.undefined(cell.value, cell.row, cell.column):
            # where it depends on unknown numbers, anything may be right
            return exact, "rounding" if cell.value.unknown else "unjudged"
        if cell.printed.is_rounded(exact):
            return exact, "exact"
        return exact, self._explained(cell)

    def _word(self, cell: PrintedCell, printed: str) -> Verdict:
        names = cell.value.names or {}
        number = float(cell.value.array[cell.row, 0])
        if math.isnan(number):
            return "?", "rounding" if cell.value.unknown else "unjudged"
        computed = names.get(int(number), "?")
        return computed, "exact" if printed == computed else self._explained(cell)

    def _explained(self, cell: PrintedCell) -> str:
        """The likelier story of a number that is not exact: rounding, unless only a wrong number gives its digits."""
        parted = self._follows_from_a_wrong_one(cell.value)
        if not self.right.reaches(cell):
            return "inherited" if parted and self._is_inherited(cell) else "wrong"
        if parted and self.published.gives(cell) and not self.right.gives(cell):
            return "inherited"
        return "rounding"

    def _is_inherited(self, cell: PrintedCell) -> bool:
        """Whether the numbers before it give one that the right ones do not."""
        if not self.is_class:
            return self.published.reaches(cell)
        calculations = [self.published, *([self._mixed] if self._mixed is not None else [])]
        return any(one.is_bounded(cell) and one.reaches(cell) for one in calculations)

    def is_from_own(self, cell: PrintedCell) -> bool:
        """Whether the author's own numbers before it give a number, right or wrong."""
        return id(cell) in self._own or self.published.reaches(cell)

    def _follows_from_a_wrong_one(self, value: Value) -> bool:
        """Whether a step is computed from one of which a number has been replaced by the right one."""
        if value not in self._parted:
            self._parted[value] = bool(self._replaced) and self._comes_after_replaced(value)
        return self._parted[value]

    def _comes_after_replaced(self, value: Value) -> bool:
        waiting, seen = list(value.inputs), set(value.inputs)
        while waiting:
            step = waiting.pop()
            if step in self._replaced:
                return True
            waiting += [given for given in step.inputs if given not in seen]
            seen.update(step.inputs)
        return False


class _Calculation:
    """What could follow from the numbers carried on, each within its half unit, and what does from them as they are.

    is_mixed: what was not printed is that of another calculation, so that no number follows from these alone
    """

    def __init__(self, ranges: Ranges, points: Recalculation, is_mixed: bool = False) -> None:
        self.ranges = ranges
        self.points = points
        self.is_mixed = is_mixed

    def fork(self, unprinted: _Calculation | None = None) -> _Calculation:
        """Another calculation that has begun in the same way; `unprinted`: has the numbers that are not printed."""
        ranges = self.ranges.fork(unprinted.ranges if unprinted else None)
        return _Calculation(ranges, self.points.copy(), unprinted is not None)

    def is_bounded(self, cell: PrintedCell) -> bool:
        """Whether not every number at all could come out."""
        return self.ranges.is_bounded(cell.value, cell.row, cell.column)

    def carry(self, cell: PrintedCell, printed: Printed, right: bool) -> None:
        """Goes on with a printed number, or with the right one in its place, rounded to the same digits."""
        exact = float(cell.value.array[cell.row, cell.column])
        self.ranges.carry(cell.value, cell.row, cell.column, printed, exact, right)
        where = np.zeros(cell.value.shape, dtype=bool)
        where[cell.row, cell.column] = True
        self.points.give(cell.value, np.full(where.shape, printed.rounded(exact) if right else printed.value), where)

    def carry_all(self, printed: Plain) -> None:
        """Goes on with the printed numbers of a step as they are."""
        self.ranges.carry_all(printed)
        where, numbers = np.zeros(printed.value.array.size, dtype=bool), np.zeros(printed.value.array.size)
        where[printed.at], numbers[printed.at] = True, printed.printed
        self.points.give(printed.value, numbers.reshape(printed.value.shape), where.reshape(printed.value.shape))

    def reaches(self, cell: PrintedCell) -> bool:
        """Whether the number could come out so that it is printed like this, or the word be the most probable.

        Where the numbers as they are give it, nobody needs to know what else they could give.
        """
        if cell.operands is None and not self.is_mixed and self._comes_out(cell):
            return True
        if not isinstance(cell.printed, str):
            return self.ranges.reaches(cell.value, cell.row, cell.column, cell.printed.interval, cell.operands)
        source, row, ids = _chosen_from(cell.value, cell.row)
        names = cell.value.names or {}
        column = next((at for at, number in enumerate(ids) if names.get(number) == cell.printed), None)
        others = (other for other in range(source.shape[1]) if other != column)
        return column is not None and all(self.ranges.may_exceed(source, row, column, other) for other in others)

    def gives(self, cell: PrintedCell) -> bool:
        """Whether the numbers as they are, nothing between rounded, give the printed digits or word."""
        if isinstance(cell.printed, str):
            return self._comes_out(cell)
        return cell.printed.is_rounded(float(self.points.computed(cell.value)[cell.row, cell.column]))

    def _comes_out(self, cell: PrintedCell) -> bool:
        """As `gives`, where rounding may go up or down from the half."""
        number = float(self.points.computed(cell.value)[cell.row, cell.column])
        if isinstance(cell.printed, str):
            return (cell.value.names or {}).get(-1 if math.isnan(number) else int(number)) == cell.printed
        low, high = cell.printed.interval
        return low <= number <= high


def _chosen_from(value: Value, row: int) -> tuple[Value, int, Sequence[int]]:
    """The numbers that the arg-max of a row is taken of: their value and row, and the ids of their columns."""
    while isinstance(copied := value.cell(row, 0), Cell):
        value, row = value.inputs[copied.operand], copied.row
    return value.inputs[0], row, value.settings["ids"]
