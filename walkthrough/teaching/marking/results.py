"""The results of a class: its marked sheets, those that could not be read, and each step of all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from walkthrough.errors import UserError
from walkthrough.languages.catalogue import Catalogue
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.places import group_mistakes, in_any_place
from walkthrough.records import Record
from walkthrough.teaching.marking.marked import Marked, Slip, StepMarks
from walkthrough.teaching.sheets.titles import Titles, values_of
from walkthrough.text import escape_label


class Failed(Record):
    """A sheet that could not be read. message: why, at full length"""

    name: str
    message: str

    @classmethod
    def by(cls, failure: UserError | OSError, name: str) -> Failed:
        """The sheet of this name that could not be read because of a failure."""
        reason = failure.strerror if isinstance(failure, OSError) else None
        return cls(name, reason or str(failure))

    @property
    def full_message(self) -> str:
        """Why, with the name of its file."""
        name = escape_label(self.name)
        return self.message if self.message.startswith(name) else f"{name}: {self.message}"

    @property
    def error(self) -> str:
        """Why, in a line."""
        return self.message.partition("\n")[0]


Result = Marked | Failed


class ClassStep(Record, eq=False):
    """One step in all sheets that ask for it: the verdicts counted, the points, and the mistake made on most sheets.

    causes: that mistake as it was made on each of them
    """

    marks: StepMarks
    sheets: int
    points: float
    causes: tuple[Mistake, ...]

    @property
    def share(self) -> float:
        """The points of all that there are."""
        return self.points / self.sheets


def class_steps(results: Sequence[Result]) -> list[ClassStep]:
    """The steps of all sheets, summed."""
    marked = [one for one in results if isinstance(one, Marked)]
    steps: dict[str, list[StepMarks]] = {}
    slips: dict[str, dict[str, list[Slip]]] = {}
    for step in (step for one in marked for step in one.steps):
        steps.setdefault(step.path, []).append(step)
    for slip in (slip for one in marked for slip in one.slips if slip.causes):
        by_word = slips.setdefault(slip.first.value.path, {})
        by_word.setdefault(slip.causes[0].word, []).append(slip)
    usual = {path: max(by_word.values(), key=len) for path, by_word in slips.items()}
    return [_sum(found, usual.get(path, ())) for path, found in steps.items()]


def _sum(steps: Sequence[StepMarks], slips: Sequence[Slip]) -> ClassStep:
    """A step of several sheets as one."""
    counts: Counter[str] = Counter()
    for step in steps:
        counts.update(step.counts)
    marks = StepMarks(steps[0].value, counts, sum(step.trivial for step in steps))
    causes = tuple(cause.in_general for slip in slips for cause in slip.causes)
    return ClassStep(marks, len(steps), math.fsum(step.points for step in steps), causes)


class ClassMistake(Record, eq=False):
    """A mistake on all sheets on which it was made.

    slips: it, on each sheet; sheets: these sheets
    """

    slips: tuple[Slip, ...]
    sheets: tuple[Marked, ...]

    @property
    def causes(self) -> list[Mistake]:
        """It, as it was made on each of them."""
        return [cause.in_general for slip in self.slips for cause in slip.causes]

    @property
    def costs(self) -> float:
        """The points lost by it."""
        return math.fsum(slip.costs for slip in self.slips)


def class_mistakes(results: Sequence[Result]) -> list[ClassMistake]:
    """The mistakes of a class, the most costly first; one made in a head, a layer or a pass beside is the same."""
    marked = [one for one in results if isinstance(one, Marked)]
    found = group_mistakes(
        (slip.causes[0], in_any_place(slip.first.value.path), (slip, one))
        for one in marked
        for slip in one.slips
        if slip.causes
    )
    mistakes = []
    for places in found:
        slips, sheets = zip(*(one for made in places.values() for one in made), strict=True)
        mistakes.append(ClassMistake(slips, tuple(dict.fromkeys(sheets))))
    return sorted(mistakes, key=lambda one: -one.costs)


def handed_in_again(results: Sequence[Result]) -> dict[str, int]:
    """The students of whom there are several sheets, and how many."""
    names = Counter(one.student for one in results if isinstance(one, Marked) and one.student)
    return {name: count for name, count in names.items() if count > 1}


def class_titles(results: Sequence[Result], words: Catalogue) -> Titles:
    """The titles of all steps of a class, which may have been given sheets of several scenarios."""
    marked = [one for one in results if isinstance(one, Marked)]
    values = {value.path: value for one in reversed(marked) for value in values_of(one.sheet)}
    return Titles(values.values(), words)
