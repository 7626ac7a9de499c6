"""Mistakes in biases of distance, by a slope or learned: the sign, the direction, the slope, another head's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Variant, change, mistake, transpose
from walkthrough.mistakes.places import same_in_all_heads
from walkthrough.operations.definition import Operation
from walkthrough.operations.matrix import add, subtract
from walkthrough.operations.positions.distance import distance_bias
from walkthrough.operations.positions.relative import take_buckets
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


def _bias(value: Value, trace: Trace) -> Iterator[Variant]:
    slope = value.settings["slope"]
    yield mistake("distance_added"), change(value, slope=-slope)
    for factor, made in (
        (2.0, mistake("slope.twice", slope=float(slope))),
        (0.5, mistake("slope.half", slope=float(slope))),
        (4.0, mistake("slope.four_times", slope=float(slope))),
        (0.25, mistake("slope.quarter", slope=float(slope))),
    ):
        yield made.with_constant("alibi", slope * factor, slope), change(value, slope=slope * factor)
    yield from _other_heads(value, trace)


def _other_heads(value: Value, trace: Trace) -> Iterator[Variant]:
    """The slope of another head."""
    heads = same_in_all_heads(value, trace)
    for at, other in enumerate(heads):
        if other is not value and other.operation is distance_bias:
            is_reverse = at == len(heads) - 1 - heads.index(value)
            made = mistake("slope.reversed") if is_reverse else mistake("slope.head", head=str(at + 1))
            yield made, change(value, slope=other.settings["slope"])


def _learned(value: Value, trace: Trace) -> Iterator[Variant]:
    """What is learned for each distance, looked up otherwise."""
    buckets, rows, columns = (value.settings[name] for name in ("buckets", "rows", "columns"))
    yield mistake("other.distance_turned"), transpose(change(value, rows=columns, columns=rows))
    both = buckets.bidirectional
    made = mistake("other.buckets_one_way" if both else "other.buckets_both_ways")
    yield made, change(value, buckets=buckets._replace(bidirectional=not both))
    for column in range(value.inputs[0].shape[1]):
        if column != value.settings["column"]:
            yield mistake("other.bias_of_head", head=str(column + 1)), change(value, column=column)


def _added(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores and their bias."""
    scores, *bias = value.inputs
    if len(bias) == 1 and bias[0].operation is take_buckets:
        yield mistake("other.distance_subtracted"), Instead(subtract, (scores, *bias))


MISTAKES: Mapping[Operation, Maker] = {distance_bias: _bias, take_buckets: _learned, add: _added}
