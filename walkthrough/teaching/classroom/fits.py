"""Whose numbers a sheet holds: one that is wrong throughout may be right for another student's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.operations.definition import Array
from walkthrough.teaching.classroom.results import Failed, Result
from walkthrough.teaching.mark.marked import Fit, Marked
from walkthrough.teaching.sheet import Place, Sheet

_LEAST = 10
"""Cells that tell two sheets apart; fewer agree by chance."""
_SHARE = 0.8

Others = Callable[[], Sequence[tuple[str, Sheet]]]
"""The sheets of an answer key, each with the file's name."""


def find_fits(results: Sequence[Result], others: Others) -> list[Result]:
    """The results; each sheet that holds another's numbers says whose. Of two that fit each other it is the weaker."""
    marked = [_Numbers.of_marked(one) for one in results if isinstance(one, Marked)]
    doubtful = [one for one in marked if one.is_doubtful]
    if not doubtful:
        return list(results)
    known = [*marked, *(_Numbers(name, sheet) for name, sheet in others())]
    found = {one: fit for one in doubtful if (fit := _best(one, known)) is not None}
    fits = {
        one.marked: fit
        for one, (fit, other) in found.items()
        if other not in found or found[other][1] is not one or one.credit <= other.credit
    }
    return [one if isinstance(one, Failed) else one.replace(fits=fits.get(one)) for one in results]


class _Numbers:
    """The numbers of a sheet as arrays: the right ones and, of one that was handed in, the answers."""

    def __init__(self, name: str, sheet: Sheet, marked: Marked | None = None) -> None:
        self.name = name
        self.sheet = sheet
        self.marked = marked

    @classmethod
    def of_marked(cls, marked: Marked) -> _Numbers:
        return cls(marked.name, marked.sheet, marked)

    @cached_property
    def places(self) -> tuple[Place, ...]:
        return tuple(place for _, place in self.sheet.places)

    @cached_property
    def right(self) -> Array:
        return np.array([
            float(step.exact.array[place[1:]] if step.value.is_word(place[2]) else step.right[place[1:]])
            for step, place in self.sheet.places
        ])  # fmt: skip

    @cached_property
    def by_hand(self) -> Array:
        """The numbers that an answer key has."""
        return np.array([float(step.value.array[place[1:]]) for step, place in self.sheet.places])

    @cached_property
    def answers(self) -> Array:
        """As handed in; NaN where nothing was, or nothing that can be read."""
        numbers = (
            [cell.answer.number for cell in self.marked.cells] if self.marked is not None else [None] * len(self.right)
        )
        return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)

    @cached_property
    def is_right(self) -> Flags:
        cells = self.marked.cells if self.marked is not None else ()
        return np.array([cell.verdict == "right" for cell in cells], dtype=bool)

    @cached_property
    def half(self) -> Array:
        """Half a unit of the last digit asked for, of each right number."""
        units = [step.decimals(float(number), *place[1:])
                 for (step, place), number in zip(self.sheet.places, self.right, strict=True)]  # fmt: skip
        return 0.5 * 10.0 ** -np.array(units, dtype=np.float64)

    @property
    def credit(self) -> int:
        """How many of its cells are right, or follow."""
        counts = self.marked.counts if self.marked is not None else Counter[str]()
        return counts["right"] + counts["follows"]

    @property
    def is_doubtful(self) -> bool:
        """Whether enough of it is not right that it may be another's."""
        return 2 * int((~np.isnan(self.answers) & ~self.is_right).sum()) > _LEAST


def _best(one: _Numbers, known: Sequence[_Numbers]) -> tuple[Fit, _Numbers] | None:
    """Whose numbers a sheet holds, of several those that most of it agrees with."""
    found = [(fit, other) for other in known if other is not one and (fit := _fit(one, other)) is not None]
    return max(found, key=lambda pair: pair[0].cells / pair[0].of, default=None)


def _fit(one: _Numbers, other: _Numbers) -> Fit | None:
    if one.places != other.places:
        return None
    telling = ~np.isnan(one.answers) & ~_are_equal(one.right, other.right, one.half)
    count = int(telling.sum())
    if count < _LEAST or 2 * int((telling & one.is_right).sum()) >= count:
        return None
    theirs = (other.right, other.by_hand, other.answers)
    same = np.logical_or.reduce([_are_equal(one.answers, numbers, one.half) for numbers in theirs])
    agrees = int((telling & same).sum())
    return Fit(other.name, other.sheet.student, agrees, count) if agrees >= _SHARE * count else None


def _are_equal(one: Array, other: Array, half: Array) -> Flags:
    """Which numbers are equal to the digits asked for."""
    with np.errstate(invalid="ignore"):
        found: Flags = (one == other) | (np.abs(one - other) <= half * (1 + 1e-6))
    return found
