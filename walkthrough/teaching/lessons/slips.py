"""What was probably done where an answer asked for alone is wrong: the first that makes it right."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from walkthrough.mistakes.causes.slips import is_rounded_to
from walkthrough.mistakes.causes.written import count_digits
from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.mistakes.search import make_mistakes
from walkthrough.recording.graph import steps_not_given
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.read.answer import Answer, answer_of

MIN_DIGITS = 2
"""A number with fewer significant digits agrees with another one by chance too often."""
NOT_SCALED = "not_scaled"
IN_CELL = ("scaled_by_d_k", "multiplied_by_root", "not_divided", "sample_variance", "no_root", "base_2")
"""What may have been done in the arithmetic of one cell; the page's script knows these, too."""
BEFORE_CELL = (*IN_CELL, "angles", "softmax_columns", "not_masked")
"""What may have been done in steps whose numbers were not shown."""
_FEW_STEPS = 5
_POINTS = (10, 100, 0.1, 0.01)

IsRight = Callable[[float], bool]


def find_slip(
    answer: Answer,
    right: Sequence[float],
    is_right: IsRight,
    made: Callable[[], Iterator[tuple[Mistake, float]]],
    is_copy: bool,
) -> Mistake | None:
    """The likeliest slip behind a wrong number; None where no evidence is strong enough.

    right: the right number, by hand and exactly; made: what mistakes in the step give
    is_copy: it is one of the numbers that it is computed from, and so no slip of the pen
    """
    x = answer.number
    if x is None or not np.isfinite(x) or count_digits(x) < MIN_DIGITS:
        return None
    if is_right(-x):
        return mistake("sign")
    found = list(made())
    scaled = next((one for one, _ in found if one.word == NOT_SCALED), None)
    if scaled is not None:
        return scaled
    if not is_copy and any(is_right(other) for other in _exchanged(answer.text)):
        return mistake("swapped")
    if not is_copy and any(is_right(x * factor) for factor in _POINTS):
        return mistake("point")
    if answer.decimals is not None and any(is_rounded_to(one, x, answer.decimals) for one in right):
        return mistake("fewer")
    return next((one for one, _ in found), None)


def _exchanged(text: str) -> Iterator[float]:
    """A number with two neighbouring digits in each other's place, each way to do so."""
    for found in re.finditer(r"(?=([0-9])([.,]?)([0-9]))", text):
        one, between, other = found.groups()
        at = found.start()
        number = answer_of(text[:at] + other + between + one + text[at + 2 + len(between) :]).number
        if number is not None:
            yield number


@np.errstate(all="ignore")
def mistakes_at(
    value: Value, at: tuple[int, int], replay: Recalculation, trace: Trace, words: Collection[str]
) -> Iterator[tuple[Mistake, float]]:
    """What these usual mistakes make of a cell: in its arithmetic, and in a few steps before it that are not shown."""
    for step in steps_not_given(value, replay.given, _FEW_STEPS):
        for made, array in make_mistakes(value, step, replay, trace):
            if made.word == NOT_SCALED or made.word in words:
                yield made, float(array[at])
