"""What was probably done in each wrong number, by what the printed numbers are evidence of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from walkthrough.judging.digits import Printed
from walkthrough.judging.judge import Judgement
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import WrittenNumber
from walkthrough.mistakes.mistake import Mistake
from walkthrough.recording.cells import CellAt
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.verdict import Verdict

Causes = Mapping[PrintedCell, Mistake]


def name_causes(
    prints: Sequence[BoundPrint], verdicts: Mapping[PrintedCell, Judgement], points: Recalculation, trace: Trace
) -> Causes:
    """The cause of each wrong number for which there is strong evidence. points: what follows from the printed ones"""
    wrong = [cell for cell in verdicts if verdicts[cell].verdict is Verdict.WRONG]
    found = find_causes(_first_prints(prints, wrong), points, trace) if wrong else {}
    places = {cell: CellAt(cell.value, cell.row, cell.column) for cell in wrong}
    return {cell: found[place] for cell, place in places.items() if place in found}


def _first_prints(prints: Sequence[BoundPrint], wrong: Sequence[PrintedCell]) -> Iterator[WrittenNumber]:
    """The first print of each number."""
    is_wrong, seen = set(wrong), set()
    for cell in (cell for one in prints if one.value.names is None for cell in one.cells):
        value, row, column, printed, _ = cell
        if isinstance(printed, Printed) and (value, row, column) not in seen:
            seen.add((value, row, column))
            decimals = printed.decimals
            yield WrittenNumber(value, row, column, printed.value, decimals, decimals, cell in is_wrong)
