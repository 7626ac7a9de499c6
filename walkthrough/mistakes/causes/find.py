"""Which mistake the wrong numbers of each step are evidence of; none where the evidence is weak."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.candidate import Candidate
from walkthrough.mistakes.causes.candidates import (
    computed_from_others,
    copied,
    dropped,
    mixed_up,
    over_columns,
    usual,
)
from walkthrough.mistakes.causes.slips import decimals_of, fewer_digits, find_rounding_slip, transcription_slips
from walkthrough.mistakes.causes.written import Written, WrittenNumber
from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.mistakes.places import in_common
from walkthrough.mistakes.words import Again, Changes
from walkthrough.notation import typeset, write_number
from walkthrough.recording.cells import CellAt
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Causes = dict[CellAt, Mistake]


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def find_causes(numbers: Iterable[WrittenNumber], replay: Recalculation, trace: Trace) -> Causes:
    """The cause of each wrong number for which there is strong evidence.

    replay: the numbers written, and what follows from them where none were
    """
    found: Causes = {}
    open_cells: dict[Written, Flags] = {}
    tried: dict[Written, list[Candidate]] = {}
    for written in _steps(numbers, replay, trace):
        tried[written] = list(_candidates(written, replay, trace))
        open_cells[written] = _name(written, tried[written], found)
    for written, candidates in tried.items():
        if (again := _made_again(written, candidates, found, has_open=bool(open_cells[written].any()))) is not None:
            found |= again
            open_cells[written] = np.zeros_like(written.is_wrong)
    if (slip := find_rounding_slip(open_cells, replay, known=found.values())) is not None:
        made, cells = slip
        for written, where in cells.items():
            found |= {CellAt(written.value, row, column): made for row, column in np.argwhere(where).tolist()}
    return found


def _steps(numbers: Iterable[WrittenNumber], replay: Recalculation, trace: Trace) -> Iterator[Written]:
    """The calculated steps with wrong numbers, in order."""
    by_step: dict[Value, list[WrittenNumber]] = {}
    for number in numbers:
        by_step.setdefault(number.value, []).append(number)
    for value in trace:
        cells = by_step.get(value, ())
        if value.operation is not None and any(cell.is_wrong for cell in cells):
            yield Written.of(cells, replay.compute(value))


def _candidates(written: Written, replay: Recalculation, trace: Trace) -> Iterator[Candidate]:
    yield from transcription_slips(written)
    yield fewer_digits(written)
    yield from usual(written.value, replay, trace)
    yield from over_columns(written.value, replay)
    yield from computed_from_others(written.value, replay)
    yield from mixed_up(written)
    yield from dropped(written, replay)
    yield from copied(written, replay)


def _name(written: Written, candidates: Sequence[Candidate], found: Causes) -> Flags:
    """Names the likeliest cause of each wrong cell of a step; which of them remain without one."""
    ranked: list[tuple[tuple[int, bool, int, int], int, Candidate, Flags]] = []
    for candidate in candidates:
        evident = candidate.evident(written)
        if evident.any():
            ranked.append((_place(candidate, evident, written), len(ranked), candidate, evident))
    named = np.zeros(written.numbers.shape, dtype=bool)
    for _, _, candidate, evident in sorted(ranked, key=lambda one: one[:2]):
        if (evident & named).any():  # what a likelier one explains is no evidence of this one
            evident = candidate.evident(written.without(named))
        for row, column in np.argwhere(evident).tolist():
            found[CellAt(written.value, row, column)] = _made(candidate, written, row, column)
        named |= evident
    return written.is_wrong & ~named


def _made_again(written: Written, candidates: Sequence[Candidate], found: Causes, has_open: bool) -> Causes | None:
    """All that is wrong in a step by what was done in another one already; None: it is not.

    Numbers that show nothing by themselves are the same mistake again; of a step without open cells what was done
    before it counts alone.
    """
    value, done = written.value, set[Hashable]()
    for at, made in found.items():
        if at.value is value and not has_open:
            break
        if at.value is not value and made.row.again is Again.IN_LIKE_STEPS:
            done.update(in_common(made, at.value.path))
    for candidate in candidates:
        if not done.isdisjoint(in_common(candidate.mistake, value.path)) and candidate.gives_all(written):
            places = np.argwhere(written.is_wrong).tolist()
            return {CellAt(value, row, column): _made(candidate, written, row, column) for row, column in places}
    return None


def _place(candidate: Candidate, evident: Flags, written: Written) -> tuple[int, bool, int, int]:
    """Which of several is likelier: what explains most; of one number a slip of the pen; what gives it exactly."""
    count, exact = int(evident.sum()), int((candidate.explained(written) & evident).sum())
    return -count, count == 1 and not candidate.row.is_of_writing, -exact, candidate.row.rank


def _made(candidate: Candidate, written: Written, row: int, column: int) -> Mistake:
    """What was done in a cell; of a slip of the pen with the number that was meant."""
    made = candidate.mistake_at(written, row, column)
    if candidate.row.changes is Changes.WRITING:
        return _with_number(made, written, row, column)
    return made


def _with_number(made: Mistake, written: Written, row: int, column: int) -> Mistake:
    """A slip of the pen, with the number that was meant."""
    number = write_number(float(written.expected[row, column]), max(int(decimals_of(written)[row, column]), 0))
    return mistake(made.key, number=typeset(number))
