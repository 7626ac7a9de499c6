"""The mistakes that may have been made in a step: the usual ones, a product left out, rows or columns mixed up, …"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.candidate import Candidate
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import Mistake, change, mistake, transpose
from walkthrough.mistakes.search import make_mistakes
from walkthrough.mistakes.words import OTHER
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import linear, linear_out_in, matrix_product, product_transposed
from walkthrough.operations.normalization import mean_square, subtract_rows
from walkthrough.operations.softmax import divide_rows, exponential, mask, row_sum
from walkthrough.recording.cells import CellAt
from walkthrough.recording.graph import steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_MOST_TERMS = 64
"""Products of a longer sum are not left out one by one."""
_NEVER = np.inf
_READERS = (
    *(exponential, row_sum, divide_rows, mean_square, mask),
    *(linear, linear_out_in, matrix_product),
)
"""Operations of which no usual mistake is to read other numbers first."""


def usual(value: Value, replay: Recalculation, trace: Trace) -> Iterator[Candidate]:
    """The usual mistakes in a step, and in those before it of which no number was written."""
    for step in steps_not_given(value, replay.given):
        if step is value or step not in replay.given:
            for made, array in make_mistakes(value, step, replay, trace):
                if step is not value and made.word == "copied":
                    made = _left_out(step, made)
                if made.word != OTHER:
                    yield Candidate(((made, array),), is_here=step is value)


def _left_out(step: Value, made: Mistake) -> Mistake:
    """A step of which no number was written had those of another: what was written is computed from these."""
    return mistake("exchanged.state", one=step, other=dict(made.facts)["cell"])


def over_columns(value: Value, replay: Recalculation) -> Iterator[Candidate]:
    """One number a row, subtracted or divided by, taken as one a column: as it was written, if it is of the columns."""
    if value.operation in (subtract_rows, divide_rows) and value.shape[0] == value.shape[1]:
        x, column = value.inputs
        made = mistake("softmax_columns" if column.operation is row_sum else "mixed_up.norm")
        yield Candidate(((made, transpose(change(value, transpose(x), column)).array(replay.array)),))


def computed_from_others(value: Value, replay: Recalculation) -> Iterator[Candidate]:
    """Numbers that were written, and then not used: those before them stand in their place."""
    if value.operation not in _READERS:
        return
    one, *rest = value.inputs
    for other in _of_its_shape(one):
        if one in replay.given:
            made = mistake("exchanged.state", other=other, one=one)
            yield Candidate(((made, change(value, other, *rest).array(replay.array)),))


def _of_its_shape(value: Value) -> Iterator[Value]:
    """What a step is computed from that has its shape, and as long as that is one step, what that is computed from."""
    found = [one for one in value.inputs if one.shape == value.shape]
    yield from found
    if len(found) == 1:
        yield from _of_its_shape(found[0])


def dropped(written: Written, replay: Recalculation) -> Iterator[Candidate]:
    """A product of a sum left out, in each cell perhaps another one."""
    value = written.value
    if value.operation not in (linear, linear_out_in, matrix_product, product_transposed):
        return
    left, right = (replay.array(one) for one in value.inputs[:2])
    if value.operation in (linear_out_in, product_transposed):
        right = right.T
    if left.shape[1] <= _MOST_TERMS:
        made = mistake("dropped")
        with np.errstate(all="ignore"):
            terms = [np.outer(left[:, at], right[at]) for at in range(left.shape[1])]
            yield Candidate(tuple((made, written.expected - term) for term in terms))


def mixed_up(written: Written) -> Iterator[Candidate]:
    """The numbers of another row, or of another column, of the same step."""
    transposed = written.transposed()
    columns = [(made, array.T) for made, array in _exchanged_rows(transposed, is_column=True)]
    for fitting in (list(_exchanged_rows(written)), columns):
        if fitting:
            yield Candidate(tuple(fitting))


def _exchanged_rows(written: Written, is_column: bool = False) -> Iterator[tuple[Mistake, Array]]:
    """Each row with a wrong number in the place of which another one was written; of a single column any number."""
    expected = written.expected
    if expected.shape[1] == 1:
        rolled = (np.roll(expected, turn, axis=0) for turn in range(1, len(expected)))
        yield from ((_mixed_up(written.value, 0, is_column), one) for one in rolled if _fits(written, one))
        return
    for row in np.flatnonzero(written.is_wrong.any(axis=1)).tolist():
        for other in np.flatnonzero(_fit(written.row(row), expected)).tolist():
            if other != row:
                changed = expected.copy()
                changed[row] = expected[other]
                yield _mixed_up(written.value, other, is_column), changed


def _mixed_up(value: Value, other: int, is_column: bool) -> Mistake:
    cell = CellAt(value, *((0, other) if is_column else (other, 0)))
    return mistake("mixed_up.cell", cell=cell)


def _fit(written: Written, rows: Array) -> Flags:
    """Which rows explain something wrong in the one that was written, where all that would be other numbers are these.

    written: one row; rows: those that may stand in its place
    """
    changed = written.is_changed_by(rows)
    near = changed & written.is_nearly_given_by(rows)
    found: Flags = (near & written.is_wrong).any(axis=1) & (4 * near.sum(axis=1) >= 3 * changed.sum(axis=1))
    return found


def _fits(written: Written, column: Array) -> bool:
    """The same of a single column."""
    return bool(_fit(written.transposed(), column.T).all())


def copied(written: Written, replay: Recalculation) -> Iterator[Candidate]:
    """Numbers that stand in cells that it is computed from."""
    inputs = list(dict.fromkeys(written.value.inputs))
    arrays = [replay.array(one) for one in inputs]
    array = np.full(written.numbers.shape, _NEVER)
    named: Mistake | None = None
    for row, column in np.argwhere(written.is_wrong).tolist():
        number = float(written.numbers[row, column])
        source = _find(number, inputs, arrays) if written.has_digits(row, column) else None
        if source is not None:
            array[row, column] = number
            named = named or mistake("copied.cell", cell=source)
    if named is not None:
        yield Candidate(((named, array),))


def _find(number: float, values: Sequence[Value], arrays: Sequence[Array]) -> CellAt | None:
    """The first cell with a number."""
    for value, array in zip(values, arrays, strict=True):
        at = np.argwhere(np.abs(array - number) <= OF_FLOAT64 * abs(number))
        if len(at):
            return CellAt(value, int(at[0, 0]), int(at[0, 1]))
    return None
