"""Mistakes between heads: cut out of the joined matrix or joined in another order, a softmax over heads, a stride."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from walkthrough.mistakes.mistake import Instead, Maker, Mistake, Rearranged, Variant, change, mistake
from walkthrough.mistakes.places import in_every_head, place_in_head, same_in_all_heads
from walkthrough.operations.definition import Array, Operation
from walkthrough.operations.matrix import concatenate, linear, linear_out_in, matrix_product, product_transposed
from walkthrough.operations.positions.rotation import rotate
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
    for made, join in _JOINS.items() if place_in_head(value.path) is None else ():
        yield made, Instead(Rearranged(join), value.inputs)


def _projection(value: Value, trace: Trace) -> Iterator[Variant]:
    """Queries, keys or values, cut otherwise out of what all heads have; all by one weight that is transposed."""
    heads = same_in_all_heads(value, trace)
    for made, cut in _CUTS.items() if len(heads) > 1 else ():
        yield made, _cut_out([change(one) for one in heads], heads.index(value), cut)
    (x, _, *bias), weights = value.inputs, [one.inputs[1] for one in heads]
    sizes = [one.shape[1] for one in heads]
    if len(heads) > 1 and sum(sizes) == x.shape[1]:
        first, is_by_rows = sum(sizes[: heads.index(value)]), value.operation is linear_out_in
        own = slice(first, first + value.shape[1])

        def transposed(*weights: Array) -> Array:
            return np.vstack(weights).T[own] if is_by_rows else np.hstack(weights).T[:, own]

        yield mistake("transposed.joined"), change(value, x, Instead(Rearranged(transposed), tuple(weights)), *bias)


def _rotation(value: Value, trace: Trace) -> Iterator[Variant]:
    """Rotated queries or keys, cut otherwise before that, or rotated values, where keys and values are swapped."""
    x, angle = value.inputs
    heads = same_in_all_heads(x, trace)
    for made, cut in _CUTS.items() if len(heads) > 1 and x.operation in (linear, linear_out_in) else ():
        yield made, change(value, _cut_out(heads, heads.index(x), cut), angle)
    place = place_in_head(x.path)
    values = trace.get(f"{place.head}value") if place is not None and place.name == "key" else None
    if values is not None and values.shape == x.shape:
        yield _KEYS_AND_VALUES, change(value, values, angle)


_KEYS_AND_VALUES = mistake("exchanged.keys_and_values")
_QUERIES_AND_VALUES = mistake("exchanged.queries_and_values")


def _product(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores or output of a head: of what is cut otherwise out of what all heads have, or shared by other heads."""
    is_scores = value.operation is product_transposed
    if len(same_in_all_heads(value, trace)) > 1:
        is_rotated = is_scores and any(one.operation is rotate for one in value.inputs)  # they are cut before that
        for made, cut in _CUTS.items() if not is_rotated else ():
            first, second = (_cut_otherwise(one, trace, cut) for one in value.inputs)
            yield made, change(value, first if is_scores else value.inputs[0], second)
        yield from _head_by_head(value, is_scores, trace) if not is_rotated else ()
    yield from _parts_exchanged(value, is_scores, trace)
    yield from _other_stride(value, trace)


def _head_by_head(value: Value, is_scores: bool, trace: Trace) -> Iterator[Variant]:
    """What one module returns is cut as if query, key and value of each head stood side by side."""
    place = place_in_head(value.path)
    if place is None:
        return
    parts = [in_every_head(trace, place.heads, name) for name in ("query", "key", "value")]
    every = [one for part in parts for one in part]
    if (
        len({len(part) for part in parts}) != 1
        or len({one.shape for one in every}) != 1
        or len(set(every)) < len(every)
    ):
        return

    head = place.number - 1

    def part(at: int) -> Instead:
        def cut(*all: Array) -> Array:
            by_head: Array = np.hstack(all).reshape(len(all[0]), len(all) // 3, 3, -1)
            return by_head[:, head, at]

        return Instead(Rearranged(cut), tuple(every))

    query, key, values = map(part, range(3))
    yield mistake("mixed_up.cut_by_head"), change(value, *((query, key) if is_scores else (value.inputs[0], values)))


def _parts_exchanged(value: Value, is_scores: bool, trace: Trace) -> Iterator[Variant]:
    """Values in the place of keys or queries, and the reverse: what one module returns is split in another order."""
    left, right = value.inputs
    exchanged: Sequence[tuple[Mistake, Value | Instead | None, Value | Instead | None]]
    if is_scores:
        keys, queries = _other_part(right, "key", "value", trace), _other_part(left, "query", "value", trace)
        exchanged = (_KEYS_AND_VALUES, left, keys), (_QUERIES_AND_VALUES, queries, right)
    else:
        keys, queries = (_other_part(right, "value", other, trace) for other in ("key", "query"))
        exchanged = (_KEYS_AND_VALUES, left, keys), (_QUERIES_AND_VALUES, left, queries)
    for made, first, second in exchanged:
        if first is not None and second is not None:
            yield made, change(value, first, second)


def _other_part(one: Value, name: str, other: str, trace: Trace) -> Value | Instead | None:
    """The keys of a head for its values, or the like; None where it has another name, or the other another shape.

    Of keys with a rotated part beside them it is the rest.
    """
    place = place_in_head(one.path)
    if place is None or place.name != name:
        return None
    mine, *rotated = one.inputs if one.operation is concatenate else (one,)
    found = trace.get(f"{place.head}{other}_content") or trace.get(f"{place.head}{other}")
    if found is None or found is mine or found.shape != mine.shape:
        return None
    return change(one, found, *rotated) if rotated else found


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
        yield mistake("exchanged.stride"), change(value, mine, other)


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
    rotate: _rotation,
}
