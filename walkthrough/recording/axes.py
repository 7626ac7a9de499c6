"""Axes of matrices, found by unification: axes that must be equal are one, and what one of them says all know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from walkthrough.operations.definition import ANY, Operation
from walkthrough.recording.labels import Labels


class Axis:
    """The rows or columns of a matrix: its symbol, such as d_model, and its size as far as anything says it.

    Who says a size is kept. Where several disagree the first is believed at once, and in the end (`decide`) most;
    a size that is a fact, such as the number of tokens, is not voted on.

    labels: of its rows or columns, where they are known before it is recorded; None: those that follow, or 1, 2, …
    """

    __slots__ = ("_decided", "_is_fact", "_same", "_sides", "_size", "labels", "symbol")

    def __init__(self, symbol: str, size: int | None = None, labels: Labels | None = None) -> None:
        self.symbol = symbol
        self.labels = labels
        self._size = size
        self._is_fact = size is not None
        self._same: Axis | None = None
        self._sides: list[tuple[int, object]] = []
        self._decided = 0

    @property
    def size(self) -> int | None:
        """The size; None while nothing has stated it."""
        return self._first()._size

    @property
    def sides(self) -> list[tuple[int, object]]:
        """Each size that has been stated, and by what."""
        return self._first()._sides

    @property
    def is_fact(self) -> bool:
        """Whether the size follows from something counted: the number of tokens, or of words in a vocabulary."""
        return self._first()._is_fact

    def settle(self, size: int | None, by: object = None) -> None:
        """States the size; it is believed where nothing has stated it before."""
        first = self._first()
        if size is None:
            return
        if first._size is None:
            first._size = size
        if by is not None:
            first._sides.append((size, by))

    def join(self, other: Axis) -> None:
        """Makes both one axis; where they have different sizes already, the size of this one is believed."""
        if self is other:
            return
        first, second = self._first(), other._first()
        if first is not second:
            second._same = first
            first._sides += second._sides
            if first._size is None or (second._is_fact and not first._is_fact):
                first._size, first._is_fact = second._size, second._is_fact

    def with_symbol(self, symbol: str, labels: Labels | None = None) -> Axis:
        """The same axis under another symbol, for messages, and on request with other labels."""
        other = Axis(symbol, labels=labels or self.labels)
        self.join(other)
        return other

    def is_same(self, other: Axis) -> bool:
        """Whether both are one axis."""
        return self._first() is other._first()

    def as_one(self) -> Axis:
        """The axis of a recorded value."""
        return self

    def decide(self, needed: int | None = None) -> None:
        """Takes the size that is needed, if it is stated at all; else the one stated most, of several the first."""
        first = self._first()
        if first._is_fact or first._decided == len(first._sides):  # d_model has a side in every matrix of a model
            return
        first._decided = len(first._sides)
        counts = Counter(size for size, _ in dict.fromkeys(first._sides))
        first._size = needed if needed in counts else counts.most_common(1)[0][0]

    def __str__(self) -> str:
        return str(self.size or self.symbol)

    def _first(self) -> Axis:
        """The axis that speaks for all that are the same; the way there is made shorter for the next time."""
        axis = self
        while axis._same is not None:
            if axis._same._same is not None:
                axis._same = axis._same._same
            axis = axis._same
        return axis


class Multiple(Axis):
    """Several of an axis side by side, as in the joined weights of several heads: each says the size of the other.

    things: what there are so many of: heads
    at:     which of them is taken, from 0, as a head takes its own; None: all
    """

    __slots__ = ("at", "axis", "count", "things", "uneven")

    def __init__(self, axis: Axis, count: int, things: str, at: int | None = None) -> None:
        joined = axis.symbol if count == 1 else f"({things}·{axis.symbol})"
        super().__init__(things if axis.symbol == "1" else joined)
        self.axis = axis
        self.count = count
        self.things = things
        self.at = at
        self.uneven: int | None = None

    @property
    def size(self) -> int | None:
        """The size of all together."""
        return None if self.axis.size is None else self.axis.size * self.count

    @property
    def sides(self) -> list[tuple[int, object]]:
        """Each size of all together that has been stated, and by what."""
        return [(size * self.count, by) for size, by in self.axis.sides]

    def settle(self, size: int | None, by: object = None) -> None:
        """Says the size of all together; one that cannot be shared evenly says nothing of the axis."""
        if size is not None and size % self.count:
            self.uneven = size
        elif size is not None:
            self.axis.settle(size // self.count, by)

    def is_same(self, other: Axis) -> bool:
        """Whether both are as many of one axis."""
        return isinstance(other, Multiple) and self.count == other.count and self.axis.is_same(other.axis)

    def decide(self, needed: int | None = None) -> None:
        """Takes the size of all together that is needed, if it is stated; else the one stated most often."""
        self.axis.decide(None if needed is None else needed // self.count)

    def as_one(self) -> Axis:
        """The one that is taken; all together as one axis of the size that is known by now."""
        return Axis(self.symbol, self.size) if self.at is None else self.axis

    def places(self, size: int) -> slice:
        """The places of the one that is taken, of so many of all together."""
        own, at = size // self.count, self.at or 0
        return slice(at * own, (at + 1) * own)


Axes = tuple[Axis, Axis]
"""Of the rows and columns of a matrix."""
_At = tuple[int, int]


class _Rule(NamedTuple):
    """What an operation declares of the axes of its inputs; each is (number of the input, 0 or 1).

    equal: pairs that are one axis; fixed: axes of a fixed size, and that; first: where each name occurs first
    """

    equal: list[tuple[_At, _At]]
    fixed: list[tuple[_At, int]]
    first: dict[str, _At]


@cache
def _rule(axes: tuple[tuple[str, str], ...]) -> _Rule:
    rule = _Rule([], [], {})
    for number, names in enumerate(axes):
        for side, name in enumerate(names):
            at = number, side
            if name.isdigit():
                rule.fixed.append((at, int(name)))
            elif name in rule.first:
                rule.equal.append((rule.first[name], at))
            if name != ANY:
                rule.first.setdefault(name, at)
    return rule


def unify(operation: Operation, axes: Sequence[Axes], settings: Mapping[str, Any]) -> Axes:
    """The axes of what an operation makes of matrices, after those of theirs that bear one name have become one."""
    shapes = [(rows.size or 0, columns.size or 0) for rows, columns in axes]
    rule = _rule(tuple(operation.input_axes(shapes)))
    for (number, side), size in rule.fixed:
        if axes[number][side].size != size:
            Axis(str(size), size).join(axes[number][side])
    for (number, side), (other, its) in rule.equal:
        axes[number][side].join(axes[other][its])
    named = {name: axes[number][side] for name, (number, side) in rule.first.items()}
    if operation.sizes is not None:  # of axes that no input has
        shapes = [(rows.size or 0, columns.size or 0) for rows, columns in axes]  # some are known by now
        is_known = all(map(all, shapes))
        sizes = operation.sizes(shapes, **settings)
        named |= {name: Axis(name, size if is_known and size else None) for name, size in sizes.items()}
    rows, columns = (named[name] if name in named else Axis(name, int(name)) for name in operation.axes[1])
    return rows, columns
