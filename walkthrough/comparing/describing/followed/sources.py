"""Where the numbers come from that a module reads: known, added up, or made inside an attention or a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from walkthrough.comparing.describing.followed.calls import Seen
from walkthrough.comparing.describing.followed.known import (
    Given,
    Known,
    Memory,
    Normed,
    Sum,
    Unexplained,
    as_rows,
    product_of,
)
from walkthrough.comparing.describing.followed.parts import Attended, Guessed, Inside
from walkthrough.comparing.describing.followed.state import State
from walkthrough.comparing.describing.followed.sums import find_embedded, find_sum
from walkthrough.comparing.describing.guesses.closeness import Target
from walkthrough.comparing.describing.guesses.linears import Lookup


class Sources:
    """What is known, and what of it nothing has read yet.

    memory:  all that is known
    pending: what linear modules returned and nothing has read, in order
    """

    def __init__(self, state: State, inside: Inside, given: Sequence[Seen]) -> None:
        self.memory = Memory()
        self.pending: list[Known] = []
        self._state = state
        self._inside = inside
        self._given = given
        self._tokens: dict[int, Known] = {}
        self._used: list[Known] = []
        for at, one in enumerate(given):
            if one.array.dtype.kind == "f":
                self._tokens[at] = self.memory.add(as_rows(one.array), Given(one), one)

    def look_up(self, lookup: Lookup, asked: Seen, returned: Seen) -> None:
        """Takes down rows of a table; the first that are looked up for the ids of a sentence are its tokens.

        asked: the tensor that says which rows; one that the whole module was given leaves no doubt
        """
        same = [at for at, one in enumerate(self._given) if _is_view(asked.tensor, one.tensor)]
        lookup = lookup.replace(is_asked=bool(same))
        known = self.memory.add(as_rows(returned.array), lookup, returned)
        for at, one in enumerate(self._given):
            is_free = at not in self._tokens or (at in same and not self._tokens[at].made.is_asked)
            if is_free and lookup.ids == tuple(one.array.ravel().tolist()):
                self._tokens[at] = known
                break

    def plain(self, seen: Seen) -> Known | None:
        """What is read, where it is known or a sum of what is known."""
        return self._use(self.memory.find(seen) or self.sum(seen))

    def _use(self, known: Known | None) -> Known | None:
        """Embeddings that something has read as they are have nothing added to them."""
        self._used += [known] if known is not None else []
        return known

    def read(self, seen: Seen, name: str) -> Known:
        """What is read: known, or a sum; else it is asked about."""
        return self.plain(seen) or self.added(seen) or self.unexplained(seen, name)

    def unexplained(self, seen: Seen, name: str) -> Known:
        return self.memory.add(
            as_rows(seen.array), Unexplained(f"What {name or 'the module'} reads was not found"), seen
        )

    def sum(self, seen: Seen) -> Known | None:
        """What is read as a sum of what is known, the embeddings first."""
        rows = as_rows(seen.array)
        if rows is None:
            return None
        target, known = Target(rows), self.memory.all
        for tokens in self._tokens.values():
            if tokens in self._used:
                continue
            made = find_embedded(target, known, self._state.starts(len(rows), rows.shape[1]), tokens)
            if made is not None:
                self._used.append(tokens)
                return self.memory.add(rows, made, seen)
        terms = find_sum(target, known)
        return self.memory.add(rows, Sum(terms), seen) if terms else None

    def returned(self, seen: Seen) -> None:
        """What the module returns may be what heads found, which no matrix joins, or a sum with that."""
        rows = as_rows(seen.array)
        if rows is not None and self.pending and self.memory.find(seen) is None:
            made = self._inside.find(Target(rows), self.pending)
            if isinstance(made, Attended):
                self.pending.clear()
                self.memory.add(rows, made, seen)
            else:
                self.added(seen)

    def added(self, seen: Seen) -> Known | None:
        """What heads found, which no matrix joins, added to what they read, or to that before its norm."""
        rows = as_rows(seen.array)
        if rows is None or len(self.pending) < 3:
            return None
        source = product_of(self.pending[-1]).made.source
        for base in (*([source.made.source] if isinstance(source.made, Normed) else []), source):
            if base.numbers.shape == rows.shape:
                rest = (rows - base.numbers).astype(rows.dtype)
                made = self._inside.find(Target(rest, base.numbers), self.pending)
                if isinstance(made, Attended):
                    self.pending.clear()
                    return self.memory.add(rows, Sum((base, self.memory.add(rest, made))), seen)
        return None

    def inner(self, seen: Seen) -> Known | None:
        """What is read as what is inside an attention or a feed-forward network."""
        rows = as_rows(seen.array)
        made = self._inside.find(Target(rows), self.pending)
        if made is not None:
            self.pending.clear()
        return None if made is None else self.memory.add(rows, made, seen)

    def guessed(self, seen: Seen) -> Known:
        """What is read, as made of all that nothing has read yet."""
        made = Guessed(tuple(self.pending))
        self.pending.clear()
        return self.memory.add(as_rows(seen.array), made, seen)


def _is_view(one: Any, other: Any) -> bool:
    """Whether two tensors are one, of whatever shape."""
    return bool(one.data_ptr() == other.data_ptr() and one.numel() == other.numel())
