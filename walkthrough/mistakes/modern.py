"""The commonest mistakes in the parts since 2017: RMS norms, gates, rotary positions, windows, slopes of distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from walkthrough.mistakes.mistake import Instead, Rearranged, Variant, as_is, changed, turned
from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.backward import keep_visible
from walkthrough.operations.definition import Array
from walkthrough.operations.matrix import add, multiply
from walkthrough.operations.normalization import row_mean, standard_deviation, subtract_rows, variance_of_centered
from walkthrough.operations.root_mean_square import mean_square, rms_norm, root_of_mean_square
from walkthrough.operations.rotation import rotary_angles, rotate
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import divide_rows
from walkthrough.recording.values import Value

_EPSILONS = (1e-5, 1e-6, 1e-8, 1e-12)
_BASES = (10000.0, 500000.0, 1000000.0)


def variants(value: Value) -> Iterator[Variant]:
    """The usual mistakes in a computed step, the likelier first."""
    assert value.operation is not None
    yield from _MISTAKES.get(value.operation.name, _none)(value)


def _none(value: Value) -> Iterator[Variant]:
    yield from ()


def _centered(x: Value) -> Instead:
    return Instead(subtract_rows, (x, Instead(row_mean, (x,))))


def _normalized(value: Value) -> Iterator[Variant]:
    """Numbers ÷ their root mean square."""
    x, root = value.inputs
    if root.operation is not root_of_mean_square:
        return
    variance = Instead(variance_of_centered, (_centered(x),), {"sample": False})
    std = Instead(standard_deviation, (variance,), {"epsilon": root.settings["epsilon"], "on_std": False})
    yield "the mean is subtracted: it is a layer norm", Instead(divide_rows, (_centered(x), std))
    unrooted = Instead(add, (*root.inputs, np.full(root.shape, root.settings["epsilon"])))
    yield "divided by the mean square instead of its root", changed(value, x, unrooted)
    yield "divided by the mean square instead of its root", changed(value, x, *root.inputs)
    on_side = turned(x)
    columns = Instead(root.operation, (Instead(mean_square, (on_side,)),), root.settings)
    yield "normalized over the columns instead of the rows", turned(changed(value, on_side, columns))
    squares = Instead(scale_by, root.inputs, {"factor": float(x.shape[1])})
    yield "not divided by d under the root", changed(value, x, Instead(root.operation, (squares,), root.settings))


def _mean_square(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    yield (
        "the mean is subtracted: it is the variance",
        Instead(variance_of_centered, (_centered(x),), {"sample": False}),
    )
    yield "not divided by d", Instead(scale_by, (changed(value),), {"factor": float(x.shape[1])})


def _root(value: Value) -> Iterator[Variant]:
    epsilon = value.settings["epsilon"]
    outside = {"epsilon": epsilon, "on_std": True}
    yield "epsilon is outside the root", Instead(standard_deviation, value.inputs, outside)
    yield "epsilon is missing", changed(value, epsilon=0.0)
    for other in _EPSILONS:
        yield f"epsilon is {other:g}", changed(value, epsilon=other)
    yield "the mean square was used as its root", as_is(*value.inputs)


def _scaled(value: Value) -> Iterator[Variant]:
    """γ of an RMS norm."""
    if value.composite is not None and value.composite[0] is rms_norm:
        x, gamma = value.inputs
        yield "multiplied by 1 + gamma", changed(value, x, Instead(add, (gamma, np.ones(gamma.shape))))


def _gated(value: Value) -> Iterator[Variant]:
    opened, hidden = value.inputs
    if opened.operation is None or opened.operation.name not in ACTIVATIONS:
        return
    gate = opened.inputs[0]
    other = Instead(opened.operation, (hidden,), opened.settings)
    yield "gate and hidden (up) are swapped", Instead(multiply, (other, gate))
    yield "the gate has no activation", Instead(multiply, (gate, hidden))
    product = Instead(multiply, (gate, hidden))
    yield "the activation comes after the product", Instead(opened.operation, (product,), opened.settings)
    yield "gate and hidden are added instead of multiplied", Instead(add, (opened, hidden))
    yield "hidden (up) is left out", as_is(opened)
    yield "the gate is left out", as_is(hidden)


def _other_angles(angle: Value) -> Iterator[Variant]:
    """The usual mistakes in the angles of rotary positions."""
    settings = angle.settings
    yield "the positions are counted from 1", changed(angle, first=settings["first"] + 1)
    if settings["llama3"] is not None or settings["divisor"] != 1:
        yield "the scaling of the positions is missing", changed(angle, llama3=None, divisor=1.0)
    if settings["divisor"] != 1:
        yield "the positions are multiplied instead of divided", changed(angle, divisor=1 / settings["divisor"])
    for base in _BASES:
        if base != settings["base"]:
            yield f"the base is {base:.0f}", changed(angle, base=base)
    yield "the exponent is i/r instead of 2i/r", changed(angle, base=settings["base"] ** 0.5)


def _rotations(value: Value, x: Value | Instead) -> Iterator[Variant]:
    """A rotation done otherwise, of what may be something else, too."""
    angle, settings = value.inputs[1], value.settings
    layout = "interleaved" if settings["layout"] == "halves" else "halves"
    yield f"the rotary layout is {layout}", Instead(rotate, (x, angle), {**settings, "layout": layout})
    yield "turned in the other direction", Instead(rotate, (x, angle), {**settings, "back": not settings["back"]})
    both = (Instead(rotate, (x, angle), settings), Instead(rotate, (x, angle), {**settings, "back": True}))
    pairs = (2 * angle.shape[1], settings["layout"])
    yield "turned without the minus", Instead(Rearranged(_unsigned), both, {"pairs": pairs})
    if angle.operation is rotary_angles:
        for words, other in _other_angles(angle):
            yield words, Instead(rotate, (x, other), settings)
        if 2 * angle.shape[1] < value.shape[1]:
            everything = changed(angle, width=value.shape[1] - value.shape[1] % 2)
            yield "all features are turned", Instead(rotate, (x, everything), settings)


def _unsigned(turned: Array, back: Array, pairs: tuple[int, str]) -> Array:
    """Of each pair the first feature as if turned back, the second as it is: both are sums."""
    width, layout = pairs
    features = np.arange(turned.shape[1])
    is_first = features % 2 == 0 if layout == "interleaved" else features < width // 2
    return np.where(is_first & (features < width), back, turned)


def _rotated(value: Value) -> Iterator[Variant]:
    x, angle = value.inputs
    yield from _rotations(value, x)
    if x.composite is not None and x.composite[0] is rms_norm:
        _, (before, *gamma), settings = x.composite
        turned = Instead(rotate, (before, angle), value.settings)
        yield "the norm comes after the rotation", Instead(rms_norm, (turned, *gamma), settings)


def _scores(value: Value) -> Iterator[Variant]:
    """Queries and keys, both turned in the same wrong way."""
    both = value.inputs
    if not all(one.operation is rotate for one in both):
        return
    for (words, query), (_, key) in zip(*(_rotations(one, one.inputs[0]) for one in both), strict=True):
        yield words, changed(value, query, key)
    queries, keys = both
    yield "neither queries nor keys are turned", changed(value, queries.inputs[0], keys.inputs[0])
    yield "the keys are not turned", changed(value, queries, keys.inputs[0])
    yield "the queries are not turned", changed(value, queries.inputs[0], keys)


def _biased(value: Value) -> Iterator[Variant]:
    slope = value.settings["slope"]
    yield "the distance is added instead of subtracted", changed(value, slope=-slope)
    for factor, words in ((2.0, "twice"), (0.5, "half"), (4.0, "four times"), (0.25, "a quarter of")):
        yield f"the slope is {words} {slope:g}", changed(value, slope=slope * factor)


def _masked(value: Value) -> Iterator[Variant]:
    """The edge of a window: a band of a mask beyond which nothing is seen."""
    scores, visible = value.inputs
    if not visible.has_numbers:
        return
    mask = visible.array
    reach = max((abs(int(i) - int(j)) for i, j in np.argwhere(mask)), default=0)
    if reach >= max(mask.shape) - 1:
        return
    limit = 0 if not np.triu(mask, 1).any() else max(mask.shape)
    yield "the window is one token too wide", changed(value, scores, _band(mask, reach + 1, limit))
    narrower = Instead(keep_visible, (visible, _band(mask, reach - 1, limit)))
    yield "the window is one token too narrow", changed(value, scores, narrower)
    yield "the window is missing", changed(value, scores, _band(mask, max(mask.shape), limit))


def _band(mask: Array, reach: int, limit: int) -> Array:
    """1 where at most so many tokens lie between row and column; of those after it at most `limit`."""
    band: Array = np.triu(np.tril(np.ones(mask.shape), min(reach, limit)), -reach)
    return band


_MISTAKES: dict[str, Callable[[Value], Iterator[Variant]]] = {
    "divide_rows": _normalized,
    "mean_square": _mean_square,
    "root_of_mean_square": _root,
    "scale_and_shift": _scaled,
    "multiply": _gated,
    "rotary_angles": _other_angles,
    "rotate": _rotated,
    "product_transposed": _scores,
    "distance_bias": _biased,
    "mask": _masked,
}
"""Makes the mistakes of an operation, by its name."""
