"""Mistakes in biases of distance (ALiBi): the sign, the slope, another head's slope."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Maker, Variant, change, mistake
from walkthrough.mistakes.places import same_in_all_heads
from walkthrough.operations.definition import Operation
from walkthrough.operations.positions.distance import distance_bias
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value


def _bias(value: Value, trace: Trace) -> Iterator[Variant]:
    slope = value.settings["slope"]
    yield (
        mistake("distance_added", "the distance is added instead of subtracted"),
        change(value, slope=-slope),
    )
    for factor, words in ((2.0, "twice"), (0.5, "half"), (4.0, "four times"), (0.25, "a quarter of")):
        made = mistake("slope", "the slope is {words} {slope:g}", words=words, slope=float(slope))
        yield made.with_constant("alibi", slope * factor, slope), change(value, slope=slope * factor)
    yield from _other_heads(value, trace)


def _other_heads(value: Value, trace: Trace) -> Iterator[Variant]:
    """The slope of another head."""
    heads = same_in_all_heads(value, trace)
    for at, other in enumerate(heads):
        if other is not value and other.operation is distance_bias:
            is_reverse = at == len(heads) - 1 - heads.index(value)
            made = (
                mistake("slope", "the slopes are in reverse order")
                if is_reverse
                else mistake("slope", "the slope is that of head {head}", head=str(at + 1))
            )
            yield made, change(value, slope=other.settings["slope"])


MISTAKES: Mapping[Operation, Maker] = {distance_bias: _bias}
