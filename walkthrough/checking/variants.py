"""The commonest mistakes, as variants of a step: another operation, other inputs or settings, an input left out.

No arithmetic stands here: a variant is made of the operations that there are, and can be applied to anybody's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from walkthrough.operations.activation import ACTIVATIONS
from walkthrough.operations.backward import keep_visible, negative
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import add, linear, linear_out_in, matrix_product, product_transposed, subtract
from walkthrough.operations.scaling import divide_by, divide_by_root, scale_by, scale_by_root
from walkthrough.operations.softmax import row_sum
from walkthrough.recording.values import Value

TRANSPOSED = "transposed"
ADDED = "added instead of multiplied"

_WIDTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 256, 512, 768, 1024)
"""Of heads and models, whose roots are taken for one another."""
_EPSILONS = (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)


@dataclass(frozen=True, slots=True)
class Instead:
    """What may have been calculated instead of a step.

    operation: None for the first input itself
    inputs:    recorded values, other such calculations, or constants
    is_turned: the result is transposed
    """

    operation: Operation | None
    inputs: tuple[Value | Instead | Array, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_turned: bool = False

    def array(self, numbers: Callable[[Value], Array]) -> Array:
        """The result for somebody's numbers of the recorded values. ValueError where the shapes do not fit."""
        arrays = [_array(one, numbers) for one in self.inputs]
        result = arrays[0] if self.operation is None else self.operation.forward(*arrays, **self.settings)
        return result.T if self.is_turned else result


def _array(part: Value | Instead | Array, numbers: Callable[[Value], Array]) -> Array:
    if isinstance(part, Instead):
        return part.array(numbers)
    return numbers(part) if isinstance(part, Value) else part


Variant = tuple[str, Instead]
"""The mistake in a few words, and the step as it would have been."""


def variants(value: Value) -> Iterator[Variant]:
    """The usual mistakes in a computed step, the likelier first."""
    assert value.operation is not None
    if value.shape[0] == value.shape[1]:
        yield TRANSPOSED, _turned(_changed(value))
    yield from _MISTAKES.get(value.operation.name, _none)(value)
    for one in value.inputs:
        if one.shape == value.shape:
            yield f"the step is missing: these are the numbers of {one.path}", _as_is(one)


def _changed(value: Value, *inputs: Value | Instead | Array, **settings: Any) -> Instead:
    """The step's own operation with other inputs or settings; those that are not said are its own."""
    return Instead(value.operation, inputs or value.inputs, {**value.settings, **settings})


def _as_is(part: Value | Instead) -> Instead:
    return Instead(None, (part,))


def _turned(part: Value | Instead) -> Instead:
    return Instead(None, (part,), is_turned=True)


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
        yield "the bias is missing", _changed(value, x, weight)
        yield "the weight is transposed and the bias is missing", Instead(other, (x, weight))
        yield "the bias is subtracted", _changed(value, x, weight, Instead(negative, (one,)))
    yield ADDED, _added_up(x, _turned(weight) if value.operation is linear_out_in else weight, bias)


def _scores(value: Value) -> Iterator[Variant]:
    queries, keys = value.inputs
    yield "the keys are not transposed", Instead(matrix_product, (queries, keys))
    yield "queries and keys are swapped", _changed(value, keys, queries)
    root = {"root_of": float(queries.shape[1]), "name": "d_k"}
    yield "the scores are already scaled by 1/√d_k", Instead(divide_by_root, (_changed(value),), root)
    yield ADDED, _added_up(queries, _turned(keys))


def _blended(value: Value) -> Iterator[Variant]:
    """The weights times the values."""
    weights, values = value.inputs
    yield "multiplied by the transposed values", Instead(product_transposed, (weights, values))
    yield ADDED, _added_up(weights, values)


def _divided_by_root(value: Value) -> Iterator[Variant]:
    """Scores ÷ √d_k."""
    x, size, name = value.inputs, value.settings["root_of"], value.settings["name"]
    yield f"the scaling by 1/√{name} is missing", _as_is(*x)
    yield f"divided by {name} instead of √{name}", Instead(divide_by, x, {"divisor": size})
    yield f"multiplied by √{name} instead of divided", Instead(scale_by_root, x, value.settings)
    for width in _WIDTHS:
        yield f"divided by √{width}", _changed(value, root_of=float(width))


def _divided(value: Value) -> Iterator[Variant]:
    """Scores, logits or a loss ÷ a number."""
    x, divisor = value.inputs, value.settings["divisor"]
    yield f"the division by {divisor:g} is missing", _as_is(*x)
    yield f"multiplied by {divisor:g} instead of divided", Instead(scale_by, x, {"factor": divisor})
    yield (
        f"divided by √{divisor:g} instead of {divisor:g}",
        Instead(divide_by_root, x, {"root_of": divisor, "name": "d"}),
    )
    for width in _WIDTHS:
        yield f"divided by √{width}", Instead(divide_by_root, x, {"root_of": float(width), "name": "d"})


def _masked(value: Value) -> Iterator[Variant]:
    scores, visible = value.inputs
    ones = np.ones(visible.shape)
    yield "the mask is missing", _as_is(scores)
    yield "the mask is inverted", _changed(value, scores, Instead(subtract, (ones, visible)))
    yield "the mask is transposed", _changed(value, scores, _turned(visible))
    below = Instead(keep_visible, (visible, np.tril(ones, -1)))
    yield "the mask hides the diagonal too", _changed(value, scores, below)
    yield "the mask shows one position too many", _changed(value, scores, np.tril(ones, 1))


def _shares(value: Value) -> Iterator[Variant]:
    """Exponentials ÷ their row sum, or centered numbers ÷ their deviation."""
    x, divisor = value.inputs
    if divisor.operation is row_sum:
        columns = Instead(row_sum, (_turned(x),))
        yield "softmax over the columns instead of the rows", _turned(_changed(value, _turned(x), columns))
        everything = Instead(row_sum, (_turned(Instead(row_sum, (x,))),))
        yield "softmax over the whole matrix", _changed(value, x, everything)
    else:
        for variance in divisor.inputs:
            yield "divided by the variance instead of the standard deviation", _changed(value, x, variance)
    yield "not divided", _as_is(x)


def _variance(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    sample = bool(value.settings["sample"])
    words = "the population variance (÷ d)" if sample else "the sample variance (÷ (d − 1))"
    yield f"{words} was used", _changed(value, sample=not sample)
    width = float(x.shape[1] - sample)
    yield "not divided by d", Instead(scale_by, (_changed(value),), {"factor": width})


def _std(value: Value) -> Iterator[Variant]:
    on_std = bool(value.settings["on_std"])
    other = "variance" if on_std else "standard deviation"
    yield f"epsilon is added to the {other}", _changed(value, on_std=not on_std)
    yield "epsilon is missing", _changed(value, epsilon=0.0)
    for epsilon in _EPSILONS:
        yield f"epsilon is {epsilon:g}", _changed(value, epsilon=epsilon)
    yield "the variance was used as the standard deviation", _as_is(*value.inputs)


def _scaled(value: Value) -> Iterator[Variant]:
    x, *given = value.inputs
    names = value.settings["parts"].split()
    yield f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} missing", _as_is(x)
    if len(given) == 2:
        yield "beta is missing", _changed(value, x, given[0], parts="gamma")
        yield "gamma is missing", _changed(value, x, given[1], parts="beta")
        yield "gamma and beta are swapped", _changed(value, x, given[1], given[0])


def _mean(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    yield "the mean of the columns instead of the rows", _changed(value, _turned(x))
    yield "not divided by d", Instead(row_sum, (x,))


def _summed(value: Value) -> Iterator[Variant]:
    (x,) = value.inputs
    yield "summed over the columns instead of the rows", _changed(value, _turned(x))


def _added(value: Value) -> Iterator[Variant]:
    for one in value.inputs:
        yield f"nothing was added: these are the numbers of {one.path}", _as_is(one)


def _activated(value: Value) -> Iterator[Variant]:
    for name, other in ACTIVATIONS.items():
        if other is not value.operation:
            yield f"{name} was used", Instead(other, value.inputs)


def _positions(value: Value) -> Iterator[Variant]:
    yield "the positions are counted from 1", _changed(value, first=value.settings["first"] + 1)
    for layout in ("interleaved", "halves", "tensor2tensor"):
        if layout != value.settings["layout"]:
            yield f"the layout is {layout}", _changed(value, layout=layout)
    other = "radians" if value.settings["angle"] == "degrees" else "degrees"
    yield f"the angles are in {other}", _changed(value, angle=other)


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
    **dict.fromkeys(ACTIVATIONS, _activated),
}
"""Makes the mistakes of an operation, by its name."""
