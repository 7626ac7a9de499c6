"""Mistakes in positions, be they sinusoidal, biases of distance, or rotary: other angles, slopes, pairs, directions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Rearranged, Variant, as_is, change, mistake, transpose
from walkthrough.mistakes.operations.normalization import NORM_AFTER_ROTATION
from walkthrough.mistakes.places import place_in_head, same_in_all_heads
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import (
    add,
    concatenate,
    linear,
    linear_out_in,
    matrix_product,
    product_transposed,
    select_rows,
    subtract,
)
from walkthrough.operations.norms import NORMS
from walkthrough.operations.positions.distance import distance_bias
from walkthrough.operations.positions.relative import take_buckets
from walkthrough.operations.positions.rotation import rotary_angles, rotate
from walkthrough.operations.positions.sinusoidal import sinusoidal_positions
from walkthrough.operations.positions.yarn import yarn_frequencies
from walkthrough.operations.scaling import scale_by
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

COUNTED_FROM_1 = mistake("positions")
_OTHER_BASES = (100.0, 1000.0, 100000.0, 500000.0, 1000000.0)
"""Of sinusoids, where the paper has 10000: by a zero or two too few or too many, or those of rotary positions."""


def _positions(value: Value, trace: Trace) -> Iterator[Variant]:
    yield COUNTED_FROM_1, change(value, offset=value.settings.get("offset", 0) + 1)
    for layout in ("interleaved", "halves", "tensor2tensor"):
        if layout != value.settings["layout"]:
            yield mistake("layout.sinusoidal", layout=layout), change(value, layout=layout)
    for base in _OTHER_BASES:
        if base != value.settings["base"]:
            yield mistake("angles.base", base=base), change(value, base=base)
    if value.settings["angle"] == "degrees":
        yield mistake("angles.radians"), change(value, angle="radians")
    else:
        yield mistake("angles.degrees"), change(value, angle="degrees")


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


BASES = (10000.0, 500000.0, 1000000.0)
"""Of rotary positions: that of the paper, of Llama 3, of Qwen and Mixtral."""


def _angles(angle: Value, trace: Trace) -> Iterator[Variant]:
    yield from _other_angles(angle)


def _other_angles(angle: Value) -> Iterator[Variant]:
    """The usual mistakes in the angles of rotary positions."""
    settings = angle.settings
    yield COUNTED_FROM_1, change(angle, positions=tuple(one + 1 for one in settings["positions"]))
    if settings["llama3"] is not None or settings["divisor"] != 1:
        yield mistake("angles.unscaled"), change(angle, llama3=None, divisor=1.0)
    if settings["divisor"] != 1:
        yield mistake("angles.multiplied"), change(angle, divisor=1 / settings["divisor"])
    for base in BASES:
        if base != settings["base"]:
            made = mistake("angles.base", base=base).with_constant("rotary.base", base, settings["base"])
            yield made, change(angle, base=base)
    yield mistake("angles.exponent"), change(angle, base=settings["base"] ** 0.5)


def _frequencies(value: Value, trace: Trace) -> Iterator[Variant]:
    """YaRN's: slow pairs turn slower, quick ones as usual, those between in part."""
    yarn = value.settings["yarn"]
    yield mistake("angles.unscaled"), change(value, yarn=yarn._replace(factor=1.0))
    everything = yarn._replace(low=-2.0, high=-1.0)
    yield mistake("angles.all_slower"), change(value, yarn=everything)
    pairs = yarn._replace(low=yarn.low / 2, high=yarn.high / 2)
    yield mistake("angles.ramp_in_pairs"), change(value, yarn=pairs)


def _other_rotations(value: Value, x: Value | Instead) -> Iterator[Variant]:
    """A rotation done otherwise, of what may be something else, too."""
    angle, settings = value.inputs[1], value.settings
    layout = "interleaved" if settings["layout"] == "halves" else "halves"
    yield mistake("layout.rotary", layout=layout), Instead(rotate, (x, angle), {**settings, "layout": layout})
    yield mistake("rotated_back"), Instead(rotate, (x, angle), {**settings, "back": not settings["back"]})
    both = (Instead(rotate, (x, angle), settings), Instead(rotate, (x, angle), {**settings, "back": True}))
    pairs = {"pairs": (2 * angle.shape[1], settings["layout"])}
    yield mistake("no_minus"), Instead(Rearranged(_without_minus), both, pairs)
    of_all = angle.inputs[0] if angle.operation is select_rows else angle

    def by(other: Instead) -> Instead:
        chosen = other if of_all is angle else Instead(select_rows, (other,), angle.settings)
        return Instead(rotate, (x, chosen), settings)

    yield mistake("angles.degrees"), by(Instead(scale_by, (of_all,), {"factor": math.pi / 180}))
    if of_all.operation is rotary_angles:
        for made, other in _other_angles(of_all):
            yield made, by(other)
        if 2 * angle.shape[1] < value.shape[1]:
            yield mistake("rotated_too.features"), by(change(of_all, width=value.shape[1] - value.shape[1] % 2))


def _without_minus(rotated: Array, back: Array, pairs: tuple[int, str]) -> Array:
    """Of each pair the first feature as if rotated back, the second as it is: both are sums."""
    width, layout = pairs
    features = np.arange(rotated.shape[1])
    is_first = features % 2 == 0 if layout == "interleaved" else features < width // 2
    return np.where(is_first & (features < width), back, rotated)


def _rotation(value: Value, trace: Trace) -> Iterator[Variant]:
    x, angle = value.inputs
    yield mistake("not_rotated"), as_is(x)
    yield from _other_rotations(value, x)
    if x.composite is not None and x.composite[0] in NORMS:
        norm, (before, *given), settings = x.composite
        rotated = Instead(rotate, (before, angle), value.settings)
        yield NORM_AFTER_ROTATION, Instead(norm, (rotated, *given), settings)


def _scores(value: Value, trace: Trace) -> Iterator[Variant]:
    """Queries and keys that are not rotated, which few digits do not tell from small angles; both in a wrong way."""
    queries, keys = value.inputs
    both = [one.inputs[-1] if one.operation is concatenate else one for one in value.inputs]
    if not all(one.operation is rotate for one in both):
        return
    query, key = (one.inputs[0] for one in both)
    yield mistake("not_rotated.neither"), change(value, _with(queries, query), _with(keys, key))
    yield mistake("not_rotated.keys"), change(value, queries, _with(keys, key))
    yield mistake("not_rotated.queries"), change(value, _with(queries, query), keys)
    for (made, one), (_, other) in zip(*(_other_rotations(one, one.inputs[0]) for one in both), strict=True):
        yield made, change(value, _with(queries, one), _with(keys, other))


def _with(whole: Value, rotated: Value | Instead) -> Value | Instead:
    """Queries or keys with another rotated part, which is all of them or stands beside the rest."""
    return change(whole, *whole.inputs[:-1], rotated) if whole.operation is concatenate else rotated


def _projection(value: Value, trace: Trace) -> Iterator[Variant]:
    """Queries or keys that are normed or rotated already, values that are rotated too."""
    normed = trace.get(f"{value.path}_norm.output")
    if normed is not None and normed.composite is not None and normed.composite[0] in NORMS:
        norm, (_, *given), settings = normed.composite
        yield mistake("norm.already"), Instead(norm, (change(value), *given), settings)
    if (rotation := _rotation_in_head(value, trace)) is not None:
        is_rotated_later = trace.get(f"{value.path}_rotated") is not None
        made = mistake("rotated_too.already" if is_rotated_later else "rotated_too.alike")
        yield made, _rotated_by(rotation, change(value))


def _weighting(value: Value, trace: Trace) -> Iterator[Variant]:
    """The head's output, with values that are rotated too."""
    if (rotation := _rotation_in_head(value, trace)) is not None:
        weights, values = value.inputs
        yield mistake("rotated_too.values"), change(value, weights, _rotated_by(rotation, values))


def _rotated_by(rotation: Value, x: Value | Instead) -> Instead:
    return Instead(rotate, (x, rotation.inputs[1]), rotation.settings)


def _rotation_in_head(value: Value, trace: Trace) -> Value | None:
    """The rotation of the queries, or else the keys, in the same head; a gradient that has its name is none."""
    place = place_in_head(value.path)
    name = "query" if value.kind.name == "query" else "key"
    found = trace.get(f"{place.head}{name}_rotated") if place is not None else None
    return found if found is not None and found.operation is rotate else None


MISTAKES: Mapping[Operation, Maker] = {
    sinusoidal_positions: _positions,
    distance_bias: _bias,
    take_buckets: _learned,
    add: _added,
    rotary_angles: _angles,
    yarn_frequencies: _frequencies,
    rotate: _rotation,
    product_transposed: _scores,
    matrix_product: _weighting,
    linear: _projection,
    linear_out_in: _projection,
}
