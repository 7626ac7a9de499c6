"""The numbers printed for each step, as arrays: what is plain is decided for all of them at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags, Places
from walkthrough.judging.digits import EQUAL, NOISE, Printed
from walkthrough.judging.prints import PrintedCell
from walkthrough.recording.values import Value

_WELL, _BEYOND = 0.9999, 1.0001
"""Shares of half a unit within which a number is well on this side of the next one, and beyond which it is not."""


@dataclass(frozen=True, slots=True, eq=False)
class Plain:
    """The printed numbers of a step, without words, in the order of `cells`.

    at:         where they stand, counted row by row
    exact:      the right numbers, unrounded
    do, do_not: which of these plainly round to what is printed, and which plainly do not
    low, high:  what rounds to each print; `least`, `most`: the same, but a number printed in full stands for itself
    """

    value: Value
    cells: Sequence[PrintedCell]
    at: Places
    printed: Array
    exact: Array
    do: Flags
    do_not: Flags
    low: Array
    high: Array
    least: Array
    most: Array

    @property
    def has_twice(self) -> bool:
        """Whether a number is printed twice."""
        return len(set(self.at.tolist())) < len(self.cells)

    def come_out(self, computed: Array) -> Flags:
        """Which numbers are within half a unit of what is printed."""
        numbers = computed.ravel()[self.at]
        return (self.low <= numbers) & (numbers <= self.high)


@np.errstate(all="ignore")
def plain(by_step: Mapping[Value, Sequence[PrintedCell]], keeps_exact: bool) -> dict[Value, Plain]:
    """The printed numbers of each step. keeps_exact: one printed in full stands for itself alone"""
    steps = [(value, [cell for cell in cells if not isinstance(cell.printed, str)]) for value, cells in by_step.items()]
    at = [
        np.array([cell.row * value.shape[1] + cell.column for cell in cells], dtype=np.intp) for value, cells in steps
    ]
    exact = np.concatenate(
        [np.zeros(0), *(value.array.ravel()[one] for one, (value, _) in zip(at, steps, strict=True))]
    )
    columns = _columns(exact, [cell.printed for _, cells in steps for cell in cells], keeps_exact)  # type: ignore[misc]
    ends = pairwise(accumulate(map(len, at), initial=0))
    return {
        value: Plain(value, cells, here, *(column[start:stop] for column in columns))
        for (value, cells), here, (start, stop) in zip(steps, at, ends, strict=True)
    }


def _columns(exact: Array, prints: Sequence[Printed], keeps_exact: bool) -> tuple[Any, ...]:
    """What `Plain` holds of each number."""
    printed = np.array([one.value for one in prints], dtype=np.float64)
    half = np.array([one.half_unit for one in prints], dtype=np.float64)
    is_short = np.array([one.is_short for one in prints], dtype=bool)
    off, noise = np.abs(exact - printed), NOISE * np.abs(exact)
    is_finite = np.isfinite(exact) & np.isfinite(printed)
    near = (off < _WELL * half - noise) & is_short
    do = np.where(is_finite, (off <= noise) | near, exact == printed)
    do_not = np.where(is_finite, off > _BEYOND * half + noise, ~do)
    slack = np.where(np.isinf(printed), 0.0, np.abs(printed) * NOISE + half)
    low, high = printed - slack, printed + slack
    equal = keeps_exact & ((printed == exact) | (off <= EQUAL * np.abs(exact)))
    return printed, exact, do, do_not, low, high, np.where(equal, exact, low), np.where(equal, exact, high)
