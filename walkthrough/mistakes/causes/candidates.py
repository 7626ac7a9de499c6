"""The mistakes that may have been made in a step: the usual ones, a product left out, rows or columns mixed up, …"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from walkthrough.mistakes.causes.candidate import TAKEN, WORDS, Candidate
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import CellOf, Mistake, mistake
from walkthrough.mistakes.search import make_mistakes
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import linear, linear_out_in, matrix_product, product_transposed
from walkthrough.recording.graph import steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_TERMS = 64
"""Products of a longer sum are not left out one by one."""
_NEVER = np.inf


def usual(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Candidate]:
    """The usual mistakes in a step, and in those before it of which no number was written."""
    for step in steps_not_given(value, replay.given):
        if step is value or step not in replay.given:
            for made, array in make_mistakes(value, step, replay, trace):
                if step is not value and made.key == "copied":
                    made = _left_out(step, made)
                if made.key:
                    yield Candidate(((made, array),), may_be_single=step is value and _may_be_single(made))


def _left_out(step: Value, made: Mistake) -> Mistake:
    """A step of which no number was written had those of another: what was written is computed from these."""
    return mistake("exchanged.state", made.what, one=step, other=dict(made.facts)["cell"])


def _may_be_single(made: Mistake) -> bool:
    """Whether one number is evidence of it: not of one among many that were tried."""
    return made.word in WORDS.split() and made.word not in TAKEN and not made.is_one_of_several


def dropped(written: Written, replay: Recalculation) -> Iterator[Candidate]:
    """A product of a sum left out, in each cell perhaps another one."""
    value = written.value
    if value.operation not in (linear, linear_out_in, matrix_product, product_transposed):
        return
    left, right = (replay.array(one) for one in value.inputs[:2])
    if value.operation in (linear_out_in, product_transposed):
        right = right.T
    if left.shape[1] <= _MOST_TERMS:
        made = mistake("dropped", "a product of the sum is left out")
        with np.errstate(all="ignore"):
            terms = [np.outer(left[:, at], right[at]) for at in range(left.shape[1])]
            yield Candidate(tuple((made, written.expected - term) for term in terms))


def mixed_up(written: Written) -> Iterator[Candidate]:
    """The numbers of another row, or of another column, of the same step."""
    rows = _exchanged_rows(written, written.expected)
    columns = [(made, array.T) for made, array in _exchanged_rows(written, written.expected.T, is_column=True)]
    for found in (rows, columns):
        fitting = [one for one in found if _fits_whole_rows(written, one[1])]
        if fitting:
            yield Candidate(tuple(fitting), may_be_single=False)


def _fits_whole_rows(written: Written, array: Array) -> bool:
    """Whether something wrong is explained, and all that would be other numbers are these."""
    changed = written.is_changed_by(array)
    near = changed & written.is_nearly_given_by(array)
    return bool((near & written.is_wrong).any() and 4 * near.sum() >= 3 * changed.sum())


def _exchanged_rows(written: Written, array: Array, is_column: bool = False) -> list[tuple[Mistake, Array]]:
    """Each row with a wrong number in the place of which another one was written; of a single column any number."""
    is_wrong = written.is_wrong.T if is_column else written.is_wrong
    found = []
    for row in np.flatnonzero(is_wrong.any(axis=1)).tolist():
        for other in range(len(array)):
            if other != row:
                changed = array.copy()
                changed[row] = array[other]
                cell = CellOf(written.value, *((0, other) if is_column else (other, 0)))
                found.append((mistake("mixed_up", "the numbers of another row or column", cell=cell), changed))
    if array.shape[1] > 1:
        return found
    turned = [array[np.roll(np.arange(len(array)), turn)] for turn in range(1, len(array))]
    return [(mistake("mixed_up", "the numbers of another row or column", cell=CellOf(written.value, 0, 0)), one)
            for one in turned]  # fmt: skip


def copied(written: Written, replay: Recalculation) -> Iterator[Candidate]:
    """Numbers that stand in cells that it is computed from."""
    cells = [
        (CellOf(one, *at), number)
        for one in dict.fromkeys(written.value.inputs)
        for at, number in np.ndenumerate(replay.array(one))
    ]
    array = np.full(written.numbers.shape, _NEVER)
    named: Mistake | None = None
    for row, column in np.argwhere(written.is_wrong).tolist():
        number = float(written.numbers[row, column])
        source = next((cell for cell, held in cells if abs(held - number) <= 1e-9 * abs(number)), None)
        if source is not None and written.has_digits(row, column):
            array[row, column] = number
            named = named or mistake("copied", "the numbers of another step", cell=source)
    if named is not None:
        yield Candidate(((named, array),), may_be_single=False)
