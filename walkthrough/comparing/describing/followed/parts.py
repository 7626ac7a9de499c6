"""Attentions and feed-forward networks: what lies between some linear modules and one that reads what they gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from walkthrough.comparing.describing.followed.known import Known
from walkthrough.comparing.describing.guesses.attention import Attending, Found, find_attention
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.feed_forward import Activated, find_activation
from walkthrough.comparing.describing.guesses.pieces import Piece, cut, queries_keys_values
from walkthrough.comparing.describing.guesses.stated import Stated
from walkthrough.records import Record

_MOST = 3


class Attended(Record, eq=False):
    """What the heads of an attention found, side by side: of which modules, and how.

    pieces: queries, keys and values; of modules for one head each, those of the first head, then of the second, …
    """

    products: tuple[Known, ...]
    pieces: tuple[Piece, ...]
    found: Found


class Opened(Record, eq=False):
    """The hidden layer of a feed-forward network as its second matrix reads it."""

    products: tuple[Known, ...]
    activated: Activated


class Guessed(Record, eq=False):
    """What no guess gives, of modules that it was probably made of."""

    products: tuple[Known, ...]


class Inside:
    """Finds what is between linear modules; what was found before is tried first, what was not, not again."""

    def __init__(self, stated: Stated) -> None:
        self._stated = stated
        self._likely: list[Attending] = []
        self._hopeless: set[Any] = set()

    def find(self, target: Target, pending: Sequence[Known]) -> Attended | Opened | None:
        """What the numbers are of what the last of the modules returned that nothing has read yet."""
        groups = [tuple(pending[-count:]) for count in range(1, min(_MOST, len(pending)) + 1)]
        for group in groups[:2]:
            is_one = len({id(one.made.source) for one in group}) == 1
            if is_one and (activated := find_activation([one.numbers for one in group], target)):
                return Opened(group, activated)
        for group in reversed(groups):
            if found := self._attention(group, target):
                return found
        return self._heads(tuple(pending), target)

    def _heads(self, group: tuple[Known, ...], target: Target) -> Attended | None:
        """Heads of three modules each, which come one after the other."""
        count, rest = divmod(len(group), 3)
        if count < 2 or rest or target.array.shape[1] % count:
            return None
        width = target.array.shape[1] // count
        seen = [target.part(range(at * width, (at + 1) * width)) for at in range(count)]
        for order in permutations(range(3)):
            places = [[3 * at + one for one in order] for at in range(count)]
            found = [self._one_head([group[at] for at in head], one) for head, one in zip(places, seen, strict=True)]
            if found[0] is not None and all(one is not None and one.what == found[0].what for one in found):
                pieces = tuple(Piece(at, group[at].numbers) for head in places for at in head)
                return Attended(group, pieces, found[0])
        return None

    def _one_head(self, group: Sequence[Known], target: Target) -> Found | None:
        q, k, v = (one.numbers for one in group)
        is_one = len(q) == len(target.array) and len(k) == len(v)
        return find_attention(q, k, v, target, (), self._stated.replace(heads=(1,))) if is_one else None

    def find_joint(self, target: Target, products: Sequence[Known]) -> Attended | None:
        """The attention whose queries, keys and values stand in one matrix; they may have been made of two inputs."""
        width = target.array.shape[1]
        q, k, v = (range(at * width, (at + 1) * width) for at in range(3))
        last = len(products) - 1
        pieces = (cut(0, products[0].numbers, q), *(cut(last, products[last].numbers, one) for one in (k, v)))
        for found in self._tried([pieces], target, is_known=False):
            self._likely.insert(0, found[1].what)
            return Attended(tuple(products), *found)
        return None

    def _attention(self, group: tuple[Known, ...], target: Target) -> Attended | None:
        shapes = (target.array.shape, *(one.numbers.shape for one in group))
        ways = list(queries_keys_values([one.numbers for one in group], target.array.shape[1]))
        for found in self._tried(ways, target, is_known=shapes in self._hopeless and not target.is_rest):
            self._likely.insert(0, found[1].what)
            return Attended(group, *found)
        if not target.is_rest:
            self._hopeless.add(shapes)
        return None

    def _tried(
        self, ways: Sequence[tuple[Piece, ...]], target: Target, is_known: bool
    ) -> Iterator[tuple[tuple[Piece, ...], Found]]:
        for way in ways:
            q, k, v = (piece.numbers for piece in way)
            if len(q) == len(target.array) and len(k) == len(v):
                found = find_attention(q, k, v, target, self._likely, self._stated, only_likely=is_known)
                if found is not None:
                    yield way, found
