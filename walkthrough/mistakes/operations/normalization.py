"""Mistakes in layer norms and RMS norms: left out, in another place, over the wrong axis, one kind for the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Variant, as_is, change, mistake, transpose
from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.backward import negative
from walkthrough.operations.definition import Composite, Operation
from walkthrough.operations.matrix import add
from walkthrough.operations.normalization import (
    mean_square,
    root_of_mean_square,
    root_of_squares,
    row_mean,
    scale_and_shift,
    scale_by_number,
    subtract_rows,
    tanh,
)
from walkthrough.operations.norms import NORMS, layer_norm, rms_norm
from walkthrough.operations.positions.rotation import rotate
from walkthrough.operations.scaling import scale_by
from walkthrough.operations.softmax import divide_rows, row_sum
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

EPSILONS = (1e-5, 1e-6, 1e-12, 1e-8, 1e-3)
"""What programs add to a variance: the norms of PyTorch, Llama, BERT, others, and older papers; the likeliest first."""
_COLUMNS = mistake("mixed_up.norm")
_NOT_DIVIDED = mistake("not_divided.d")
NO_EPSILON = mistake("epsilon.missing")
_NO_SQUARE_ROOT = mistake("no_root.divided_by_mean_square")

Norm = tuple[Composite, tuple[Value, ...], Mapping[str, Any]]


def norm_of(value: Value) -> Norm | None:
    """The norm that a value is the result of: operation, what is normed with its parameters, settings."""
    return value.composite if value.composite is not None and value.composite[0] in NORMS else None


def _mean(value: Value, trace: Trace) -> Iterator[Variant]:
    (x,) = value.inputs
    yield _COLUMNS, change(value, transpose(x))
    yield _NOT_DIVIDED, Instead(row_sum, (x,))


def _centering(value: Value, trace: Trace) -> Iterator[Variant]:
    yield mistake("mean"), as_is(value.inputs[0])


def _mean_square(value: Value, trace: Trace) -> Iterator[Variant]:
    (x,) = value.inputs
    is_sample = bool(value.settings["sample"])
    if _is_variance(value):
        other = mistake("population_variance") if is_sample else mistake("sample_variance")
        yield other, change(value, sample=not is_sample)
    else:
        yield mistake("mean_subtracted.variance"), change(value, _without_mean(x))
    yield _COLUMNS, change(value, transpose(x))
    yield mistake("left_out.squares"), Instead(row_mean, (_absolute(x),))
    yield _NOT_DIVIDED, Instead(scale_by, (change(value),), {"factor": float(x.shape[1] - is_sample)})


def _absolute(x: Value) -> Instead:
    relu = ACTIVATIONS["relu"]
    return Instead(add, (Instead(relu, (x,)), Instead(relu, (Instead(negative, (x,)),))))


def _is_variance(mean_of_squares: Value) -> bool:
    return mean_of_squares.inputs[0].operation is subtract_rows


def _root(value: Value, trace: Trace) -> Iterator[Variant]:
    """A standard deviation, or a root mean square."""
    on_std, squares = bool(value.settings["on_std"]), value.inputs[0]
    outside, no_root = mistake("epsilon.outside"), mistake("no_root.mean_square")
    if _is_variance(squares):
        outside = mistake("epsilon.of_variance") if on_std else mistake("epsilon.of_deviation")
        no_root = mistake("no_root.variance")
    yield outside, change(value, on_std=not on_std)
    yield NO_EPSILON, change(value, epsilon=0.0)
    yield from _other_epsilons(value)
    yield no_root, as_is(squares)


def _other_epsilons(value: Value) -> Iterator[Variant]:
    right = value.settings["epsilon"]
    for epsilon in EPSILONS:
        made = mistake("epsilon.other", epsilon=epsilon).with_constant("epsilon", epsilon, right)
        yield made, change(value, epsilon=epsilon)


def _division(value: Value, trace: Trace) -> Iterator[Variant]:
    """Numbers ÷ their standard deviation, or ÷ their root mean square."""
    x, divisor = value.inputs
    if divisor.operation is root_of_mean_square:
        yield from (_squared_deviation if _is_variance(divisor.inputs[0]) else _other_root)(value, x, divisor)
    elif divisor.operation is root_of_squares:
        yield mistake("not_divided.length"), as_is(x)
    yield from _placed_otherwise(value, trace)


def _squared_deviation(value: Value, x: Value, divisor: Value) -> Iterator[Variant]:
    for variance in divisor.inputs:
        with_epsilon = Instead(add, (variance, np.full(divisor.shape, divisor.settings["epsilon"])))
        for square in (with_epsilon, variance):
            yield mistake("no_root.divided_by_variance"), change(value, x, square)


def _other_root(value: Value, x: Value, root: Value) -> Iterator[Variant]:
    (squares,) = root.inputs
    std = change(root, change(squares, _without_mean(x)))
    yield mistake("mean_subtracted.layer_norm"), Instead(divide_rows, (_without_mean(x), std))
    with_epsilon = Instead(add, (*root.inputs, np.full(root.shape, root.settings["epsilon"])))
    yield _NO_SQUARE_ROOT, change(value, x, with_epsilon)
    yield _NO_SQUARE_ROOT, change(value, x, *root.inputs)
    columns = change(root, change(squares, transpose(x)))
    yield _COLUMNS, transpose(change(value, transpose(x), columns))
    total = Instead(scale_by, (squares,), {"factor": float(x.shape[1])})
    yield mistake("not_divided.d_in_root"), change(value, x, change(root, total))


def _without_mean(x: Value) -> Instead:
    return Instead(subtract_rows, (x, Instead(row_mean, (x,))))


def _scaling(value: Value, trace: Trace) -> Iterator[Variant]:
    """γ and β."""
    x, *given = value.inputs
    plus_one = value.settings.get("plus_one", False)
    if plus_one:
        yield mistake("gamma.not_plus_one"), change(value, plus_one=False)
    if len(given) == 1:
        yield mistake("gamma.missing" if value.settings["parts"] == "gamma" else "gamma.beta_missing"), as_is(x)
    else:
        yield mistake("gamma.both_missing"), as_is(x)
        yield mistake("gamma.beta_missing"), change(value, x, given[0], parts="gamma")
        yield mistake("gamma.missing"), change(value, x, given[1], parts="beta")
        yield mistake("gamma.swapped"), change(value, x, given[1], given[0])
    if value.composite is not None and value.composite[0] is rms_norm and not plus_one:
        yield mistake("gamma.plus_one"), change(value, plus_one=True)
    yield from _placed_otherwise(value, trace)


def _squashing(value: Value, trace: Trace) -> Iterator[Variant]:
    (scaled,) = value.inputs
    yield mistake("other.tanh_missing"), as_is(scaled)
    if scaled.operation is scale_by_number or scaled.operation is scale_by:
        yield mistake("other.alpha_missing"), change(value, scaled.inputs[0])
    yield from _placed_otherwise(value, trace)


def _placed_otherwise(value: Value, trace: Trace) -> Iterator[Variant]:
    """The result of a norm that is left out, or in another place."""
    norm = norm_of(value)
    if norm is None:
        return
    operation, (x, *given), settings = norm
    yield mistake("norm.missing"), as_is(x)
    if any(one.has_numbers and not (one.array == 1).all() for one in given[:1]):  # else it is that without an epsilon
        yield mistake("norm.twice"), Instead(operation, (Instead(*norm), *given), settings)
    if x.operation is add and len(x.inputs) > 1:
        yield from _before_residual(norm)
    if operation is layer_norm:
        yield _COLUMNS, _over_columns(value, x, settings)
    rotated = trace.get(value.path.replace("_norm.output", "_rotated"))
    if rotated is not None and rotated is not value and rotated.operation is rotate:
        before = Instead(rotate, (x, rotated.inputs[1]), rotated.settings)
        yield NORM_AFTER_ROTATION, Instead(operation, (before, *given), settings)


NORM_AFTER_ROTATION = mistake("norm.after_rotation")


def _before_residual(norm: Norm) -> Iterator[Variant]:
    """Only what is added to the residual is normed."""
    operation, (x, *given), settings = norm
    for at, one in enumerate(x.inputs):
        others = (*x.inputs[:at], *x.inputs[at + 1 :])
        yield mistake("norm.before_residual"), Instead(add, (*others, Instead(operation, (one, *given), settings)))


def _over_columns(value: Value, x: Value, settings: Mapping[str, Any]) -> Instead:
    """The norm of each feature over the positions, then gamma and beta as they are."""
    columns = transpose(x)
    centered = Instead(subtract_rows, (columns, Instead(row_mean, (columns,))))
    variance = Instead(mean_square, (centered,), {"sample": settings["sample"]})
    kept = {name: settings[name] for name in ("epsilon", "on_std")}
    normalized = transpose(Instead(divide_rows, (centered, Instead(root_of_mean_square, (variance,), kept))))
    return normalized if value.operation is divide_rows else change(value, normalized, *value.inputs[1:])


MISTAKES: Mapping[Operation, Maker] = {
    row_mean: _mean,
    subtract_rows: _centering,
    mean_square: _mean_square,
    root_of_mean_square: _root,
    divide_rows: _division,
    scale_and_shift: _scaling,
    tanh: _squashing,
}
