"""Softmax, step by step: exponentials, their row sum, and the quotient."""

from __future__ import annotations

from walkthrough.operations.definition import NO_SETTINGS
from walkthrough.operations.softmax import (
    divide_rows,
    exp_of_shifted_sink,
    exp_of_sink,
    exponential,
    row_sum,
    softmax,
    subtract_row_maximum,
)
from walkthrough.recording.values import Guard, Kind, Value
from walkthrough.transformer.scope import Scope

SHIFTED = Kind("shifted", "S_0", "Shifted scores")
EXP = Kind("exp", "U", "Exponentials")
SUM = Kind("sum", "u", "Row sum")
SINK = Kind("sink", "U_s", "Exponential of the sink")
SUM_WITH_SINK = SUM._replace(words="sum.with_sink")

_SAFE, _UNSAFE = Guard(700.0, is_kept=True), Guard(700.0, is_kept=False)
"""e^x of a float64 overflows above 709.8 and becomes 0 below −745; a row of a million may still be added up."""


def record_softmax(s: Scope, scores: Value, result: Kind, sink: Value | None = None) -> Value:
    """The softmax of each row, recorded under `result`; the row maximum goes first where asked for or needed.

    sink: one more score of every row, 1×1, whose share goes to nobody
    The result also answers to `softmax.<its name>`, so that `softmax` selects the whole of it.
    """
    parts, mode = s.under("softmax"), s.calculation.spec.softmax
    given = (scores,) if sink is None else (scores, sink)
    is_shifted = mode == "shifted" or not all(map(_is_safe, given))
    powers_of = parts.record(SHIFTED, subtract_row_maximum, *given) if is_shifted else scores
    powers = parts.record(EXP, exponential, powers_of)
    if mode != "shifted":
        (powers_of if is_shifted else powers).guard = _UNSAFE if is_shifted else _SAFE
    inside = {} if sink is None else {"sink": _record_sink(parts, scores, sink, is_shifted)}
    sums = parts.record(SUM if sink is None else SUM_WITH_SINK, row_sum, powers, *inside.values())
    weights = s.record(result, divide_rows, powers, sums)
    s.recorder.compose(weights, softmax, given, NO_SETTINGS, {**inside, "sum": sums})
    parts.alias(result, weights)
    return weights


def _record_sink(s: Scope, scores: Value, sink: Value, is_shifted: bool) -> Value:
    """e^sink in every row, n×1; of shifted scores e^(sink − maximum)."""
    if is_shifted:
        return s.record(SINK, exp_of_shifted_sink, scores, sink)
    count = {"count": scores.axes[0].size or 0}
    return s.record(SINK, exp_of_sink, sink, settings=count, rows=scores.rows if scores.has_size else None)


def _is_safe(scores: Value) -> bool:
    """Whether no row's exponentials would overflow, or all vanish."""
    return not scores.has_numbers or _SAFE.holds(scores.array)
