"""A mistake that may have been made in a step, and which of the numbers written are evidence of it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.written import MIN_SIGNIFICANT_DIGITS, TWO_DIGITS, Written
from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.words import Changes, Word
from walkthrough.operations.definition import Array
from walkthrough.records import Record

FEW = 3
"""Numbers that are evidence together; where no more are wrong, one alone is."""


class Candidate(Record, eq=False):
    """One mistake, which may have been made a little differently in each cell.

    made:    each way to make it, and what the step is then
    is_here: it was made in this step, not in one before it
    """

    made: tuple[tuple[Mistake, Array], ...]
    is_here: bool = True

    @property
    def mistake(self) -> Mistake:
        """What was done, the first way to make it."""
        return self.made[0][0]

    @property
    def row(self) -> Word:
        """What is known of such mistakes."""
        return self.mistake.row

    @property
    def one_number_is_evidence(self) -> bool:
        """Whether one with digits enough is: not of a mistake that is one of many tried."""
        return self.is_here and self.row.one_number_is_evidence and not self.mistake.is_one_of_several

    def explained(self, written: Written) -> Flags:
        """Where it gives what was written, to the digits asked for."""
        return _any(written.is_given_by(array) & written.is_changed_by(array) for _, array in self.made)

    def gives_all(self, written: Written) -> bool:
        """Whether it gives all that is wrong, and no right number speaks against it."""
        found = self._near(written) | self._given(written)
        return bool((found == written.is_wrong).all()) and not self._speaks_against(written).any()

    def evident(self, written: Written) -> Flags:
        """The wrong numbers that are evidence of it: several together, else each by itself.

        A slip of the pen is one in a number; what was done to a whole matrix shows in nearly all that is wrong.
        """
        several = self._near(written)
        is_shown = self._is_of_few if self.row.is_of_writing else self._is_of_step
        if several.sum() > 1 and is_shown(several, written) and self._has_digits(several, written):
            return several | self._given(written)
        alone = self.explained(written) & written.is_wrong & self.one_number_is_evidence
        least = TWO_DIGITS if self.row.is_of_writing else MIN_SIGNIFICANT_DIGITS
        for row, column in np.argwhere(alone).tolist():
            alone[row, column] = written.has_digits(row, column, least)
        is_shown = self._is_of_step if self.row.is_of_step else self._is_of_few
        return alone & is_shown(alone, written) & self._varies(alone, written)

    def _near(self, written: Written) -> Flags:
        """The wrong numbers that it gives, or those beside them, and that the right calculation does not."""
        found = _any(written.is_nearly_given_by(array) & written.is_changed_by(array) for _, array in self.made)
        return found & written.is_wrong

    def _given(self, written: Written) -> Flags:
        """The wrong numbers that it gives, the right calculation perhaps almost: no evidence, but done by it."""
        return _any(written.is_given_by(array) for _, array in self.made) & written.is_wrong

    def _is_of_few(self, shown: Flags, written: Written) -> bool:
        """Whether these are half of the wrong numbers of the step, or there are few."""
        wrong = int(written.is_wrong.sum())
        return wrong <= FEW or 2 * int(shown.sum()) >= wrong

    def _is_of_step(self, shown: Flags, written: Written) -> bool:
        """Whether these are most of what is wrong, three numbers or half of all, and no right one speaks against it."""
        count, wrong = int(shown.sum()), int(written.is_wrong.sum())
        is_most = 4 * count >= 3 * wrong and (count >= FEW or 2 * count >= shown.size)
        return is_most and not (self.row.is_of_step and self._speaks_against(written).any())

    def _speaks_against(self, written: Written) -> Flags:
        """The right numbers that it would have changed."""
        changed = _any(written.is_changed_by(array) & ~np.isnan(array) for _, array in self.made)
        beside = _any(written.is_beside(array) for _, array in self.made)
        return changed & ~beside & ~written.is_wrong

    def _has_digits(self, shown: Flags, written: Written) -> bool:
        """Whether the numbers have digits enough, and vary.

        Those of one digit agree with everything: they show a mistake where they are all that is wrong, four or more in
        several rows and columns that they stand elsewhere.
        """
        is_all = bool((shown == written.is_wrong).all()) and not self._speaks_against(written).any()
        is_all = is_all and not self.row.is_of_writing
        is_all = is_all and (self.row.changes is not Changes.PLACE or _is_spread(shown))
        return self._varies(shown, written) and (
            is_all or written.count_different_digits(shown) >= MIN_SIGNIFICANT_DIGITS
        )

    def _varies(self, shown: Flags, written: Written) -> bool:
        """Whether several are not one number throughout, which may be any; a slip of the pen was made in each."""
        return self.row.is_of_writing or int(shown.sum()) < 2 or written.varies(shown)

    def mistake_at(self, written: Written, row: int, column: int) -> Mistake:
        """The way it was made in a cell that is evidence of it."""
        for fits in (written.is_given_by, written.is_nearly_given_by):
            for made, array in self.made:
                if fits(array)[row, column]:
                    return made
        return self.mistake


def _is_spread(shown: Flags) -> bool:
    return int(shown.sum()) > FEW and all(int(shown.any(axis=axis).sum()) > 1 for axis in (0, 1))


def _any(flags: object) -> Flags:
    found: Flags = reduce(np.logical_or, flags)  # type: ignore[call-overload]
    return found
