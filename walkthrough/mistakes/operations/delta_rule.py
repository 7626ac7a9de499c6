"""Mistakes in linear attention: in what goes in, what is forgotten and written, when it is read, what comes after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Rearranged, Variant, as_is, change, mistake
from walkthrough.mistakes.operations.normalization import norm_of
from walkthrough.mistakes.places import place_in_head, same_in_all_heads
from walkthrough.operations.activation import sigmoid
from walkthrough.operations.backward import negative
from walkthrough.operations.convolution import causal_convolution
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import matrix_product, multiply, select_rows, subtract
from walkthrough.operations.normalization import scale_by_number
from walkthrough.operations.softmax import exponential
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


def _convolution(value: Value, trace: Trace) -> Iterator[Variant]:
    """Each feature over its last few rows."""
    x, weights, *earlier = value.inputs
    yield mistake("left_out.convolution"), as_is(x)
    yield mistake("other.taps_reversed"), change(value, x, Instead(Rearranged(np.flipud), (weights,)), *earlier)
    for later in range(1, min(weights.shape[0], x.shape[0])) if not earlier else ():
        rest = Instead(Rearranged(partial(_rows_from, later)), (x,))
        first = Instead(select_rows, (x,), {"indices": tuple(range(later))})
        yield mistake("other.not_causal"), change(value, rest, weights, first)


def _rows_from(first: int, x: Array) -> Array:
    """The rows from one on, and behind the last as many zeros as it takes."""
    return np.vstack([x[first:], np.zeros((first, x.shape[1]))])


def _decay(value: Value, trace: Trace) -> Iterator[Variant]:
    """e^(−forgetting), and e^A, the rate in it."""
    (exponent,) = value.inputs
    if exponent.operation is None:
        yield mistake("left_out.exponential"), as_is(exponent)
    if exponent.operation is not negative:
        return
    (forgetting,) = exponent.inputs
    yield mistake("left_out.decay"), Instead(exponential, (np.zeros(value.shape),))
    yield mistake("other.decay_grows"), change(value, forgetting)
    if forgetting.operation is multiply:
        yield mistake("left_out.rate"), Instead(exponential, (Instead(negative, (forgetting.inputs[0],)),))


def _strength(value: Value, trace: Trace) -> Iterator[Variant]:
    yield mistake("left_out.strength"), Instead(exponential, (np.zeros(value.shape),))


def _error(value: Value, trace: Trace) -> Iterator[Variant]:
    """What is new: the value, without what the state has at the key."""
    if value.path.endswith(".error"):
        yield mistake("left_out.delta"), as_is(value.inputs[0])


def _read(value: Value, trace: Trace) -> Iterator[Variant]:
    """The state at the key, and at the query."""
    row, state = value.inputs
    if value.path.endswith(".read") and state.operation is scale_by_number:
        yield mistake("other.read_undecayed"), change(value, row, state.inputs[0])
    if value.path.endswith(".answer"):
        kept = state.inputs[0] if len(state.inputs) == 2 and state.path.endswith(".state") else None
        before = kept.inputs[0] if kept is not None and kept.operation is scale_by_number else kept
        yield mistake("other.read_early"), change(value, row, np.zeros(state.shape) if before is None else before)


def _row(value: Value, trace: Trace) -> Iterator[Variant]:
    """The query or key of one token in a head that shares them with others."""
    place, (whole,) = place_in_head(value.path), value.inputs
    if place is None or ".token." not in value.path or place_in_head(whole.path) is None:
        return
    shared = same_in_all_heads(whole, trace)
    other = shared[(place.number - 1) % len(shared)]
    if other is not whole:
        yield mistake("exchanged.stride"), change(value, other)


def _gating(value: Value, trace: Trace) -> Iterator[Variant]:
    """The norm of a head's output, times its gate."""
    normed, gate = value.inputs
    if value.path.endswith(".gated") and (norm := norm_of(normed)) is not None:
        operation, (x, *given), settings = norm
        yield mistake("norm.after_gate"), Instead(operation, (Instead(multiply, (x, gate)), *given), settings)


MISTAKES: Mapping[Operation, Maker] = {
    causal_convolution: _convolution,
    exponential: _decay,
    sigmoid: _strength,
    subtract: _error,
    matrix_product: _read,
    select_rows: _row,
    multiply: _gating,
}
