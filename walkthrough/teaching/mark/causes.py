"""What a student probably did in each wrong cell: what his own numbers are evidence of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.judging.said.causes import say
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import WrittenNumber
from walkthrough.mistakes.mistake import Mistake
from walkthrough.teaching.mark.marked import MarkedCell, Slip
from walkthrough.teaching.mark.student import StudentCalculation
from walkthrough.teaching.sheet import Place


def name_causes(cells: Sequence[MarkedCell], own: StudentCalculation) -> dict[Place, Mistake]:
    """The cause of each wrong number for which there is strong evidence."""
    causes = find_causes(_written(cells), own, own.sheet.hand)
    return {(value.path, row, column): made for (value, row, column), made in causes.items()}


def _written(cells: Sequence[MarkedCell]) -> Iterator[WrittenNumber]:
    for cell in cells:
        number = cell.answer.number
        if number is not None and cell.value.names is None:
            asked = cell.step.decimals(number, cell.row, cell.column)
            yield WrittenNumber(cell.value, cell.row, cell.column, number, asked, cell.answer.decimals, cell.is_wrong)


def say_of_slip(slip: Slip, words: Catalogue) -> str | None:
    """The sentence that is true of all cells of a slip; None where no cause is known."""
    said = {say(cause, words) for cause in slip.causes}
    return said.pop() if len(said) == 1 else say(slip.causes[0], words, in_general=True) if said else None
