"""`operands: N`, where numbers that were rounded to N decimals before they were used explain wrong ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.judging.judge import Verdict
from walkthrough.judging.numbers import PrintedNumbers
from walkthrough.judging.prints import BoundPrint, PrintedCell
from walkthrough.mistakes.causes.written import TELLING, count_digits
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

_MOST = 6
"""Decimals: further ones would show in no number that anybody prints."""


class Suggestion(NamedTuple):
    """A step, how many decimals its operands may have been rounded to, and how many wrong numbers that explains."""

    value: Value
    operands: int
    explained: int


@np.errstate(all="ignore")  # a wrong 0 is divided by like any other number
def suggest_operands(
    prints: Sequence[BoundPrint], verdicts: Mapping[PrintedCell, Verdict], points: Recalculation
) -> Iterator[Suggestion]:
    """What may be written beside each print with wrong numbers. points: what follows from the printed ones"""
    for one in prints:
        is_wrong = np.array([verdicts[cell].word == "wrong" for cell in one.cells], dtype=bool)
        is_stated = any(cell.operands is not None for cell in one.cells)
        if is_wrong.any() and not is_stated and one.value.operation is not None and one.value.names is None:
            printed = PrintedNumbers(one.value, one.cells)
            found = [
                Suggestion(one.value, count, _explained(printed, is_wrong, points, count))
                for count in range(_MOST, 0, -1)
            ]
            best = max(found, key=lambda suggestion: suggestion.explained)
            if best.explained and 2 * best.explained >= is_wrong.sum():
                yield best


def _explained(printed: PrintedNumbers, is_wrong: Flags, points: Recalculation, decimals: int) -> int:
    """How many wrong numbers operands with so many decimals give; 0 where they do not give the others, or by chance."""
    value = printed.value
    assert value.operation is not None
    inputs = [Digits(decimals).round(points.array(given)) for given in value.inputs]
    agree = printed.agree_with(value.operation.forward(*inputs, **value.settings))
    if not agree[~is_wrong].all():  # a line is worked out in one way
        return 0
    numbers = printed.printed[agree & is_wrong]
    digits = sum(count_digits(number) for number in numbers.tolist() if np.isfinite(number))
    return len(numbers) if digits >= TELLING else 0
