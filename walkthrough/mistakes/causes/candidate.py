"""A mistake that may have been made in a step, and which of the numbers written are evidence of it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.written import MIN_SIGNIFICANT_DIGITS, Written
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.words import Changes, Word
from walkthrough.operations.definition import Array
from walkthrough.records import Record

_FEW = 3


class Candidate(Record, eq=False):
    """One mistake, which may have been made a little differently in each cell.

    made:    each way to make it, and what the step is then
    is_here: it was made in this step, not in one before it
    """

    made: tuple[tuple[Mistake, Array], ...]
    is_here: bool = True

    @property
    def row(self) -> Word:
        """What is known of such mistakes."""
        return self.made[0][0].row

    @property
    def one_number_is_evidence(self) -> bool:
        """Whether one with digits enough is: not of a mistake that is one of many tried."""
        return self.is_here and self.row.one_number_is_evidence and not self.made[0][0].is_one_of_several

    def explained(self, written: Written) -> Flags:
        """Where it gives what was written, to the digits asked for."""
        return _any(written.is_given_by(array) & written.is_changed_by(array) for _, array in self.made)

    def evident(self, written: Written) -> Flags:
        """The wrong numbers that are evidence of it: several, or one with digits enough; in a step that went wrong
        throughout, most of what is wrong."""
        near = _any(written.is_nearly_given_by(array) & written.is_changed_by(array) for _, array in self.made)
        several = near & written.is_wrong
        if several.sum() > 1 and self._are_most(several, written) and self._is_made(near, several, written):
            return several
        alone = self.explained(written) & written.is_wrong & self.one_number_is_evidence
        for row, column in np.argwhere(alone).tolist():
            alone[row, column] = written.has_digits(row, column)
        return alone & self._are_most(alone, written)

    def _is_made(self, near: Flags, wrong: Flags, written: Written) -> bool:
        """Whether several wrong numbers show it.

        A mistake in calculating is a habit. Small whole numbers agree with everything: they show it where nothing else
        is wrong, and where they vary.
        """
        has_digits = written.count_different_digits(wrong) >= MIN_SIGNIFICANT_DIGITS
        if self.row.changes is Changes.WRITING:
            return has_digits
        if has_digits:
            return self.is_systematic(written)
        changed = _any(written.is_changed_by(array) for _, array in self.made)
        is_all = bool((near == changed).all() and (wrong == written.is_wrong).all())
        given = _any(written.is_given_by(array) for _, array in self.made)
        return is_all and self.row.changes is not Changes.PLACE and written.varies(given | near)

    def is_systematic(self, written: Written) -> bool:
        """Whether it shows in half of what it would change in the rows, or in the columns, of its wrong numbers."""
        changed = _any(written.is_changed_by(array) for _, array in self.made)
        near = _any(written.is_nearly_given_by(array) & written.is_changed_by(array) for _, array in self.made)
        wrong = near & written.is_wrong
        rows, columns = wrong.any(axis=1), wrong.any(axis=0)
        return wrong.sum() > 1 and bool(
            2 * near[rows].sum() >= changed[rows].sum() or 2 * near[:, columns].sum() >= changed[:, columns].sum()
        )

    def _are_most(self, wrong: Flags, written: Written) -> bool:
        """Whether they are half of the wrong numbers of the step, or there are few; of numbers from elsewhere more."""
        total, count = int(written.is_wrong.sum()), int(wrong.sum())
        if self.row.changes is Changes.PLACE:
            return 4 * count >= 3 * total
        return total <= _FEW or 2 * count >= total

    def mistake_at(self, written: Written, row: int, column: int) -> Mistake:
        """The way it was made in a cell that is evidence of it."""
        for fits in (written.is_given_by, written.is_nearly_given_by):
            for made, array in self.made:
                if fits(array)[row, column]:
                    return made
        return self.made[0][0]


def _any(flags: object) -> Flags:
    found: Flags = reduce(np.logical_or, flags)  # type: ignore[call-overload]
    return found
