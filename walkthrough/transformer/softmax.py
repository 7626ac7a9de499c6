"""Softmax, step by step: exponentials, their row sum, and the quotient."""

from __future__ import annotations

from walkthrough.operations.softmax import divide_rows, exponential, row_sum, softmax, subtract_row_maximum
from walkthrough.recording.recorder import Recorder
from walkthrough.recording.values import Kind, Value

SHIFTED = Kind(
    "shifted", "S_0", "Shifted scores", "The row maximum subtracted: the weights stay the same, e^x cannot overflow."
)
EXP = Kind("exp", "U", "Exponentials", "e to the power of each score: all positive, larger scores much larger.")
SUM = Kind("sum", "u", "Row sum", "What each row is divided by, so that its weights add up to 1.")

_SAFE = 700.0
"""e^x of a float64 overflows above 709.8 and becomes 0 below −745; a row of a million may still be added up."""


def record_softmax(recorder: Recorder, scores: Value, result: Kind, mode: str) -> Value:
    """Records the softmax of each row under `result`; the row maximum goes first where asked for or needed.

    The result also answers to `softmax.<its name>`, so that `softmax` selects the whole of it.
    """
    parts = recorder.under("softmax")
    powers_of = scores
    if mode == "shifted" or _needs_shift(scores):
        powers_of = parts.record(SHIFTED, subtract_row_maximum, scores)
    powers = parts.record(EXP, exponential, powers_of)
    sums = parts.record(SUM, row_sum, powers)
    weights = recorder.record(result, divide_rows, powers, sums)
    weights.composite = (softmax, (scores,), {})
    parts.alias(result.name, weights)
    return weights


def _needs_shift(scores: Value) -> bool:
    """Whether the exponentials of a row would overflow, or all vanish."""
    if not scores.has_numbers:
        return False
    largest = scores.array.max(axis=1)
    return bool(((largest > _SAFE) | (largest < -_SAFE)).any())
