"""A sheet that has been marked: the verdict on each cell, counted step by step, and the points."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.places import group_mistakes
from walkthrough.notation import write_shortest
from walkthrough.recording.values import Value
from walkthrough.recording.verdict import Verdict
from walkthrough.records import Record
from walkthrough.teaching.marking.student import StudentCalculation
from walkthrough.teaching.sheets.read.answer import Answer
from walkthrough.teaching.sheets.read.filled import Ignored
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step
from walkthrough.teaching.sheets.titles import Name, path_of
from walkthrough.text import escape_label

_WORDS = {
    Verdict.EXACT: "right",
    Verdict.ROUNDING: "right",
    Verdict.UNJUDGED: "right",
    Verdict.FOLLOWS: "follows",
    Verdict.WRONG: "wrong",
    Verdict.MISSING: "missing",
    Verdict.UNREADABLE: "unreadable",
}
VERDICTS = tuple(dict.fromkeys(_WORDS.values()))
"""What is said of a student's numbers."""
_POINT_DECIMALS = 2


class MarkedCell(Record):
    """One cell: what was written, and what it is.

    from_own: whether one's own numbers give a right number; None where that is not asked
    is_trivial: it follows from lost steps alone, and earns nothing
    cause: what was probably done in a wrong one, or in one that is wrong by a mistake made before
    """

    step: Step
    row: int
    column: int
    answer: Answer
    finding: Verdict
    from_own: bool | None = None
    is_trivial: bool = False
    cause: Mistake | None = None

    @property
    def verdict(self) -> str:
        """The word for what it is."""
        return _WORDS[self.finding]

    @property
    def is_right(self) -> bool:
        """Whether it is right, or follows."""
        return self.verdict in ("right", "follows")

    @property
    def is_wrong(self) -> bool:
        """Whether neither the right numbers nor the student's own give it."""
        return self.finding is Verdict.WRONG

    @property
    def is_again(self) -> bool:
        """Whether it is wrong by a mistake that was charged in a step before it."""
        return self.finding is Verdict.FOLLOWS and self.cause is not None

    @property
    def value(self) -> Value:
        """Its step."""
        return self.step.value

    @property
    def right(self) -> float | str:
        """The right number to the digits asked for, or the right word."""
        return self._word_or(float(self.step.right[self.row, self.column]), self.step.exact)

    @property
    def by_hand(self) -> float | str:
        """What a student should have: the answer key's; where rounding leaves no number there, the exact one."""
        number, exact = (float(one[self.row, self.column]) for one in (self.value.array, self.step.right))
        return self._word_or(exact if math.isfinite(exact) and not math.isfinite(number) else number, self.value)

    def _word_or(self, number: float, value: Value) -> float | str:
        """A number; of a column of words the one that a step has."""
        if not value.is_word(self.column):
            return number
        return (value.names or {}).get(int(value.array[self.row, self.column]), "?")

    @property
    def place(self) -> Place:
        """Its path, row and column."""
        return self.value.path, self.row, self.column


def write_points(points: float) -> str:
    """Points as every report writes them."""
    return write_shortest(round(points, 9), _POINT_DECIMALS)


class StepMarks(Record, eq=False):
    """The verdicts of a step, counted."""

    value: Value
    counts: Mapping[str, int]
    trivial: int = 0

    @property
    def path(self) -> str:
        """What programs call the step."""
        return self.value.path

    @property
    def cells(self) -> int:
        """How many cells there were to fill in."""
        return sum(self.counts.values())

    @property
    def points(self) -> float:
        """From 0 to 1: the share that is right, or follows and was not trivial."""
        return (self.counts["right"] + self.counts["follows"] - self.trivial) / self.cells


class Slip(Record, eq=False):
    """Wrong cells of a step with one cause, and where the same was done again; or those without any.

    places: its cells step by step; what was done is charged in the first
    costs:  the points of these
    """

    places: tuple[tuple[MarkedCell, ...], ...]
    costs: float

    @property
    def cells(self) -> tuple[MarkedCell, ...]:
        """Those that are charged."""
        return self.places[0]

    @property
    def first(self) -> MarkedCell:
        """Its first cell."""
        return self.cells[0]

    @property
    def again(self) -> list[Value]:
        """The steps in which the same was done again."""
        return [cells[0].value for cells in self.places[1:]]

    @property
    def causes(self) -> list[Mistake]:
        """What was probably done, cell by cell: one word, with the facts of each; none where none is known."""
        return [cell.cause for cells in self.places for cell in cells if cell.cause is not None]


def _by_mistake(cells: Sequence[MarkedCell]) -> list[dict[str, list[MarkedCell]]]:
    """The wrong cells by what was probably done, in the order of the steps."""
    return group_mistakes((cell.cause, cell.value.path, cell) for cell in cells if cell.is_wrong or cell.is_again)


def charge_once(cells: Sequence[MarkedCell]) -> list[MarkedCell]:
    """The cells with each mistake charged where it was made first; those of the steps after it follow."""
    again = {cell.place for places in _by_mistake(cells) for found in list(places.values())[1:] for cell in found}
    return [cell.replace(finding=Verdict.FOLLOWS, from_own=False) if cell.place in again else cell for cell in cells]


class Marked(Record, eq=False):
    """A sheet that has been marked.

    altered: what of the given numbers is not as it was handed out
    ignored: lines of its file that belong to no cell
    is_of_another: most numbers are not those of this sheet, and no cause is said of any
    """

    name: str
    sheet: Sheet
    cells: tuple[MarkedCell, ...]
    own: StudentCalculation
    altered: tuple[Alteration, ...] = ()
    ignored: tuple[Ignored, ...] = ()
    is_of_another: bool = False

    @property
    def student(self) -> str:
        """Whose it is."""
        return self.sheet.student

    @property
    def steps(self) -> list[StepMarks]:
        """The verdicts step by step."""
        by_step: dict[Value, list[MarkedCell]] = {}
        for cell in self.cells:
            by_step.setdefault(cell.value, []).append(cell)
        return [
            StepMarks(value, Counter(cell.verdict for cell in cells), sum(cell.is_trivial for cell in cells))
            for value, cells in by_step.items()
        ]

    @property
    def counts(self) -> Counter[str]:
        """The verdicts of the whole sheet."""
        return Counter(cell.verdict for cell in self.cells)

    @cached_property
    def slips(self) -> list[Slip]:
        """The wrong cells, grouped by what was probably done, in the order of the steps."""
        groups = [tuple(map(tuple, places.values())) for places in _by_mistake(self.cells)]
        return [Slip(places, len(places[0]) / len(places[0][0].step.places)) for places in groups]

    @property
    def points(self) -> float:
        """The sum over the steps."""
        return math.fsum(step.points for step in self.steps)

    @property
    def of(self) -> int:
        """The most points that there are: one a step."""
        return len({cell.value.path for cell in self.cells})


class Alteration(Record, eq=False):
    """One difference.

    text:  the name of the sentence that says it
    steps: of a number the one it is in, of steps that can no longer be found all; cell: `[tea, 1]`
    found, given: what is on the sheet, and what was handed out
    """

    text: str
    steps: tuple[Value, ...] = ()
    cell: str = ""
    found: str = ""
    given: str = ""

    def say(self, words: Catalogue, name: Name = path_of) -> str:
        """A sentence. name: how a step is called"""
        steps = "; ".join(name(step, self.cell) for step in self.steps)
        found, given = words.number(escape_label(self.found)), words.number(self.given)
        return words(self.text, steps=steps, found=found, given=given)
