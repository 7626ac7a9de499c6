"""Mistakes between heads: cut out of the joined matrix or joined in another order, a softmax over heads, a stride."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Mistake, Rearranged, Variant, change, mistake
from walkthrough.mistakes.places import in_every_head, place_in_head, same_in_all_heads
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import concatenate, linear, linear_out_in, matrix_product, product_transposed
from walkthrough.operations.softmax import divide_rows, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

Cut = Callable[[Array, int, int], Array]
"""The joined matrix, how many heads there are, which of them is meant (from 0) → that head's matrix."""


def _block(joined: Array, heads: int, at: int) -> Array:
    """The numbers as they follow each other, cut into as many blocks: a `view` without the transpose."""
    block: Array = joined.reshape(heads, joined.shape[0], -1)[at]
    return block


def _every_nth_column(joined: Array, heads: int, at: int) -> Array:
    return joined[:, at::heads]


_CUTS: Mapping[Mistake, Cut] = {
    mistake("mixed_up.cut_as_view"): _block,
    mistake("mixed_up.cut_with_stride"): _every_nth_column,
}
_JOINS: Mapping[Mistake, Callable[..., Array]] = {
    mistake("mixed_up.joined_as_reshape"): (lambda *heads: np.stack(heads).reshape(len(heads[0]), -1)),
    mistake("mixed_up.joined_by_feature"): (lambda *heads: np.stack(heads, axis=-1).reshape(len(heads[0]), -1)),
    mistake("mixed_up.joined_in_reverse"): lambda *heads: np.hstack(heads[::-1]),
}


def _joining(value: Value, trace: Trace) -> Iterator[Variant]:
    for made, join in _JOINS.items():
        yield made, Instead(Rearranged(join), value.inputs)


def _projection(value: Value, trace: Trace) -> Iterator[Variant]:
    """Queries, keys or values, cut otherwise out of what all heads have."""
    heads = same_in_all_heads(value, trace)
    for made, cut in _CUTS.items() if len(heads) > 1 else ():
        yield made, _cut_out([change(one) for one in heads], heads.index(value), cut)


def _product(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores or output of a head: of what is cut otherwise out of what all heads have, or shared by other heads."""
    is_scores = value.operation is product_transposed
    if len(same_in_all_heads(value, trace)) > 1:
        for made, cut in _CUTS.items():
            first, second = (_cut_otherwise(one, trace, cut) for one in value.inputs)
            yield made, change(value, first if is_scores else value.inputs[0], second)
    yield from _other_stride(value, trace)


def _cut_otherwise(value: Value, trace: Trace, cut: Cut) -> Instead:
    heads = same_in_all_heads(value, trace)
    return _cut_out(heads, heads.index(value), cut)


def _cut_out(heads: list[Value] | list[Instead], at: int, cut: Cut) -> Instead:
    """What a head has if the matrix of all heads is cut otherwise."""
    return Instead(Rearranged(lambda *all: cut(np.hstack(all), len(all), at)), tuple(heads))


def _other_stride(value: Value, trace: Trace) -> Iterator[Variant]:
    """The keys or values that a head would have if heads shared them at equal distances, not as neighbours."""
    mine, shared = value.inputs
    place, source = place_in_head(value.path), place_in_head(shared.path)
    if place is None or source is None:
        return
    of_heads = in_every_head(trace, place.heads, source.name)
    distinct = list(dict.fromkeys(of_heads))
    if not 1 < len(distinct) < len(of_heads):
        return
    other = distinct[(place.number - 1) % len(distinct)]
    if other is not shared:
        yield (
            mistake("exchanged.stride"),
            change(value, mine, other),
        )


def _shares(value: Value, trace: Trace) -> Iterator[Variant]:
    """Shares of the heads, not of the keys."""
    if value.composite is None or value.composite[0] is not softmax:
        return
    heads = same_in_all_heads(value, trace)
    scores = [one.composite[1][0] for one in heads if one.composite is not None]
    if len(scores) < 2:
        return
    at, shape = heads.index(value), value.shape
    stacked = Instead(Rearranged(lambda *all: np.stack(all, axis=-1).reshape(-1, len(all))), tuple(scores))
    yield (
        mistake("softmax_heads"),
        Instead(Rearranged(lambda shares: shares[:, at].reshape(shape)), (Instead(softmax, (stacked,)),)),
    )


MISTAKES: Mapping[Operation, Maker] = {
    concatenate: _joining,
    linear: _projection,
    linear_out_in: _projection,
    product_transposed: _product,
    matrix_product: _product,
    divide_rows: _shares,
}
