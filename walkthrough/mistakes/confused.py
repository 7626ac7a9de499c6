"""Mistakes that need to know what else there is: a step taken for another one, or done with what belongs elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count, takewhile

from walkthrough.mistakes.mistake import Instead, Variant, changed
from walkthrough.operations.matrix import linear, linear_out_in, matrix_product, product_transposed
from walkthrough.operations.root_mean_square import rms_norm
from walkthrough.operations.rotation import rotate
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_OF_HEAD = re.compile(r"(?P<heads>.*\.head\.)(?P<number>\d+)\.(?P<name>.+)")
_STRIDED = "heads that share keys and values are taken with a stride instead of as neighbours"


def variants(value: Value, trace: Trace) -> Iterator[Variant]:
    """The mistakes in a computed step that come of what else is in its trace."""
    if value.operation in (linear, linear_out_in):
        yield from _swapped(value, trace)
        yield from _went_on(value, trace)
    if value.operation in (matrix_product, product_transposed) and (place := _OF_HEAD.fullmatch(value.path)):
        yield from _turned_values(value, trace)
        yield from _strided(value, place, trace)


def _swapped(value: Value, trace: Trace) -> Iterator[Variant]:
    """Another product of the same input: queries for keys, a gate for the hidden layer, one head for another."""
    parent, _, name = value.path.rpartition(".")
    for other in trace:
        is_alike = other.operation is value.operation and other.shape == value.shape and other is not value
        if is_alike and other.inputs[0] is value.inputs[0]:
            beside, _, its_name = other.path.rpartition(".")
            both = f"{name} and {its_name} are swapped"
            yield both if beside == parent else f"these are the numbers of {other.path}", changed(other)


def _went_on(value: Value, trace: Trace) -> Iterator[Variant]:
    """Queries or keys that are normed or turned already, values that are turned too."""
    normed = trace.get(f"{value.path}_norm.output")
    if normed is not None and normed.composite is not None and normed.composite[0] is rms_norm:
        _, (_, *gamma), settings = normed.composite
        yield "it is normed already", Instead(rms_norm, (changed(value), *gamma), settings)
    rotated = _rotated_beside(value, trace)
    if rotated is not None:
        turned = Instead(rotate, (changed(value), rotated.inputs[1]), rotated.settings)
        is_turned_later = trace.get(f"{value.path}_rotated") is not None
        yield "it is turned already" if is_turned_later else "it is turned like queries and keys", turned


def _turned_values(value: Value, trace: Trace) -> Iterator[Variant]:
    """The head's output, with values that are turned too."""
    rotated = _rotated_beside(value, trace)
    if value.operation is matrix_product and rotated is not None:
        weights, values = value.inputs
        yield (
            "the values are turned like queries and keys",
            changed(value, weights, Instead(rotate, (values, rotated.inputs[1]), rotated.settings)),
        )


def _rotated_beside(value: Value, trace: Trace) -> Value | None:
    """A rotation in the same head."""
    place = _OF_HEAD.fullmatch(value.path)
    return trace.get(f"{place['heads']}{place['number']}.query_rotated") if place else None


def _strided(value: Value, place: re.Match[str], trace: Trace) -> Iterator[Variant]:
    """Scores or output of a head with the keys or values that it would have if every so many heads shared them."""
    mine, shared = value.inputs
    last = _OF_HEAD.fullmatch(shared.path)
    if last is None:
        return
    found = (trace.get(f"{place['heads']}{number}.{last['name']}") for number in count(1))
    of_heads = [one for one in takewhile(lambda one: one is not None, found) if one is not None]
    distinct = list(dict.fromkeys(of_heads))
    if not 1 < len(distinct) < len(of_heads):
        return
    other = distinct[(int(place["number"]) - 1) % len(distinct)]
    if other is not shared:
        yield _STRIDED, changed(value, mine, other)
