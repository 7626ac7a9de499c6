"""What a student probably did: the usual mistakes are made on purpose with the student's own numbers, and compared.

Mistakes in the calculation are those that `check --against` knows; slips of the pen are read off the digits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from walkthrough.explaining.worked import cell_name
from walkthrough.mistakes.replay import Replay
from walkthrough.mistakes.search import make_mistakes
from walkthrough.notation import round_number, write_number
from walkthrough.operations.definition import Array
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.teaching.catalogue import Catalogue
from walkthrough.teaching.mark.causes import Cause, cause
from walkthrough.teaching.mark.marked import Marked, MarkedCell
from walkthrough.teaching.mark.own import Own
from walkthrough.teaching.sheet import Place

_POINTS = (1, 2, 3, -1, -2, -3)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A mistake in words, what it makes of a step, and how near an answer comes to that, in units."""

    cause: Cause
    array: Array
    tolerance: float


def find_likely(marked: Marked, words: Catalogue) -> dict[Place, Cause]:
    """What was probably done in each wrong cell where a usual mistake gives what was written."""
    found: dict[Place, Cause] = {}
    by_step: dict[Value, list[MarkedCell]] = {}
    for cell in marked.cells:
        if cell.verdict == "wrong" and cell.answer.number is not None and cell.value.names is None:
            by_step.setdefault(cell.value, []).append(cell)
    replay = _replay(marked) if by_step else None
    for value, cells in by_step.items():
        assert replay is not None
        step = _Step(value, marked.own, words)
        mistakes = list(_mistakes(value, replay, marked.sheet.hand, words))
        for cell in cells:
            if said := _cause(cell, cells, step, mistakes):
                found[cell.place] = said
    return found


def _replay(marked: Marked) -> Replay:
    """The student's numbers of each step of which some were handed in, or that are printed on the sheet."""
    own = marked.own
    has = {place[0] for place in own.numbers}
    given = {step.value: own.array(step.value) for step in marked.sheet.steps if not step.is_left_out}
    return Replay(
        {value: array for value, array in given.items() if value.path in has or not own.steps[value].is_asked}
    )


def _mistakes(value: Value, replay: Replay, trace: Trace, words: Catalogue) -> Iterator[_Candidate]:
    for step in replay.steps_not_given(value):
        if step is not value and step in replay.given:
            continue
        for mistake, array in make_mistakes(value, step, replay, trace):
            if said := cause(words, mistake.key, **mistake.words()):
                yield _Candidate(said, array, 1.0 if step is value else 3.0)


def _cause(cell: MarkedCell, cells: Sequence[MarkedCell], step: _Step, mistakes: Sequence[_Candidate]) -> Cause | None:
    """The likeliest: a mistake that explains several cells, a slip of the pen, a mistake that explains this one."""
    fitting = [one for one in mistakes if step.fits(cell, one)]
    counts = [sum(step.fits(other, one) for other in cells) for one in fitting]
    most = fitting[counts.index(max(counts))] if fitting else None
    if most is not None and max(counts) > 1:
        return most.cause
    slip = next(step.slips(cell), None)
    if slip is not None:
        return slip
    return most.cause if most is not None else next(step.elsewhere(cell), None)


class _Step:
    """One step with the student's own numbers: what was asked for, and what surrounds it."""

    def __init__(self, value: Value, own: Own, words: Catalogue) -> None:
        self.value = value
        self.own = own
        self.words = words
        self.expected = own.compute(value)

    def fits(self, cell: MarkedCell, mistake: _Candidate) -> bool:
        """Whether a mistake gives the answer, and the numbers without it do not."""
        assert cell.answer.number is not None
        number, answer = float(mistake.array[cell.row, cell.column]), cell.answer.number
        if not np.isfinite(number) or not np.isfinite(answer):
            return False
        unit = 10.0 ** -cell.step.decimals(answer, cell.row, cell.column)
        slack = 0.005 * abs(number) if mistake.tolerance > 1 else 1e-9 * abs(number)
        changes = not abs(number - float(self.expected[cell.row, cell.column])) <= 0.5 * unit
        return changes and abs(number - answer) <= mistake.tolerance * unit + slack

    def slips(self, cell: MarkedCell) -> Iterator[Cause]:
        """Slips of the pen: sign, decimal point, digits swapped, too few digits."""
        answer, words = cell.answer, self.words
        assert answer.number is not None
        if not np.isfinite(answer.number) or not answer.number:
            return
        targets = self._targets(cell)
        number = words.number(cell.step.digits.text(float(targets[0])))
        decimals = cell.step.decimals(answer.number, cell.row, cell.column)
        unit = 10.0**-decimals
        if any(_near(-answer.number, target, unit) for target in targets):
            yield from self._said("sign", number=number)
        if any(round_number(target, fewer) == answer.number for target in targets for fewer in _fewer(cell, decimals)):
            yield from self._said("fewer")
        if abs(answer.number) >= 10 * unit:
            for power in _POINTS:
                moved = answer.number * 10.0**power
                if any(_near(moved, target, unit * max(1.0, 10.0**power)) for target in targets if abs(target) >= unit):
                    yield from self._said("point", number=number)
        if any(_near(one, target, unit) for one in _swap_digits(answer.number, decimals) for target in targets):
            yield from self._said("swapped", number=number)

    def elsewhere(self, cell: MarkedCell) -> Iterator[Cause]:
        """Numbers of other cells, and operands that were rounded too early."""
        answer = cell.answer.number
        assert answer is not None
        unit = 10.0 ** -cell.step.decimals(answer, cell.row, cell.column)
        if answer and np.isfinite(answer):
            for row, column in self._neighbours(cell):
                if _near(answer, float(self.expected[row, column]), unit):
                    name = cell_name(self.value, row, column)
                    yield from self._said("mixed_up", cell=name)
        if self._is_early(cell, answer, unit):
            yield from self._said("early")
        if answer and np.isfinite(answer):
            for given in self.value.inputs:
                for row, column in np.argwhere(np.abs(self.own.array(given) - answer) < 1e-9 * max(1.0, abs(answer))):
                    yield from self._said("copied", cell=cell_name(given, int(row), int(column)))

    def _said(self, key: str, **facts: str) -> Iterator[Cause]:
        if said := cause(self.words, key, **facts):
            yield said

    def _targets(self, cell: MarkedCell) -> list[float]:
        own, right = float(self.expected[cell.row, cell.column]), float(cell.step.exact.array[cell.row, cell.column])
        return [number for number in (own, right) if np.isfinite(number)] or [0.0]

    def _neighbours(self, cell: MarkedCell) -> Iterator[tuple[int, int]]:
        rows, columns = self.value.shape
        yield from ((cell.row, column) for column in range(columns) if column != cell.column)
        yield from ((row, cell.column) for row in range(rows) if row != cell.row)

    def _is_early(self, cell: MarkedCell, answer: float, unit: float) -> bool:
        """Whether operands with fewer digits give the answer."""
        digits = cell.step.digits
        assert self.value.operation is not None
        for count in range(digits.count - 1, -1 if not digits.significant else 0, -1):
            fewer = type(digits)(count, digits.significant)
            inputs = [
                self.own.array(one) if one.operation is None else fewer.round(self.own.array(one))
                for one in self.value.inputs
            ]
            with np.errstate(all="ignore"):
                array = self.value.operation.forward(*inputs, **self.value.settings)
            if _near(answer, float(array[cell.row, cell.column]), unit):
                return True
        return False


def _near(number: float, target: float, unit: float) -> bool:
    return abs(number - target) <= 0.5 * unit * (1 + 1e-6) + 1e-9 * abs(target)


def _fewer(cell: MarkedCell, decimals: int) -> range:
    has = cell.answer.decimals
    return range(max(has, 0), decimals) if has is not None and has < decimals else range(0)


def _swap_digits(number: float, decimals: int) -> Iterator[float]:
    """The number with two neighbouring digits in each other's place."""
    text = write_number(abs(number), max(decimals, 0))
    places = [at for at, character in enumerate(text) if character.isdigit()]
    if "e" in text:
        return
    for one, two in pairwise(places):
        if text[one] != text[two]:
            characters = list(text)
            characters[one], characters[two] = characters[two], characters[one]
            yield float("".join(characters)) * (1 if number > 0 else -1)
