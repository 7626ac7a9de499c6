"""Mistakes in matrix products, sums and tables of rows: a transpose, a bias, a term that is left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from walkthrough.mistakes.mistake import Instead, Maker, Variant, as_is, change, mistake, transpose
from walkthrough.operations.backward import negative
from walkthrough.operations.definition import Operation
from walkthrough.operations.matrix import add, linear, linear_out_in, matrix_product, product_transposed, select_rows
from walkthrough.operations.scaling import divide_by_root
from walkthrough.operations.softmax import row_sum
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

ADDED = mistake("added")


def _linear(value: Value, trace: Trace) -> Iterator[Variant]:
    x, weight, *bias = value.inputs
    other = linear if value.operation is linear_out_in else linear_out_in
    yield mistake("transposed.weight"), Instead(other, value.inputs)
    for one in bias:
        yield mistake("bias"), change(value, x, weight)
        yield mistake("bias.transposed"), Instead(other, (x, weight))
        yield mistake("other.bias_subtracted"), change(value, x, weight, Instead(negative, (one,)))
    yield ADDED, _added_up(x, weight if value.operation is linear_out_in else transpose(weight), *bias)


def _scores(value: Value, trace: Trace) -> Iterator[Variant]:
    queries, keys = value.inputs
    yield mistake("transposed.keys"), Instead(matrix_product, (queries, keys))
    yield mistake("transposed.swapped"), change(value, keys, queries)
    for one, other in ((keys, queries), (queries, keys)):
        yield mistake("exchanged.state", one=one, other=other), change(value, other, other)
    root = {"root_of": float(queries.shape[1]), "name": "d_k"}
    yield mistake("divided_already", divisor="√d_k"), Instead(divide_by_root, (change(value),), root)
    yield ADDED, _added_up(queries, keys)


def _weighting(value: Value, trace: Trace) -> Iterator[Variant]:
    """The weights times the values."""
    weights, values = value.inputs
    yield mistake("transposed.values"), Instead(product_transposed, (weights, values))
    yield mistake("transposed.weights"), Instead(matrix_product, (transpose(weights), values))
    yield ADDED, _added_up(weights, transpose(values))


def _added_up(left: Value, right: Value | Instead, *more: Value) -> Instead:
    """A matrix product with + in the place of ×: each row of one factor added to each of the other, transposed."""
    columns = Instead(row_sum, (right,), is_transposed=True)
    return Instead(add, (Instead(row_sum, (left,)), columns, *more))


def _sum(value: Value, trace: Trace) -> Iterator[Variant]:
    is_residual = ".residual_" in f".{value.path}"
    for one in value.inputs:
        yield mistake("residual.none" if is_residual else "not_added.none", cell=one), as_is(one)
    for at, one in enumerate(value.inputs) if len(value.inputs) > 2 else ():
        rest = (*value.inputs[:at], *value.inputs[at + 1 :])
        yield mistake("not_added.one", one=one), change(value, *rest)
    for one in value.inputs:
        yield mistake("added_twice.one", one=one), change(value, *value.inputs, one)


def _looked_up(value: Value, trace: Trace) -> Iterator[Variant]:
    """Rows of a table of embeddings, or of learned positions."""
    table, indices = value.inputs[0], value.settings["indices"]
    is_positions = value.path.endswith("positional_encoding")
    for step, made in (
        (1, mistake("positions" if is_positions else "mixed_up.ids_from_1")),
        (-1, mistake("mixed_up.positions_too_small" if is_positions else "mixed_up.ids_too_small")),
        (2, mistake("mixed_up.positions_from_2" if is_positions else "mixed_up.ids_from_2")),
    ):
        moved = tuple(index + step for index in indices)
        if all(0 <= index < table.shape[0] for index in moved):
            yield made, change(value, indices=moved)


MISTAKES: Mapping[Operation, Maker] = {
    linear: _linear,
    linear_out_in: _linear,
    product_transposed: _scores,
    matrix_product: _weighting,
    add: _sum,
    select_rows: _looked_up,
}
