"""A step computed from what stands elsewhere in the stream: before a norm, after it, from the other sequence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from walkthrough.mistakes.mistake import Instead, Variant, changed
from walkthrough.mistakes.norms import norm_of
from walkthrough.operations.matrix import add, linear, linear_out_in
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_LAYER = re.compile(r"(?P<layer>(?:\w+\.)?(?:encoder|decoder)\.\d+\.).+|(?P<head>output_head\.).+")
_STREAM = re.compile(r"(?:.*\.)?(?:token_embedding|scaled_embedding|input|residual_\d|norm_\d\.output|output)")


def variants(value: Value, trace: Trace) -> Iterator[Variant]:
    """The mistakes in a computed step that come of taking another input."""
    if value.operation in (linear, linear_out_in):
        yield from _normed_first(value, trace)
        yield from _other_inputs(value, 0, trace)
        yield from _tied(value, trace)
    elif value.operation is add and ".residual_" in f".{value.path}":
        for at in range(len(value.inputs)):
            yield from _other_inputs(value, at, trace)


def _layer(value: Value) -> str:
    place = _LAYER.fullmatch(value.path)
    return (place["layer"] or place["head"]) if place is not None else ""


def _normed_first(value: Value, trace: Trace) -> Iterator[Variant]:
    """Its input is normed: the layer is built pre-LN."""
    x, layer = value.inputs[0], _layer(value)
    for other in trace if layer else ():
        norm = norm_of(other)
        if norm is None or not other.path.startswith(layer) or norm[1][0] is x or other is x:
            continue
        operation, (_, *given), settings = norm
        if all(one.shape[1] == x.shape[1] for one in given):
            words = f"the norm comes before the part (pre-LN), with the parameters of {other.path}"
            yield words, changed(value, Instead(operation, (x, *given), settings), *value.inputs[1:])


def _other_inputs(value: Value, at: int, trace: Trace) -> Iterator[Variant]:
    """Another state in the place of one that is read."""
    for words, other in other_states(value, value.inputs[at], trace):
        yield words, changed(value, *value.inputs[:at], other, *value.inputs[at + 1 :])


def other_states(value: Value, x: Value, trace: Trace) -> Iterator[tuple[str, Value]]:
    """States of the same width, of the same layer, of the inputs, or of the encoder, that may be read instead."""
    layer = _layer(value)
    for other in trace if layer else ():
        if other is value:
            return
        is_near = other.path.startswith(layer) or _LAYER.fullmatch(other.path) is None or layer == "output_head."
        if other is x or other.shape[1] != x.shape[1] or not is_near or not is_of_stream(other):
            continue
        words = f"computed from {other.path} instead of {x.path}"
        norm = norm_of(x)
        is_before = norm is not None and norm[1][0] is other
        yield f"the norm is missing: {words}" if is_before else words, other


def is_in_layer(value: Value) -> bool:
    """Whether it is computed in a layer, or in the output head."""
    return _LAYER.fullmatch(value.path) is not None


def is_of_stream(value: Value) -> bool:
    """Whether it is a state between the parts of a model."""
    names = (value.path, *value.also)
    return ".head." not in value.path and any(_STREAM.fullmatch(name) for name in names)


def _tied(value: Value, trace: Trace) -> Iterator[Variant]:
    """The table of embeddings in the place of the head's own matrix, or of another that fits."""
    x, weight, *bias = value.inputs
    table = trace.get("embeddings")
    if value.path.endswith("output_head.logits") and table is not None and table is not weight:
        operation = linear_out_in if table.shape[1] == x.shape[1] else linear
        yield "computed with the table of embeddings (tied)", Instead(operation, (x, table, *bias))
