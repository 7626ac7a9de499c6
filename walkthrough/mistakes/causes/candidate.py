"""A mistake that may have been made in a step, and which of the numbers written are evidence of it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.written import TELLING, Written
from walkthrough.mistakes.mistake import Mistake
from walkthrough.operations.definition import Array
from walkthrough.records import Record

WORDS = (
    "not_scaled scaled_by_d_k multiplied_by_root not_masked transposed exchanged … mixed_up softmax_columns "
    "softmax_all base_2 not_divided positions mean masked_late norm gamma activation angles "
    "population_variance bias residual added sample_variance no_root epsilon sign swapped percent point "
    "truncated fewer early copied wrong_root dropped"
)
"""Of mistakes that explain as many cells the first one is told; in the place of … all other words."""
_RANKS = {word: rank for rank, word in enumerate(WORDS.split())}
_FEW = 3
TAKEN = ("copied", "mixed_up")
"""Causes by which numbers come from elsewhere."""


class Candidate(Record, eq=False):
    """One mistake, which may have been made a little differently in each cell.

    made:   each way to make it, and what the step is then
    is_pen: it is a slip of the pen, and no habit
    may_be_single: one number with digits enough is evidence of it
    """

    made: tuple[tuple[Mistake, Array], ...]
    is_pen: bool = False
    may_be_single: bool = True

    @property
    def word(self) -> str:
        """What programs call it."""
        return self.made[0][0].word

    @property
    def rank(self) -> int:
        """Its place among mistakes that explain as many cells."""
        return _RANKS.get(self.word, _RANKS["…"])

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
        alone = self.explained(written) & written.is_wrong & self.may_be_single
        for row, column in np.argwhere(alone).tolist():
            alone[row, column] = written.has_digits(row, column)
        return alone & self._are_most(alone, written)

    def _is_made(self, near: Flags, wrong: Flags, written: Written) -> bool:
        """Whether several wrong numbers show it.

        A mistake in calculating is a habit. Small whole numbers agree with everything: they show it where nothing else
        is wrong, and where they vary.
        """
        has_digits = written.count_different_digits(wrong) >= TELLING
        if self.is_pen:
            return has_digits
        if has_digits:
            return self.is_habit(written)
        changed = _any(written.is_changed_by(array) for _, array in self.made)
        is_all = bool((near == changed).all() and (wrong == written.is_wrong).all())
        given = _any(written.is_given_by(array) for _, array in self.made)
        return is_all and self.word not in TAKEN and written.varies(given | near)

    def is_habit(self, written: Written) -> bool:
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
        if self.word in TAKEN:
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
