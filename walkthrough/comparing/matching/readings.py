"""The ways to read a tensor as the matrices of some steps, by its shape alone: heads as an axis, joined, transposed."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.checkpoints.paths import RETURNED
from walkthrough.comparing.matching.layouts.places import Place
from walkthrough.comparing.thresholds import NEARER
from walkthrough.operations.definition import Array
from walkthrough.operations.softmax import HIDES
from walkthrough.recording.values import Value

Shape = tuple[int, ...]


_NORM = re.compile(r"norm\w*\.output$")


Expert = tuple[Value, int]
"""What says which tokens it is sent: the weights of all experts, and its column there."""


class Reading(NamedTuple):
    """A tensor read as matrices of steps: each step with its numbers; in words, where there was something to decide.

    is_transposed: a matrix of theirs is ours transposed
    sent:          how many rows were given where these may not be all, the first here: of an expert that was sent only
                   its tokens, of all sequences of a batch, or the last of the logits; 0 of all else
    weight:        of an expert, what says which tokens it is sent
    rows:          which rows these are, as soon as that is known
    partly:        what of it is not compared
    is_guess:      nothing but its shape says that it may be what the model puts out
    """

    pieces: tuple[tuple[Value, Array], ...]
    words: str = ""
    is_transposed: bool = False
    sent: int = 0
    weight: Expert | None = None
    rows: tuple[int, ...] = ()
    partly: str = ""
    is_guess: bool = False


class _Form(NamedTuple):
    """A shape that a tensor may have, what it is called, and how the matrices of the heads are got out of it."""

    shape: Shape
    words: str
    axes: tuple[int, int, int] = (0, 1, 2)
    split: Shape = ()
    is_transposed: bool = False


def find_readings(array: Array, place: Place) -> list[Reading]:
    """Every way in which a tensor's shape lets it be read as what a place holds, the plainest first.

    Axes of one do not count: a batch of one, a single head, a vector.
    """
    found = _of_rows(array, place)
    return found if found and place.groups[0][0].weight is None else found + list(_of_sent_rows(array, place))


def _of_rows(array: Array, place: Place) -> list[Reading]:
    """The readings of all rows."""
    found = list(_of_fused(array, place.groups) if len(place.groups) > 1 else _of_group(array, place.groups[0]))
    return [one for one in found if not one.is_transposed or _may_be_transposed(one.pieces[0][0])] or found


def _of_sent_rows(array: Array, place: Place) -> Iterator[Reading]:
    """What an expert made of the tokens that it was sent, which its router's numbers say; the last row of logits."""
    first = place.groups[0][0]
    rows, sent = first.shape[0], array.shape[-2] if array.ndim > 1 else array.ndim
    is_last = 0 < sent < rows and sent == 1 and first.path.endswith(RETURNED)
    is_of_expert = sent > 0 and all(value.weight is not None for group in place.groups for value in group)
    if not is_last and not is_of_expert:
        return
    words = "the row of the last position" if is_last else "the rows of the tokens that it was sent"
    fill = np.full((*array.shape[:-2], max(rows - sent, 0), array.shape[-1]), np.nan)
    whole = np.concatenate([np.atleast_2d(array)[..., :rows, :], fill], axis=-2)
    partly = f"only {words} was given" if is_last else ""
    for one in _of_rows(whole, place):
        yield one._replace(words=words, sent=sent, weight=first.weight, partly=partly)


def largest_difference(reading: Reading) -> float:
    """By how much numbers are off at most; what is −∞ here may be any large negative number there."""
    return max((_difference(array, value.array) for value, array in reading.pieces), default=0.0)


def unlikeness(reading: Reading) -> tuple[bool, float]:
    """How far wrong numbers are from those of the steps: the less, the likelier they are meant as these.

    First whether they cannot have come out of a norm, although the step has: a norm gives every row its length,
    whatever went in. Otherwise an attention that is wrong is nearer to any small numbers than to its own.
    """
    norms = [(value, array) for value, array in reading.pieces if _NORM.search(value.path)]
    is_off = not all(_has_its_lengths(array, value.array) for value, array in norms)
    return is_off, largest_difference(reading)


def _has_its_lengths(array: Array, ours: Array) -> bool:
    lengths, right = np.linalg.norm(array, axis=1), np.linalg.norm(ours, axis=1)
    return bool((NEARER * np.abs(lengths - right) <= right).all())


def _difference(array: Array, ours: Array) -> float:
    hidden = np.isneginf(ours)
    if (array[hidden] > HIDES).any() or not np.isfinite(array[~hidden]).all():
        return math.inf
    both = ~hidden & np.isfinite(ours)
    return float(np.abs(array[both] - ours[both]).max(initial=0.0))


def shapes_that_fit(place: Place) -> list[Shape]:
    """The shapes that would fit, the plainest first."""
    groups = place.groups
    if len(groups) > 1:
        rows, columns = groups[0][0].shape
        return [_joined_shape(rows, columns, groups)]
    if len(groups[0]) == 1:
        return [groups[0][0].shape]
    return list(dict.fromkeys(form.shape for form in _forms(groups[0]) if not form.is_transposed))


def is_same_shape(one: Sequence[int], other: Sequence[int]) -> bool:
    """Whether two shapes are one but for axes of one."""
    return [size for size in one if size != 1] == [size for size in other if size != 1]


def _may_be_transposed(value: Value) -> bool:
    """Whether people keep it either way round: weights, as in×out or out×in."""
    return value.operation is None and value.kind.trained


def _of_group(array: Array, group: Sequence[Value]) -> Iterator[Reading]:
    """A step, or the same step of all heads."""
    distinct = tuple(dict.fromkeys(group))
    yield from _of_heads(array, group)
    if 1 < len(distinct) < len(group):
        words = f"the {len(distinct)} heads of keys and values only"
        for one in _of_heads(array, distinct):
            yield one._replace(words=f"{one.words}; {words}" if one.words else words)
    elif len(distinct) == 1 and len(group) > 1:
        yield from _of_heads(array, distinct)


def _of_heads(array: Array, group: Sequence[Value]) -> Iterator[Reading]:
    seen: set[tuple[Shape, tuple[int, int, int]]] = set()
    for form in _forms(group):
        split = form.split or form.shape
        if not is_same_shape(array.shape, form.shape) or (split, form.axes) in seen:
            continue
        seen.add((split, form.axes))
        stacked = array.reshape(split).transpose(form.axes).reshape(len(group), *group[0].shape)
        yield Reading(tuple(zip(group, stacked, strict=True)), form.words, form.is_transposed)


_BY_TOKEN = ".gated"
"""A gate lets through what all heads have found of a token, then what they have found of the next."""


def _forms(group: Sequence[Value]) -> Iterator[_Form]:
    """The shapes that the matrices of some heads may have together; of one step, its own or transposed."""
    heads, (rows, columns) = len(group), group[0].shape
    if heads == 1:
        yield _Form((rows, columns), "", split=(1, rows, columns))
        yield from _unflatten_heads(rows, columns)
        if 1 not in (rows, columns):
            yield _Form((columns, rows), "transposed", (0, 2, 1), (1, columns, rows), is_transposed=True)
        return
    yield _Form((heads, rows, columns), "heads as the first axis")
    yield _Form((rows, heads, columns), "heads as the second axis", (1, 0, 2))
    yield _Form((rows, columns, heads), "heads as the last axis", (2, 0, 1))
    yield _Form((rows, heads * columns), "all heads side by side", (1, 0, 2), (rows, heads, columns))
    if not group[0].path.endswith(_BY_TOKEN):
        yield _Form((heads * rows, columns), "all heads one below the other", split=(heads, rows, columns))
    yield _Form((heads * rows, columns), "all heads of a token, then of the next", (1, 0, 2), (rows, heads, columns))
    joined, swapped = "all heads joined, transposed", (0, 2, 1)
    yield _Form((heads * columns, rows), joined, swapped, (heads, columns, rows), is_transposed=True)
    yield _Form((heads, columns, rows), "heads as the first axis, each transposed", swapped, is_transposed=True)
    yield _Form((columns, heads * rows), joined, (1, 2, 0), (columns, heads, rows), is_transposed=True)


def _unflatten_heads(rows: int, columns: int) -> Iterator[_Form]:
    """Heads that are an axis in what we hold joined: rows×heads×each, heads×rows×each, or heads×each×columns."""
    for each in range(2, columns // 2 + 1):
        if columns % each == 0:
            heads = columns // each
            yield _Form((rows, heads, each), "heads as the second axis, joined", split=(1, rows, columns))
            split = (heads, rows, each)
            yield _Form((heads, rows, each), "heads as the first axis, joined", (1, 0, 2), split)
            words = "heads as the first axis, joined, transposed"  # W_O of TransformerLens beside one kept out×in
            yield _Form((heads, each, rows), words, (0, 2, 1), (1, columns, rows), is_transposed=True)
    for each in range(2, rows // 2 + 1):
        if rows % each == 0:
            yield _Form((rows // each, each, columns), "heads as the first axis, joined", split=(1, rows, columns))


def _joined_shape(rows: int, columns: int, groups: Sequence[Sequence[Value]]) -> Shape:
    """The shape of several groups side by side."""
    return rows, sum(len(dict.fromkeys(group)) * group[0].shape[1] for group in groups)


Parts = Sequence[tuple[Value, ...]]
"""Queries, keys and values: of each the distinct heads."""


def _of_fused(array: Array, groups: Sequence[Sequence[Value]]) -> Iterator[Reading]:
    """Queries, keys and values in one tensor, in every form that its shape allows."""
    parts = [tuple(dict.fromkeys(group)) for group in groups]
    if array.size == sum(map(_size, parts)):
        squeezed = array.reshape([axis for axis in array.shape if axis != 1])
        for form in _FUSED_FORMS:
            yield from form(squeezed, parts)


def _size(part: Sequence[Value]) -> int:
    return len(part) * math.prod(part[0].shape)


def _cut_along_an_axis(array: Array, parts: Parts) -> Iterator[Reading]:
    """The queries, then the keys, then the values, along any axis; each part is read in the same way."""
    for axis, length in enumerate(array.shape):
        rest = array.size // length
        if any(_size(part) % rest for part in parts):
            continue
        ends = np.cumsum([_size(part) // rest for part in parts])[:-1]
        cuts = np.split(array, ends, axis)
        each = [list(_of_heads(cut, part)) for cut, part in zip(cuts, parts, strict=True)]
        for alike in zip(*each, strict=False):
            is_transposed = alike[0].is_transposed
            what = "queries, keys and values" if len(parts) == 3 else "both"
            words = f"{what} in one tensor" + (", transposed" if is_transposed else "")
            yield Reading(tuple(piece for one in alike for piece in one.pieces), words, is_transposed)


def _head_by_head(array: Array, parts: Parts) -> Iterator[Reading]:
    """What belongs to the first head of keys, then to the second: as GPT-NeoX, Bloom, Falcon and DeepSeek keep it."""
    groups = min(map(len, parts))
    if groups == 1 or any(len(part) % groups for part in parts):
        return
    for oriented, is_below, words in (
        (array, False, ""),
        (array.T, True, ", one below the other"),
        (array.T, False, ", transposed"),
    ):
        shapes = [part[0].shape[::-1] if is_below else part[0].shape for part in parts]
        rows, widths = shapes[0][0], [len(part) // groups * own[1] for part, own in zip(parts, shapes, strict=True)]
        if any(own[0] != rows for own in shapes) or not is_same_shape(oriented.shape, (rows, groups * sum(widths))):
            continue
        cuts = np.split(oriented.reshape(rows, groups, -1), np.cumsum(widths)[:-1], axis=2)
        pieces = tuple(
            (value, own.T if is_below else own)
            for part, cut in zip(parts, cuts, strict=True)
            for value, own in zip(part, cut.reshape(rows, len(part), -1).transpose(1, 0, 2), strict=True)
        )
        what = "query, key and value of each head" if len(parts) == 3 else "both of each head"
        yield Reading(pieces, f"{what} side by side{words}", oriented is not array and not is_below)


def _joined_by_head(array: Array, parts: Parts) -> Iterator[Reading]:
    """As Qwen3-Next keeps them, of matrices that hold all heads: what belongs to the first head of keys, and so on."""
    for axis in (1, 0):  # the heads are beside or, as in weights out×in, below each other
        widths, others = zip(*((part[0].shape[axis], part[0].shape[1 - axis]) for part in parts), strict=True)
        if any(len(part) > 1 for part in parts) or len(set(others)) > 1:
            continue
        for oriented in (array, array.T):
            beside = oriented if axis == 1 else oriented.T
            if not is_same_shape(beside.shape, (others[0], sum(widths))):
                continue
            for groups in (one for one in range(2, min(widths) + 1) if not any(width % one for width in widths)):
                ends = np.cumsum([width // groups for width in widths])[:-1]
                cuts = (cut.reshape(others[0], -1) for cut in np.split(beside.reshape(others[0], groups, -1), ends, 2))
                pieces = ((part[0], cut if axis == 1 else cut.T) for part, cut in zip(parts, cuts, strict=True))
                words = f"what belongs to each of {groups} heads side by side"
                yield Reading(tuple(pieces), words, oriented is not array)


def _alternating(array: Array, parts: Parts) -> Iterator[Reading]:
    """As gpt-oss keeps gate and hidden layer: a column of the one, then a column of the other."""
    if len(parts) != 2 or len(set(map(_size, parts))) > 1 or array.shape[-1] % 2:
        return
    each = [list(_of_heads(array[..., at::2], part)) for at, part in enumerate(parts)]
    for alike in zip(*each, strict=False):
        pieces = tuple(piece for one in alike for piece in one.pieces)
        yield Reading(pieces, "both in one tensor, in alternate columns", alike[0].is_transposed)


_FUSED_FORMS: tuple[Callable[[Array, Parts], Iterator[Reading]], ...] = (
    _cut_along_an_axis,
    _head_by_head,
    _joined_by_head,
    _alternating,
)
