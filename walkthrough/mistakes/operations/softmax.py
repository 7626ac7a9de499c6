"""Mistakes in a softmax and its mask: over the wrong axis, in the wrong order, a position too many."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Variant, as_is, change, mistake, transpose
from walkthrough.mistakes.places import place_in_head
from walkthrough.operations.backward import keep_visible
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import add, multiply, repeat_row, subtract
from walkthrough.operations.scaling import divide_by_root, scale_by
from walkthrough.operations.softmax import divide_rows, exponential, mask, row_sum, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_HIDDEN = (1.0, 10.0, 100.0, 1000.0)
"""Where it should be −∞; what is larger hides as well."""
_HIDES_ALL = 600.0
"""So large that nothing is left beside a score, and not so large that a row of such numbers has no softmax."""
_WIDEST = 16
"""Tokens of a window where there should be none."""
_CAUSAL = mistake("mask.causal")
_COLUMNS = mistake("softmax_columns")


def _masking(value: Value, trace: Trace) -> Iterator[Variant]:
    scores, visible = value.inputs
    ones = np.ones(visible.shape)
    earlier = Instead(keep_visible, (visible, np.tril(ones, -1)))
    yield mistake("not_masked"), as_is(scores)
    yield mistake("mask.inverted"), change(value, scores, Instead(subtract, (ones, visible)))
    yield mistake("mask.transposed"), change(value, scores, transpose(visible))
    yield mistake("mask.diagonal"), change(value, scores, earlier)
    yield mistake("mask.diagonal"), _hidden_by(_HIDES_ALL, scores, earlier)
    yield mistake("mask.one_more"), change(value, scores, np.tril(ones, 1))
    yield mistake("hidden_zero"), Instead(multiply, (scores, visible))
    for large in _HIDDEN:
        yield mistake("hidden_number", number=f"−{large:g}"), _hidden_by(large, scores, visible)
    if visible.has_numbers:
        if np.triu(visible.array, 1).any():
            yield _CAUSAL, change(value, scores, Instead(keep_visible, (visible, np.tril(ones))))
        yield from _other_windows(value, scores, visible)


def _hidden_by(large: float, scores: Value, visible: Value | Instead) -> Instead:
    """A large negative number in place of each score that is not visible."""
    hidden = Instead(scale_by, (Instead(subtract, (visible, np.ones(scores.shape))),), {"factor": large})
    return Instead(add, (Instead(multiply, (scores, visible)), hidden))


def _other_windows(value: Value, scores: Value, visible: Value) -> Iterator[Variant]:
    """The edge of a window: a band of a mask beyond which nothing is seen."""
    array = visible.array
    reach = max((abs(int(i) - int(j)) for i, j in np.argwhere(array)), default=0)
    if reach >= max(array.shape) - 1:
        for tokens in range(2, min(max(array.shape), _WIDEST + 1)):
            window = Instead(keep_visible, (visible, _band(array, tokens - 1, 0)))
            yield mistake("mask.window", tokens=str(tokens)), change(value, scores, window)
        return
    limit = 0 if not np.triu(array, 1).any() else max(array.shape)
    yield mistake("mask.wide"), change(value, scores, _band(array, reach + 1, limit))
    narrower = Instead(keep_visible, (visible, _band(array, reach - 1, limit)))
    yield mistake("mask.narrow"), change(value, scores, narrower)
    yield mistake("not_masked.window"), change(value, scores, _band(array, max(array.shape), limit))


def _band(visible: Array, reach: int, limit: int) -> Array:
    """1 where row and column are at most `reach` apart; of later tokens at most `limit`."""
    band: Array = np.triu(np.tril(np.ones(visible.shape), min(reach, limit)), -reach)
    return band


def _power(value: Value, trace: Trace) -> Iterator[Variant]:
    doubling = Instead(scale_by, value.inputs, {"factor": math.log(2)})
    yield mistake("base_2"), Instead(exponential, (doubling,))


def _sum(value: Value, trace: Trace) -> Iterator[Variant]:
    x, *sink = value.inputs
    yield _COLUMNS, Instead(row_sum, (transpose(x),))
    if sink:
        yield NO_SINK, Instead(row_sum, (x,))


def _division(value: Value, trace: Trace) -> Iterator[Variant]:
    """Exponentials ÷ their row sum; any rows that are divided by a number each."""
    x, divisor = value.inputs
    if divisor.operation is row_sum:
        columns = Instead(row_sum, (transpose(x),))
        yield _COLUMNS, transpose(change(value, transpose(x), columns))
        everything = Instead(row_sum, (transpose(Instead(row_sum, (x,))),))
        yield mistake("softmax_all"), change(value, x, everything)
        if len(divisor.inputs) == 2:
            yield from _other_sinks(value, x, trace)
    if value.composite is not None and value.composite[0] is softmax:
        yield from _late_masking(*value.composite[1])
        if place_in_head(value.path) is not None:
            yield from _causal_mask(*value.composite[1])
    is_sum = divisor.operation is row_sum
    yield mistake("not_divided.row_sum") if is_sum else mistake("not_divided.by", divisor=divisor.kind.symbol), as_is(x)


NO_SINK = mistake("other.sink_missing")


def _other_sinks(value: Value, x: Value, trace: Trace) -> Iterator[Variant]:
    """The sink left out, added as it is, with the other sign, or scaled as the scores are."""
    yield NO_SINK, change(value, x, Instead(row_sum, (x,)))
    if value.composite is not None:
        scores, sink = value.composite[1]
        as_given = Instead(add, (Instead(row_sum, (x,)), Instead(repeat_row, (sink,), {"count": x.shape[0]})))
        yield mistake("other.sink_without_exp"), change(value, x, as_given)
        yield mistake("other.sink_sign"), Instead(softmax, (scores, Instead(scale_by, (sink,), {"factor": -1.0})))
        scaled = trace.get(f"{value.path.rpartition('.')[0]}.scaled_scores")
        if scaled is not None and scaled.operation is divide_by_root:
            yield mistake("other.sink_divided"), Instead(softmax, (scores, change(scaled, sink)))


def _late_masking(scores: Value, *sink: Value) -> Iterator[Variant]:
    """A mask that comes when the shares have been taken."""
    if scores.operation is mask:
        before, visible = scores.inputs
        yield mistake("masked_late"), Instead(multiply, (Instead(softmax, (before, *sink)), visible))


def _causal_mask(scores: Value, *sink: Value) -> Iterator[Variant]:
    """A mask where there is none: in an encoder, or in what a decoder sees of one."""
    if scores.operation is not mask and scores.shape[0] > 1:
        hidden = Instead(mask, (scores, np.tril(np.ones(scores.shape))), {"value": -math.inf})
        yield _CAUSAL, Instead(softmax, (hidden, *sink))


MISTAKES: Mapping[Operation, Maker] = {mask: _masking, exponential: _power, row_sum: _sum, divide_rows: _division}
