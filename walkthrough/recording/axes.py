"""Axes of matrices, found by unification: axes that must be equal are one, and what one of them says all know."""

from __future__ import annotations


class Axis:
    """The rows or columns of a matrix: its symbol, such as d_model, and its size as far as anything says it."""

    __slots__ = ("_said_by", "_same", "_size", "symbol")

    def __init__(self, symbol: str, size: int | None = None) -> None:
        self.symbol = symbol
        self._size = size
        self._same: Axis | None = None
        self._said_by: object = None

    @property
    def size(self) -> int | None:
        """The size; None where nothing has said it (yet)."""
        return self._first()._size

    @property
    def said_by(self) -> object:
        """Who has said the size, where that was given."""
        return self._first()._said_by

    def settle(self, size: int | None, by: object = None) -> None:
        """Says the size, where nothing has said it before."""
        first = self._first()
        if first._size is None and size is not None:
            first._size, first._said_by = size, by

    def join(self, other: Axis) -> None:
        """Makes both one axis; where they have different sizes already, the size of this one holds."""
        if self is other:
            return
        first, second = self._first(), other._first()
        if first is not second:
            first.settle(second._size, second._said_by)
            second._same = first

    def named(self, symbol: str) -> Axis:
        """The same axis under another symbol, for messages."""
        other = Axis(symbol)
        self.join(other)
        return other

    def is_same(self, other: Axis) -> bool:
        """Whether both are one axis."""
        return self._first() is other._first()

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
