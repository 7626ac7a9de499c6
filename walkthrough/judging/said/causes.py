"""What was probably done in each wrong number, by what the printed numbers are evidence of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Verdict
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import CellOf, Fact, Mistake
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Causes = Mapping[PrintedCell, Mistake]


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def name_causes(
    prints: Sequence[BoundPrint], verdicts: Mapping[PrintedCell, Verdict], points: Recalculation, trace: Trace
) -> Causes:
    """The cause of each wrong number for which there is strong evidence. points: what follows from the printed ones"""
    by_step: dict[Value, list[PrintedCell]] = {}
    for one in prints:
        if one.value.names is None:
            by_step.setdefault(one.value, []).extend(one.cells)
    wrong = {
        value: cells
        for value, cells in by_step.items()
        if value.operation is not None and any(verdicts[cell].word == "wrong" for cell in cells)
    }
    if not wrong:
        return {}
    order = {value: at for at, value in enumerate(trace)}
    steps = [_written(value, wrong[value], verdicts, points) for value in sorted(wrong, key=order.__getitem__)]
    found = find_causes(steps, Recalculation({value: points.array(value) for value in by_step}), trace)
    return {
        cell: found[place]
        for value, cells in wrong.items()
        for cell in cells
        if verdicts[cell].word == "wrong" and (place := (value, cell.row, cell.column)) in found
    }


def _written(
    value: Value, cells: Sequence[PrintedCell], verdicts: Mapping[PrintedCell, Verdict], points: Recalculation
) -> Written:
    """The first print of each number of a step."""
    numbers, decimals = np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    units, is_wrong = np.ones(value.shape), np.zeros(value.shape, dtype=bool)
    for cell in PrintedNumbers(value, cells).first.cells:
        at, printed = (cell.row, cell.column), cell.printed
        if isinstance(printed, Printed):
            numbers[at], decimals[at] = printed.value, printed.decimals
            units[at], is_wrong[at] = 10.0**-printed.decimals, verdicts[cell].word == "wrong"
    return Written(value, numbers, points.compute(value), units, decimals, is_wrong)


def say(cause: Mistake) -> str:
    """A cause as a sentence, in English."""
    said = ENGLISH.mistakes[cause.key]
    text = said if isinstance(said, str) else said["cell"]
    return text.format(**{name: _fact(fact) for name, fact in cause.facts})


def _fact(fact: Fact) -> str | float:
    if isinstance(fact, Value):
        return fact.kind.title
    return str(cell_name(*fact)) if isinstance(fact, CellOf) else fact
