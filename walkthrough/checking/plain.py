"""The numbers printed for one step, as arrays: what is plain is decided for all of them at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.checking.digits import EQUAL, NOISE
from walkthrough.checking.prints import PrintedCell
from walkthrough.expressions.aliases import Array, Flags
from walkthrough.expressions.intervals import Interval
from walkthrough.recording.values import Value

_WELL, _BEYOND = 0.9, 1.1
"""Shares of half a unit within which a number is well on this side of the next one, and beyond which it is not."""


class Plain:
    """The printed numbers of a step, without words, in the order of `cells`."""

    def __init__(self, value: Value, cells: Sequence[PrintedCell]) -> None:
        found = [(cell, cell.printed) for cell in cells if not isinstance(cell.printed, str)]
        self.value = value
        self.cells = [cell for cell, _ in found]
        self.places = [(cell.row, cell.column) for cell in self.cells]
        self.at = np.array([row * value.shape[1] + column for row, column in self.places], dtype=np.intp)
        self.printed = np.array([one.value for _, one in found], dtype=np.float64)
        self._half = np.array([one.half_unit for _, one in found], dtype=np.float64)
        self._is_short = np.array([one.is_short for _, one in found], dtype=bool)
        self.exact = value.array.ravel()[self.at]
        with np.errstate(all="ignore"):
            self._off = np.abs(self.exact - self.printed)
        self._noise = NOISE * np.abs(self.exact)

    def rounds(self) -> tuple[Flags, Flags]:
        """Which exact numbers plainly round to what is printed, and which plainly do not."""
        is_finite = np.isfinite(self.exact) & np.isfinite(self.printed)
        with np.errstate(all="ignore"):
            near = (self._off < _WELL * self._half - self._noise) & self._is_short
            do = np.where(is_finite, (self._off <= self._noise) | near, self.exact == self.printed)
            return do, np.where(is_finite, self._off > _BEYOND * self._half + self._noise, ~do)

    def come_out(self, computed: Array) -> Flags:
        """Which numbers are within half a unit of what is printed."""
        low, high = self._bounds()
        numbers = computed.ravel()[self.at]
        return (low <= numbers) & (numbers <= high)

    def intervals(self, keeps_exact: bool) -> list[Interval]:
        """What rounds to each print. keeps_exact: a number printed in full stands for itself alone"""
        low, high = self._bounds()
        if keeps_exact:
            with np.errstate(all="ignore"):
                equal = (self.printed == self.exact) | (self._off <= EQUAL * np.abs(self.exact))
            low, high = np.where(equal, self.exact, low), np.where(equal, self.exact, high)
        return list(zip(low.tolist(), high.tolist(), strict=True))

    def _bounds(self) -> tuple[Array, Array]:
        slack = np.where(np.isinf(self.printed), 0.0, np.abs(self.printed) * NOISE + self._half)
        return self.printed - slack, self.printed + slack
