"""What a student probably did in each wrong cell: what his own numbers are evidence of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.causes.find import find_causes
from walkthrough.mistakes.causes.written import WrittenNumber
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.sentences import say_likely
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
    return say_likely(slip.causes, words) if slip.causes else None
