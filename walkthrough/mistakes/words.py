"""The words that programs know mistakes by, one row each: what a mistake changes, how telling it is, when it is one."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple


class Changes(Enum):
    """What is otherwise than it should be."""

    WRITING = auto()
    """A number that was right, as it is written down: a slip of the pen."""
    ROUNDING = auto()
    """The digits of numbers throughout: a habit."""
    NUMBER = auto()
    """What one number is calculated from, in each number perhaps something else."""
    PLACE = auto()
    """The rows or columns that the numbers of a step stand in."""
    STEP = auto()
    """What is done with all numbers of a step."""


class Again(Enum):
    """Where the same mistake is no new one when it is made again."""

    NOWHERE = auto()
    IN_LIKE_STEPS = auto()
    """In the same step of another head, layer or pass; what is done to a whole matrix also where the same is said."""
    ANYWHERE = auto()


class Word(NamedTuple):
    """One row.

    rank: of mistakes that explain as many numbers the one of the lowest rank is told
    one_number_is_evidence: if it has digits enough
    """

    rank: int
    changes: Changes = Changes.STEP
    one_number_is_evidence: bool = True
    again: Again = Again.IN_LIKE_STEPS

    @property
    def is_of_step(self) -> bool:
        """Whether it is done to a whole matrix."""
        return self.changes in (Changes.PLACE, Changes.STEP)

    @property
    def is_of_writing(self) -> bool:
        """Whether a right number was written down otherwise: a slip of the pen, or other digits than were asked for."""
        return self.changes in (Changes.WRITING, Changes.ROUNDING)


_OTHER = 8
OTHER = "other"
"""The word of mistakes that have none of their own; they are not looked for on a student's sheet."""

WORDS = {
    "not_scaled": Word(1),
    "scaled_by_d_k": Word(2),
    "multiplied_by_root": Word(3),
    "not_masked": Word(4),
    "softmax_columns": Word(5),
    "transposed": Word(6),
    "exchanged": Word(7),
    **dict.fromkeys(
        (
            *("added_twice", "left_out", "not_added", "multiplied", "divided_already", "divided_by_root"),
            *("mask", "hidden_zero", "hidden_number", "softmax_heads", "slope", "distance_added"),
            *("layout", "no_minus", "not_rotated", "rotated_back", "rotated_too", "mean_subtracted"),
            *("sum_for_mean", "mean_for_sum", "unshifted_targets", "no_softmax_jacobian", OTHER),
        ),
        Word(_OTHER, one_number_is_evidence=False),
    ),
    "accumulated": Word(_OTHER, one_number_is_evidence=False, again=Again.ANYWHERE),
    "softmax_all": Word(9),
    "base_2": Word(10),
    "not_divided": Word(11),
    "positions": Word(12),
    "mean": Word(13),
    "masked_late": Word(14),
    "norm": Word(15),
    "gamma": Word(16),
    "activation": Word(17),
    "angles": Word(18),
    "population_variance": Word(19),
    "bias": Word(20),
    "residual": Word(21),
    "added": Word(22),
    "sample_variance": Word(23),
    "no_root": Word(24),
    "epsilon": Word(25),
    "mixed_up": Word(26, Changes.PLACE, one_number_is_evidence=False),
    "sign": Word(27, Changes.WRITING, again=Again.NOWHERE),
    "swapped": Word(28, Changes.WRITING, again=Again.NOWHERE),
    "percent": Word(29, Changes.WRITING, again=Again.NOWHERE),
    "point": Word(30, Changes.WRITING, again=Again.NOWHERE),
    "truncated": Word(31, Changes.ROUNDING, one_number_is_evidence=False, again=Again.ANYWHERE),
    "fewer": Word(32, Changes.ROUNDING, again=Again.ANYWHERE),
    "early": Word(33, Changes.ROUNDING, one_number_is_evidence=False),
    "copied": Word(34, Changes.NUMBER, one_number_is_evidence=False, again=Again.NOWHERE),
    "wrong_root": Word(35, Changes.NUMBER),
    "dropped": Word(36, Changes.NUMBER),
}
