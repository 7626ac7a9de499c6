"""What is fair: numbers that come from lost steps alone earn nothing; of another sheet's numbers nothing is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from walkthrough.recording.graph import cells_read
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.teaching.marking.marked import MarkedCell
from walkthrough.teaching.sheets.sheet import Place, Sheet

_FEWEST = 4
"""Fewer wrong cells lose no step: a slip costs its own cells, whatever comes of it."""
_ENOUGH = 2
"""So many lost steps are behind a number that earns nothing."""

_SHEET = 10
"""So many numbers are a sheet of which it can be said that they are another's."""
_MOST_OF_SHEET = 3
"""Where so many steps are lost, what follows from them says nothing of whose numbers they are."""

Lost = frozenset[Value]
"""The lost steps that a number comes from."""
_NONE: Lost = frozenset()


def find_trivial(marked: Sequence[MarkedCell], sheet: Sheet) -> set[Place]:
    """The cells that follow, and whose calculated operands all come from lost steps, from two or more of these."""
    lost = find_lost(marked)
    if len(lost) < _ENOUGH:
        return set()
    before = _lost_before(sheet, lost)
    follows = {cell.place for cell in marked if cell.finding is Verdict.FOLLOWS}
    return {place for place, steps in before.items() if len(steps) >= _ENOUGH and place in follows}


def are_of_another(marked: Sequence[MarkedCell]) -> bool:
    """Whether half of ten numbers or more are wrong without a cause: a cause of any other would be a story.

    Where three steps are lost, numbers that follow are not counted: those of another sheet follow from one another.
    """
    is_lost = len(find_lost(marked)) >= _MOST_OF_SHEET
    counted = [one for one in marked if one.answer.number is not None]
    counted = [one for one in counted if not (is_lost and one.finding is Verdict.FOLLOWS)]
    return len(counted) >= _SHEET and 2 * sum(map(_is_unexplained, counted)) >= len(counted)


def _is_unexplained(cell: MarkedCell) -> bool:
    return cell.is_wrong and cell.cause is None


def find_lost(marked: Sequence[MarkedCell]) -> set[Value]:
    """Steps of which four numbers or more, and half of those handed in, are wrong without a cause."""
    handed_in = Counter(cell.value for cell in marked if cell.answer.number is not None)
    wrong = Counter(cell.value for cell in marked if _is_unexplained(cell))
    return {value for value, count in wrong.items() if count >= _FEWEST and 2 * count >= handed_in[value]}


def _lost_before(sheet: Sheet, lost: set[Value]) -> dict[Place, Lost]:
    """The lost steps that all operands of a cell come from that are asked for; cells with another are left out."""
    shown = {step.value for step in sheet.steps if step.is_shown}
    before: dict[Place, Lost] = {}
    behind: dict[Place, Lost] = {}
    touched = set(lost)
    for value in sheet.hand:
        if value in shown or (value not in lost and touched.isdisjoint(value.inputs)):
            continue
        touched.add(value)
        for row, column in np.ndindex(value.shape):
            place = value.path, row, column
            found = [behind.get(one, _NONE) for one in _operands(value, row, column, shown)]
            steps = _NONE.union(*found)
            if found and all(found):
                before[place] = steps
            behind[place] = steps | {value} if value in lost else before.get(place, _NONE)
    return before


def _operands(value: Value, row: int, column: int, shown: set[Value]) -> Iterator[Place]:
    """The calculated operands of a cell; a step whose numbers stand on the sheet is as good as given."""
    for one in cells_read(value, row, column):
        if one.value.operation is not None and one.value not in shown:
            yield one.value.path, one.row, one.column
