"""Mistakes between heads: cut out of the joined matrix or joined in another order, a softmax over heads, slopes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import count, takewhile

import numpy as np

from walkthrough.mistakes.mistake import Instead, Rearranged, Variant, changed
from walkthrough.operations.definition import Array
from walkthrough.operations.distance import distance_bias
from walkthrough.operations.matrix import concatenate, linear, linear_out_in, matrix_product, product_transposed
from walkthrough.operations.softmax import divide_rows, softmax
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_OF_HEAD = re.compile(r"(?P<heads>.*\.head\.)(?P<number>\d+)\.(?P<name>.+)")
Split = Callable[[Array, int], list[Array]]


def _in_blocks(joined: Array, heads: int) -> list[Array]:
    """The numbers as they follow each other, cut into as many blocks: a `view` without the transpose."""
    return list(joined.reshape(heads, joined.shape[0], -1))


def _in_turn(joined: Array, heads: int) -> list[Array]:
    """Every so many columns."""
    return [joined[:, head::heads] for head in range(heads)]


_SPLITS: tuple[tuple[str, Split], ...] = (
    ("heads are cut out of the joined matrix without moving their axis (view, but no transpose)", _in_blocks),
    ("heads take every so many columns instead of neighbouring ones", _in_turn),
)
_JOINS: tuple[tuple[str, Callable[..., Array]], ...] = (
    (
        "heads are joined without moving their axis back (reshape, but no transpose)",
        lambda *heads: np.stack(heads).reshape(len(heads[0]), -1),
    ),
    (
        "heads are joined feature by feature instead of one after the other",
        lambda *heads: np.stack(heads, axis=-1).reshape(len(heads[0]), -1),
    ),
    ("heads are joined in reverse order", lambda *heads: np.hstack(heads[::-1])),
)


def variants(value: Value, trace: Trace) -> Iterator[Variant]:
    """The mistakes in a computed step that come of the other heads."""
    if value.operation is concatenate:
        for words, join in _JOINS:
            yield words, Instead(Rearranged(join), value.inputs)
    if not (place := _OF_HEAD.fullmatch(value.path)) or len(_beside(value, trace)) < 2:
        return
    if value.operation in (linear, linear_out_in):
        for words, split in _SPLITS:
            yield words, _cut(value, trace, split, changed)
    if value.operation in (product_transposed, matrix_product):
        yield from _cut_otherwise(value, trace)
    if value.operation is divide_rows and value.composite is not None and value.composite[0] is softmax:
        yield from _over_heads(value, int(place["number"]), trace)
    if value.operation is distance_bias:
        yield from _slopes(value, int(place["number"]), trace)


def _beside(value: Value, trace: Trace) -> list[Value]:
    """The same step of all heads, those that share one once."""
    place = _OF_HEAD.fullmatch(value.path)
    if place is None:
        return [value]
    found = (trace.get(f"{place['heads']}{number}.{place['name']}") for number in count(1))
    return list(dict.fromkeys(one for one in takewhile(lambda one: one is not None, found) if one is not None))


def _cut(value: Value, trace: Trace, split: Split, part: Callable[[Value], Instead | Value]) -> Instead:
    """What a head has if the matrix of all heads is cut otherwise."""
    beside = _beside(value, trace)
    at = beside.index(value)
    return Instead(Rearranged(lambda *all: split(np.hstack(all), len(all))[at]), tuple(map(part, beside)))


def _cut_otherwise(value: Value, trace: Trace) -> Iterator[Variant]:
    """Scores of queries and keys, or an output of values, that are cut out of what they gave joined."""
    for words, split in _SPLITS:
        if value.operation is product_transposed:
            yield words, changed(value, *(_cut(one, trace, split, lambda part: part) for one in value.inputs))
        else:
            weights, values = value.inputs
            yield words, changed(value, weights, _cut(values, trace, split, lambda part: part))


def _over_heads(value: Value, number: int, trace: Trace) -> Iterator[Variant]:
    """Shares of the heads, not of the keys."""
    composites = [one.composite for one in _beside(value, trace)]
    scores = [composite[1][0] for composite in composites if composite is not None]
    if len(scores) < 2:
        return
    stacked = Instead(Rearranged(lambda *all: np.stack(all, axis=-1).reshape(-1, len(all))), tuple(scores))
    shares = Instead(softmax, (stacked,))
    shape = value.shape
    yield (
        "softmax over the heads instead of the rows",
        Instead(Rearranged(lambda shares: shares[:, number - 1].reshape(shape)), (shares,)),
    )


def _slopes(value: Value, number: int, trace: Trace) -> Iterator[Variant]:
    """The slope of another head."""
    beside: Sequence[Value] = _beside(value, trace)
    for at, other in enumerate(beside, 1):
        if at != number and other.operation is distance_bias:
            is_reverse = at == len(beside) + 1 - number
            words = "the slopes are in reverse order" if is_reverse else f"the slope is that of head {at}"
            yield words, changed(value, slope=other.settings["slope"])
