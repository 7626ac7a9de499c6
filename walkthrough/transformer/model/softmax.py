"""Softmax, step by step: exponentials, their row sum, and the quotient."""

from __future__ import annotations

from walkthrough.operations.definition import NO_SETTINGS
from walkthrough.operations.softmax import divide_rows, exponential, row_sum, softmax, subtract_row_maximum
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Bound, Kind, Value

SHIFTED = Kind(
    "shifted",
    "S_0",
    "Shifted scores",
    "The row maximum subtracted: the weights stay the same, and e^x cannot overflow.",
)
EXP = Kind("exp", "U", "Exponentials", "e to the power of each score: all positive, larger scores much larger.")
SUM = Kind("sum", "u", "Row sum", "What each row is divided by, so that its weights add up to 1.")

_SAFE, _UNSAFE = Bound(700.0, is_kept=True), Bound(700.0, is_kept=False)
"""e^x of a float64 overflows above 709.8 and becomes 0 below −745; a row of a million may still be added up."""


def record_softmax(recorder: Recorder, scores: Value, result: Kind, mode: str) -> Value:
    """Records the softmax of each row under `result`; the row maximum goes first where asked for or needed.

    The result also answers to `softmax.<its name>`, so that `softmax` selects the whole of it.
    """
    parts = recorder.under("softmax")
    is_shifted = mode == "shifted" or not _is_safe(scores)
    powers_of = parts.record(SHIFTED, subtract_row_maximum, (scores,)) if is_shifted else scores
    powers = parts.record(EXP, exponential, (powers_of,))
    if mode != "shifted":
        (powers_of if is_shifted else powers).bound = _UNSAFE if is_shifted else _SAFE
    sums = parts.record(SUM, row_sum, (powers,))
    weights = recorder.record(result, divide_rows, (powers, sums))
    weights.composite = (softmax, (scores,), NO_SETTINGS)
    parts.alias(result.name, weights)
    return weights


def _is_safe(scores: Value) -> bool:
    """Whether no row's exponentials would overflow, or all vanish."""
    return not scores.has_numbers or _SAFE.holds(scores.array)
