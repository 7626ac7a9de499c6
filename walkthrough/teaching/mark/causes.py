"""What a student probably did in each wrong cell: what his own numbers are evidence of, and how it is said."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import CellOf, Fact, Mistake
from walkthrough.recording.values import Value
from walkthrough.teaching.mark.marked import MarkedCell, Slip
from walkthrough.teaching.mark.student import StudentCalculation
from walkthrough.teaching.sheet import Place


def name_causes(cells: Sequence[MarkedCell], own: StudentCalculation) -> dict[Place, Mistake]:
    """The cause of each wrong number for which there is strong evidence."""
    by_step: dict[Value, list[MarkedCell]] = {}
    for cell in cells:
        if cell.answer.number is not None and cell.value.names is None:
            by_step.setdefault(cell.value, []).append(cell)
    steps = [
        _written(value, found, own)
        for value, found in by_step.items()
        if any(cell.verdict == "wrong" for cell in found)
    ]
    causes = find_causes(steps, own, own.sheet.hand) if steps else {}
    return {(value.path, row, column): made for (value, row, column), made in causes.items()}


def _written(value: Value, cells: Sequence[MarkedCell], own: StudentCalculation) -> Written:
    numbers, decimals = np.full(value.shape, np.nan), np.full(value.shape, np.nan)
    units, is_wrong = np.ones(value.shape), np.zeros(value.shape, dtype=bool)
    for cell in cells:
        at, number = (cell.row, cell.column), cell.answer.number
        assert number is not None
        numbers[at], is_wrong[at] = number, cell.verdict == "wrong"
        units[at] = 10.0 ** -cell.step.decimals(number, *at)
        decimals[at] = np.nan if cell.answer.decimals is None else cell.answer.decimals
    return Written(value, numbers, own.compute(value), units, decimals, is_wrong)


def say(cause: Mistake, words: Catalogue, in_general: bool = False) -> str:
    """The sentence of a cause, with what only one cell has, or `in_general`."""
    said = words.mistakes[cause.key]
    text = said if isinstance(said, str) else said["class" if in_general else "cell"]
    return text.format(**{name: _fact(fact, words) for name, fact in cause.facts})


def say_of_slip(slip: Slip, words: Catalogue) -> str | None:
    """The sentence that is true of all cells of a slip; None where no cause is known."""
    said = {say(cause, words) for cause in slip.causes}
    return said.pop() if len(said) == 1 else say(slip.causes[0], words, in_general=True) if said else None


def _fact(fact: Fact, words: Catalogue) -> str | float:
    if isinstance(fact, Value):
        return words.title(fact.kind)
    if isinstance(fact, CellOf):
        return str(cell_name(*fact))
    return words.number(fact) if isinstance(fact, str) else fact
