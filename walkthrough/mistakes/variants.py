"""The commonest mistakes, as variants of a step (`instead.py`): those that were made in 2017 already."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from walkthrough.mistakes import confused
from walkthrough.mistakes import heads as head_variants
from walkthrough.mistakes import modern as modern_variants
from walkthrough.mistakes import norms as norm_variants
from walkthrough.mistakes import wiring as stream_variants
from walkthrough.mistakes.mistake import TRANSPOSED, Instead, Variant, as_is, changed, turned
from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.backward import keep_visible, negative
from walkthrough.operations.matrix import (
    add,
    linear,
    linear_out_in,
    matrix_product,
    multiply,
    product_transposed,
    subtract,
)
from walkthrough.operations.normalization import standard_deviation
from walkthrough.operations.scaling import divide_by, divide_by_root, scale_by, scale_by_root
from walkthrough.operations.softmax import row_sum, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

ADDED = "added instead of multiplied"

_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 768, 1024)
"""Of heads and models, whose roots are taken for one another."""
_EPSILONS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)


def variants(value: Value, trace: Trace | None = None) -> Iterator[Variant]:
    """The usual mistakes in a computed step, the likelier first; `trace`: where it stands, for what else there is."""
    assert value.operation is not None
    if value.shape[0] == value.shape[1]:
        yield TRANSPOSED, turned(changed(value))
    yield from _MISTAKES.get(value.operation.name, _none)(value)
    yield from modern_variants.variants(value)
    if trace is not None:
        for room in (norm_variants, confused, head_variants, stream_variants):
            yield from room.variants(value, trace)
    for one in value.inputs:
        if one.shape == value.shape:
            yield f"the step is missing: these are the numbers of {one.path}", as_is(one)


def _added_up(left: Value, right: Value | Instead, more: Sequence[Value] = ()) -> Instead:
    """A matrix product with + in the place of ×: each row added to each column."""
    inner = left.shape[1]
    width = right.inputs[0].shape[0] if isinstance(right, Instead) else right.shape[1]  # type: ignore[union-attr]
    rows = Instead(matrix_product, (left, np.ones((inner, width))))
    columns = Instead(matrix_product, (np.ones((left.shape[0], inner)), right))
    return Instead(add, (rows, columns, *(Instead(matrix_product, (np.ones((left.shape[0], 1)), one)) for one in more)))


def _none(value: Value) -> Iterator[Variant]:
    yield from ()


def _linear(value: Value) -> Iterator[Variant]:
    x, weight, *bias = value.inputs
    other = linear if value.operation is linear_out_in else linear_out_in
    yield "the weight is transposed", Instead(other, value.inputs)
    for one in bias:
        yield "the bias is missing", changed(value, x, weight)
        yield "the weight is transposed and the bias is missing", Instead(other, (x, weight))
        yield "the bias is subtracted", changed(value, x, weight, Instead(negative, (one,)))
    yield ADDED, _added_up(x, turned(weight) if value.operation is linear_out_in else weight, bias)


def _scores(value: Value) -> Iterator[Variant]:
    queries, keys = value.inputs
    yield "the keys are not transposed", Instead(matrix_product, (queries, keys))
    yield "queries and keys are swapped", changed(value, keys, queries)
    root = {"root_of": float(queries.shape[1]), "name": "d_k"}
    yield "the scores are already scaled by 1/√d_k", Instead(divide_by_root, (changed(value),), root)
    yield ADDED, _added_up(queries, turned(keys))


def _blended(value: Value) -> Iterator[Variant]:
    """The weights times the values."""
    weights, values = value.inputs
    yield "multiplied by the transposed values", Instead(product_transposed, (weights, values))
    yield ADDED, _added_up(weights, values)


def _divided_by_root(value: Value) -> Iterator[Variant]:
    """Scores ÷ √d_k."""
    x, size, name = value.inputs, value.settings["root_of"], value.settings["name"]
    yield f"the scaling by 1/√{name} is missing", as_is(*x)
    yield f"divided by {name} instead of √{name}", Instead(divide_by, x, {"divisor": size})
    yield f"multiplied by √{name} instead of divided", Instead(scale_by_root, x, value.settings)
    for width in _WIDTHS:
        if width != size:
            yield f"divided by √{width}", changed(value, root_of=float(width))


def _divided(value: Value) -> Iterator[Variant]:
    """Scores, logits or a loss ÷ a number."""
    x, divisor = value.inputs, value.settings["divisor"]
    yield f"the division by {divisor:g} is missing", as_is(*x)
    yield f"multiplied by {divisor:g} instead of divided", Instead(scale_by, x, {"factor": divisor})
    yield (
        f"divided by √{divisor:g} instead of {divisor:g}",
        Instead(divide_by_root, x, {"root_of": divisor, "name": "d"}),
    )
    for width in _WIDTHS:
        if width != divisor**2:
            yield f"divided by √{width}", Instead(divide_by_root, x, {"root_of": float(width), "name": "d"})


def _masked(value: Value) -> Iterator[Variant]:
    scores, visible = value.inputs
    ones = np.ones(visible.shape)
    yield "the mask is missing", as_is(scores)
    yield "the mask is inverted", changed(value, scores, Instead(subtract, (ones, visible)))
    yield "the mask is transposed", changed(value, scores, turned(visible))
    below = Instead(keep_visible, (visible, np.tril(ones, -1)))
    yield "the mask hides the diagonal too", changed(value, scores, below)
    yield "the mask shows one position too many", changed(value, scores, np.tril(ones, 1))
    yield "hidden scores are 0 instead of −∞", Instead(multiply, (scores, visible))


def _shares(value: Value) -> Iterator[Variant]:
    """Exponentials ÷ their row sum, or centered numbers ÷ their deviation."""
    x, divisor = value.inputs
    if divisor.operation is row_sum:
        columns = Instead(row_sum, (turned(x),))
        yield "softmax over the columns instead of the rows", turned(changed(value, turned(x), columns))
        everything = Instead(row_sum, (turned(Instead(row_sum, (x,))),))
        yield "softmax over the whole matrix", changed(value, x, everything)
    elif divisor.operation is standard_deviation:
        for variance in divisor.inputs:
            unrooted = Instead(add, (variance, np.full(divisor.shape, divisor.settings["epsilon"])))
            for square in (unrooted, variance):
                yield "divided by the variance instead of the standard deviation", changed(value, x, square)
    if value.composite is not None and value.composite[0] is softmax:
        yield from _masked_later(*value.composite[1])
    yield "not divided", as_is(x)


def _masked_later(scores: Value) -> Iterator[Variant]:
    """A mask that comes when the shares have been taken."""
    if scores.operation is not None and scores.operation.name == "mask":
        before, visible = scores.inputs
        yield "the mask comes after the softmax", Instead(multiply, (Instead(softmax, (before,)), visible))


def _variance(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    sample = bool(value.settings["sample"])
    words = "the population variance (÷ d)" if sample else "the sample variance (÷ (d − 1))"
    yield f"{words} was used", changed(value, sample=not sample)
    width = float(x.shape[1] - sample)
    yield "not divided by d", Instead(scale_by, (changed(value),), {"factor": width})


def _std(value: Value) -> Iterator[Variant]:
    on_std = bool(value.settings["on_std"])
    other = "variance" if on_std else "standard deviation"
    yield f"epsilon is added to the {other}", changed(value, on_std=not on_std)
    yield "epsilon is missing", changed(value, epsilon=0.0)
    for epsilon in _EPSILONS:
        yield f"epsilon is {epsilon:g}", changed(value, epsilon=epsilon)
    yield "the variance was used as the standard deviation", as_is(*value.inputs)


def _scaled(value: Value) -> Iterator[Variant]:
    x, *given = value.inputs
    names = value.settings["parts"].split()
    yield f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} missing", as_is(x)
    if len(given) == 2:
        yield "beta is missing", changed(value, x, given[0], parts="gamma")
        yield "gamma is missing", changed(value, x, given[1], parts="beta")
        yield "gamma and beta are swapped", changed(value, x, given[1], given[0])


def _mean(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    yield "the mean of the columns instead of the rows", changed(value, turned(x))
    yield "not divided by d", Instead(row_sum, (x,))


def _summed(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    yield "summed over the columns instead of the rows", changed(value, turned(x))


def _added(value: Value) -> Iterator[Variant]:
    for one in value.inputs:
        yield f"nothing was added: these are the numbers of {one.path}", as_is(one)
    for at, one in enumerate(value.inputs) if len(value.inputs) > 2 else ():
        yield f"{one.path} is not added", changed(value, *value.inputs[:at], *value.inputs[at + 1 :])
    for one in value.inputs:
        yield f"{one.path} is added twice", changed(value, *value.inputs, one)


def _activated(value: Value) -> Iterator[Variant]:
    for name, other in ACTIVATIONS.items():
        if other is not value.operation:
            yield f"{name} was used", Instead(other, value.inputs)
    slope = 1.702  # Hendrycks and Gimpel 2016, §2: their other approximation
    steep = Instead(ACTIVATIONS["silu"], (Instead(scale_by, value.inputs, {"factor": slope}),))
    yield "quick_gelu (x·σ(1.702·x)) was used", Instead(scale_by, (steep,), {"factor": 1 / slope})
    relu = Instead(ACTIVATIONS["relu"], value.inputs)
    yield "squared relu was used", Instead(multiply, (relu, relu))
    yield "it is activated twice", Instead(value.operation, (changed(value),), value.settings)


def _selected(value: Value) -> Iterator[Variant]:
    """Rows of a table of embeddings, or of learned positions."""
    table, indices = value.inputs[0], value.settings["indices"]
    what = "positions" if value.path.endswith("positional_encoding") else "ids"
    for step, words in (
        (1, f"the {what} are counted from 1"),
        (-1, f"the {what} are one too small"),
        (2, f"the {what} are counted from 2"),
    ):
        moved = tuple(index + step for index in indices)
        if all(0 <= index < table.shape[0] for index in moved):
            yield words, changed(value, indices=moved)


def _positions(value: Value) -> Iterator[Variant]:
    yield "the positions are counted from 1", changed(value, first=value.settings["first"] + 1)
    for layout in ("interleaved", "halves", "tensor2tensor"):
        if layout != value.settings["layout"]:
            yield f"the layout is {layout}", changed(value, layout=layout)
    for base in (100.0, 1000.0, 100000.0, 500000.0, 1000000.0):
        if base != value.settings["base"]:
            yield f"the base is {base:.0f}", changed(value, base=base)
    other = "radians" if value.settings["angle"] == "degrees" else "degrees"
    yield f"the angles are in {other}", changed(value, angle=other)


_MISTAKES: dict[str, Callable[[Value], Iterator[Variant]]] = {
    "linear": _linear,
    "linear_out_in": _linear,
    "product_transposed": _scores,
    "matrix_product": _blended,
    "divide_by_root": _divided_by_root,
    "divide_by": _divided,
    "mask": _masked,
    "divide_rows": _shares,
    "variance_of_centered": _variance,
    "standard_deviation": _std,
    "scale_and_shift": _scaled,
    "row_mean": _mean,
    "row_sum": _summed,
    "add": _added,
    "sinusoidal_positions": _positions,
    "select_rows": _selected,
    **dict.fromkeys(ACTIVATIONS, _activated),
}
"""Makes the mistakes of an operation, by its name."""
