"""One calculation continued from printed numbers: what they give exactly as printed, and what they could have given."""

from __future__ import annotations

import math

import numpy as np

from walkthrough.expressions.bounds.forms import FLOAT64
from walkthrough.expressions.tree.aliases import Array, Flags
from walkthrough.judging.bounds import Bounds
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import PrintedCell
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.values import Value


class Calculation:
    """What follows from the numbers carried on.

    points: from them exactly as they are, nothing between rounded
    bounds: from each within half a unit, and what is between rounded as it may be
    """

    def __init__(self, bounds: Bounds, points: Recalculation | None = None) -> None:
        self.bounds = bounds
        self.points = points or Recalculation()

    def copy(self) -> Calculation:
        """The same calculation, to be continued differently."""
        return Calculation(self.bounds.copy(), self.points.copy())

    def carry(self, printed: PrintedNumbers, is_wrong: Flags, may_be_rounded: bool = False) -> None:
        """Goes on with the printed numbers of a step, and with the right ones in the place of wrong ones.

        may_be_rounded: a number with further digits may have been rounded before it was used, and one that looks
                        exact may be a rounded one
        """
        keeps_exact = not may_be_rounded and self.bounds.roundoff <= FLOAT64
        given = np.zeros((3, *printed.value.shape))
        is_printed = np.zeros(printed.value.shape, dtype=bool)
        is_printed.flat[printed.at] = True
        numbers, low, high = printed.correct(is_wrong, keeps_exact)
        if may_be_rounded:
            low, high = self._narrow(printed, numbers, low, high)
        given.reshape(3, -1)[:, printed.at] = numbers, low, high
        self.points.give(printed.value, given[0], is_printed)
        self.bounds.give(printed.value, given[1:], is_printed)

    def _narrow(self, printed: PrintedNumbers, numbers: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """What each may be gone on with: the number, the same rounded, or what rounds to it and the steps before give,
        where one digit more than is written may have been kept.

        All that rounds to it, where these give nothing of that. Not of an author, whose calculation may be another one.
        """
        before, exact = self.bounds.compute(printed.value), printed.exact
        ends = (
            [exact, exact]
            if before.is_exact
            else [end.ravel()[printed.at] for end in (before.forms.low, before.forms.high)]
        )
        guard = np.subtract(high, low, out=np.zeros_like(low), where=low < high) / 20
        least, most = np.maximum(low, ends[0] - guard), np.minimum(high, ends[1] + guard)
        kept = np.stack([numbers, printed.rounded(numbers)])
        kept = np.where(np.abs(kept - exact) <= OF_FLOAT64 * np.abs(exact), exact, kept)
        is_from_before = least <= most
        return (
            np.where(is_from_before, np.minimum(least, kept.min(axis=0)), low),
            np.where(is_from_before, np.maximum(most, kept.max(axis=0)), high),
        )

    def compute(self, value: Value) -> Array:
        """What the numbers before a step give for it, exactly as they are."""
        return self.points.compute(value)

    def reach(self, printed: PrintedNumbers) -> Flags:
        """Which of the numbers could come out so that they are printed like this.

        Where the numbers as they are give one, nobody needs to know what else they could give.
        """
        rounded = np.array([-1 if cell.operands is None else cell.operands for cell in printed.cells])
        found: Flags = printed.are_near(self.compute(printed.value)) & (rounded < 0)
        for operands in set(rounded[~found].tolist()):
            bounds = self.bounds.compute(printed.value, operands if operands >= 0 else None)
            found |= (rounded == operands) & printed.meet(bounds.forms)
        return found

    def are_bounded(self, printed: PrintedNumbers) -> Flags:
        """Of which of the numbers not every one at all could come out."""
        flags: Flags = self.bounds.compute(printed.value).are_bounded.ravel()[printed.at]
        return flags

    def gives_word(self, cell: PrintedCell) -> bool:
        """Whether the numbers as they are give a printed word."""
        number = float(self.compute(cell.value)[cell.row, cell.column])
        return not math.isnan(number) and (cell.value.names or {}).get(int(number)) == cell.printed

    def reaches_word(self, cell: PrintedCell) -> bool:
        """Whether some choice that the margins allow gives a printed word."""
        if self.gives_word(cell):
            return True
        ids = [number for number, name in (cell.value.names or {}).items() if name == cell.printed]
        return any(self.bounds.may_choose(cell.value, (cell.row, cell.column), number) for number in ids)

    def is_word_bounded(self, cell: PrintedCell) -> bool:
        """Whether not every word at all could be chosen."""
        return self.bounds.is_choice_bounded(cell.value, (cell.row, cell.column))
