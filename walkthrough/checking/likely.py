"""Likely causes of a step that differs: the usual mistakes are made on purpose, and the one that fits is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from walkthrough.checking.replay import Replay
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

Fits = Callable[[Array], bool]
Guess = tuple[str, Callable[[], Array]]
TRANSPOSED = "transposed"


def likely_cause(value: Value, known: Replay, fits: Fits) -> str:
    """What was done instead of the step, in a few words; nothing where no usual mistake gives their numbers.

    A mistake in a step before it that they did not give is named with its step.
    """
    if value.operation is None:
        return TRANSPOSED if _is_square(value) and fits(value.array.T) else "other numbers than the scenario gives"
    turnable = not fits(known.computed(value))
    for step in known.not_given(value):
        inputs = [known.array(given) for given in step.inputs]
        found: list[str] = []
        for said, guess in _guesses(step, inputs):
            if said == TRANSPOSED and not turnable:
                continue
            try:
                with np.errstate(all="ignore"):
                    array = guess()
                    fitting = array.shape == step.shape and fits(_led_on(value, step, array, known))
            except (ValueError, IndexError):  # a transposed matrix that does not fit
                continue
            if fitting:
                found.append(said)
                if said != TRANSPOSED:  # of a symmetric matrix another mistake may give the same numbers
                    break
        if found:
            return ", or ".join(found) + ("" if step is value else f" ({step.path})")
    return ""


def _is_square(value: Value) -> bool:
    return value.shape[0] == value.shape[1]


def _led_on(value: Value, step: Value, array: Array, known: Replay) -> Array:
    """The value where a step before it, or itself, was done otherwise."""
    return array if step is value else known.instead(step, array).computed(value)


def _guesses(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    assert value.operation is not None
    forward = value.operation.forward
    if _is_square(value):
        yield TRANSPOSED, lambda: forward(*inputs, **value.settings).T
    maker = _MISTAKES.get(value.operation.name)
    if maker is not None:
        yield from maker(value, inputs)
    for at, array in enumerate(inputs):
        if array.shape == value.shape:
            yield f"the step is missing: these are the numbers of {value.inputs[at].path}", lambda array=array: array  # type: ignore[misc]


def _linear(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    assert value.operation is not None
    x, weight, *bias = inputs
    turned = "the weight is transposed"
    forward = value.operation.forward
    yield turned, lambda: forward(x, weight.T, *bias)
    if bias:
        yield "the bias is missing", lambda: forward(x, weight)
        yield "the weight is transposed and the bias missing", lambda: forward(x, weight.T)
        yield "the bias is subtracted", lambda: forward(x, weight, *(-one for one in bias))


def _scores(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    queries, keys = inputs
    root = math.sqrt(queries.shape[1])
    yield "the keys are not transposed", lambda: queries @ keys
    yield "queries and keys are exchanged", lambda: keys @ queries.T
    yield "the scores are scaled by 1/√d_k already", lambda: queries @ keys.T / root


def _divided(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    """Scores ÷ √d_k."""
    (x,) = inputs
    d_k = float(value.settings.get("root_of", value.settings.get("divisor", 1.0)))
    yield "the scaling by 1/√d_k is missing", lambda: x
    yield "divided by d_k instead of √d_k", lambda: x / d_k
    yield "multiplied by √d_k instead of divided", lambda: x * math.sqrt(d_k)
    yield from _other_roots(x, value)


def _other_roots(x: Array, value: Value) -> Iterator[Guess]:
    """Scaled by the root of another width."""
    for width in (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 768, 1024):
        yield f"divided by √{width}", lambda width=width: x / math.sqrt(width)  # type: ignore[misc]


def _masked(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    x, visible = inputs
    hidden = float(value.settings["value"])

    def masked(mask: Array) -> Array:
        return np.where(mask != 0, x, hidden if hidden == -np.inf else x + hidden)

    yield "the mask is missing", lambda: x
    yield "the mask is inverted", lambda: masked(1 - visible)
    yield "the mask is transposed", lambda: masked(visible.T)
    yield "the mask hides the diagonal too", lambda: masked(np.tril(visible, -1))
    yield "the mask lets one position too many be seen", lambda: masked(np.tril(np.ones_like(visible), 1))


def _normalized(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    """Exponentials ÷ their row sum."""
    x = inputs[0]
    if x.size and (x >= 0).all():
        yield "softmax over the columns instead of the rows", lambda: x / x.sum(axis=0, keepdims=True)
        yield "softmax over the whole matrix", lambda: x / x.sum()
    yield "not divided", lambda: x


def _variance(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    (x,) = inputs
    width = x.shape[1]
    squares = np.square(x).sum(axis=1, keepdims=True)
    other = width if value.settings["sample"] else width - 1
    words = "the population variance (÷ d)" if value.settings["sample"] else "the sample variance (÷ (d − 1))"
    if other:
        yield f"{words} was taken", lambda: squares / other
    yield "not divided by d", lambda: squares


def _std(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    (variance,) = inputs
    epsilon = float(value.settings["epsilon"])
    moved = "epsilon is added to the variance" if value.settings["on_std"] else "epsilon is added to the deviation"
    yield moved, lambda: value.operation.forward(variance, epsilon, not value.settings["on_std"])  # type: ignore[union-attr]
    yield "epsilon is missing", lambda: np.sqrt(variance)
    for other in (1e-3, 1e-5, 1e-6, 1e-8, 1e-12):
        yield f"epsilon is {other:g}", lambda other=other: np.sqrt(variance + other)  # type: ignore[misc]
    yield "the variance was taken for the deviation", lambda: variance


def _scaled(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    x, *given = inputs
    yield "gamma and beta are missing", lambda: x
    if len(given) == 2:
        yield "beta is missing", lambda: x * given[0]
        yield "gamma is missing", lambda: x + given[1]
        yield "gamma and beta are exchanged", lambda: x * given[1] + given[0]


def _mean(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    (x,) = inputs
    if x.shape[0] == x.shape[1]:
        yield "the mean of the columns instead of the rows", lambda: x.mean(axis=0)[:, None]
    yield "not divided by d", lambda: x.sum(axis=1, keepdims=True)


def _added(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    for at, array in enumerate(inputs):
        yield f"only {value.inputs[at].path} is there", lambda array=array: array  # type: ignore[misc]


def _summed(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    (x,) = inputs
    if x.shape[0] == x.shape[1]:
        yield "summed over the columns instead of the rows", lambda: x.sum(axis=0)[:, None]


def _activated(value: Value, inputs: Sequence[Array]) -> Iterator[Guess]:
    from walkthrough.operations.activation import ACTIVATIONS

    (x,) = inputs
    for name, other in ACTIVATIONS.items():
        if other is not value.operation:
            yield f"{name} was taken", lambda other=other: other.forward(x)  # type: ignore[misc]


_MISTAKES: dict[str, Callable[[Value, Sequence[Array]], Iterator[Guess]]] = {
    "linear": _linear,
    "linear_out_in": _linear,
    "product_transposed": _scores,
    "divide_by_root": _divided,
    "divide_by": _divided,
    "mask": _masked,
    "divide_rows": _normalized,
    "variance_of_centered": _variance,
    "standard_deviation": _std,
    "scale_and_shift": _scaled,
    "row_mean": _mean,
    "row_sum": _summed,
    "add": _added,
    **dict.fromkeys(("relu", "gelu", "gelu_tanh", "silu", "sigmoid"), _activated),
}
