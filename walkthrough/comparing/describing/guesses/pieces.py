"""Queries, keys and values in what linear modules return: one each, or side by side in one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from walkthrough.operations.definition import Array
from walkthrough.records import Record

Columns = tuple[range, ...]


class Piece(Record, eq=False):
    """Some columns of what a linear module returns: their numbers, and which they are, from 0; None: all.

    at: the number of the module among those that are asked about
    """

    at: int
    numbers: Array
    columns: Columns | None = None


def cut(at: int, numbers: Array, *parts: range) -> Piece:
    """Those columns of a module's numbers, one part after the other."""
    return Piece(at, numbers[:, [column for part in parts for column in part]], parts)


def queries_keys_values(outputs: Sequence[Array], width: int) -> Iterator[tuple[Piece, ...]]:
    """The ways to find queries, keys and values in what up to three modules return, the likeliest first.

    width: of what the heads find, which is that of the queries too
    """
    if len(outputs) == 3:
        yield from permutations(Piece(at, one) for at, one in enumerate(outputs))
    elif len(outputs) == 2:
        for at, other in ((0, 1), (1, 0)):
            for keys, values in permutations(_shares(other, outputs[other], [outputs[other].shape[1] // 2] * 2)):
                yield Piece(at, outputs[at]), keys, values
            for keys, values in _by_head(other, outputs[other], 2):
                yield Piece(at, outputs[at]), keys, values
    elif len(outputs) == 1 and outputs[0].shape[1] > width:
        shared, rest = divmod(outputs[0].shape[1] - width, 2)
        if not rest:
            yield from _fused(outputs[0], width, shared)


def _fused(numbers: Array, width: int, shared: int) -> Iterator[tuple[Piece, ...]]:
    """One module with all three: queries, keys, values; head by head; or in another order."""
    for order in permutations(range(3)):
        widths = [shared, shared, shared]
        widths[order.index(0)] = width
        found = _shares(0, numbers, widths)
        yield tuple(found[order.index(one)] for one in range(3))
        if order == (0, 1, 2) and width == shared:
            yield from _by_head(0, numbers, 3)


def _shares(at: int, numbers: Array, widths: Sequence[int]) -> list[Piece]:
    """Parts of these widths side by side."""
    starts = [sum(widths[:number]) for number in range(len(widths))]
    return [cut(at, numbers, range(start, start + one)) for start, one in zip(starts, widths, strict=True)]


def _by_head(at: int, numbers: Array, count: int) -> Iterator[tuple[Piece, ...]]:
    """So many parts of each head, head after head, for each number of heads; one head is side by side."""
    whole = numbers.shape[1]
    for heads in range(2, whole // count + 1):
        if whole % (heads * count) == 0:
            width = whole // (heads * count)
            starts = range(0, whole, width)
            parts = [[range(start, start + width) for start in starts[part::count]] for part in range(count)]
            yield tuple(cut(at, numbers, *ranges) for ranges in parts)
