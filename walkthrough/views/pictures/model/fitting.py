"""How large the boxes of a model can be drawn so that all of them fit: the largest digits, else cells without digits.

A browser lays out the boxes; here its lines are reckoned as it makes them. Lengths are in pixels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.pictures.heat import MOST_CELLS
from walkthrough.views.pictures.model.boxes import Around, Box, Fork, Frame, Item, Matrices, Over, Rows, Words

Extent = tuple[float, float]
WINDOW: Extent = (1380, 670)
"""What a window of 1440×900 leaves for the boxes."""
_LETTER = 0.6
_MOST_WITH_DIGITS, _SURE = 12, 16
"""Rows or columns of a matrix with digits at most; with so many numbers or fewer, it has them on every screen."""
_LEAST = 1.4
"""The side of the smallest matrix, in em."""


class Scale(Record):
    """How large boxes are drawn, in pixels.

    size:    of the digits; most: numbers of a matrix whose digits are drawn
    small:   the side of a cell that has no digits
    compact: with as little as can be around the matrices
    """

    size: int
    most: int
    small: float
    compact: bool = False

    @property
    def row(self) -> float:
        """The height of a row with digits, in em."""
        return 1.1 if self.compact else 1.4

    @property
    def label(self) -> int:
        """The height of a line of text."""
        return 12 if self.compact else 15

    @property
    def gap(self) -> int:
        """What is between boxes."""
        return 2 if self.compact else 8

    @property
    def arrow(self) -> int:
        """What is before a box."""
        return 13 if self.compact else 18

    @property
    def padding(self) -> int:
        """What is around the inside of a box, on each side."""
        return 3 if self.compact else 7


SCALES = (
    *(Scale(size, 400, 0.6 * size) for size in (20, 17, 15, 13, 12, 11, 10)),
    *(Scale(10, most, small) for most in (24, 16) for small in (16, 12, 9)),
    *(Scale(10, 16, small, compact=True) for small in (9, 6, 4, 3)),
    *(Scale(10, most, small) for most in (12, 8) for small in (16, 12, 9)),
    *(Scale(10, 0, small) for small in (14, 12, 10, 8, 6, 5)),
    *(Scale(10, 0, small, compact=True) for small in (8, 7, 6, 5, 4, 3.5, 3, 2.5, 2)),
)
"""From the largest to the smallest."""

_SCROLLED = Scale(10, 24, 9, compact=True)


class Fitting(Record):
    """A scale for some values; longest: text of each; room: for all boxes."""

    scale: Scale
    longest: Callable[[Value], int]
    room: Extent = WINDOW

    def has_digits(self, value: Value) -> bool:
        """Whether the digits of a matrix are drawn."""
        return value.array.size <= self.scale.most and max(value.shape) <= _MOST_WITH_DIGITS

    def cell(self, value: Value) -> tuple[float, float]:
        """Width and height of a cell, in em."""
        if self.has_digits(value):
            return round(self.longest(value) * _LETTER + 0.6, 1), self.scale.row
        rows, columns = (min(side, MOST_CELLS) for side in value.shape)
        side = round(max(self.scale.small / self.scale.size, _LEAST / max(rows, columns)), 2)
        return side, side

    def extent(self, value: Value) -> tuple[float, float]:
        """Width and height of a matrix with its label, in pixels."""
        wide, high = self.cell(value)
        rows, columns = (min(side, MOST_CELLS) for side in value.shape)
        label = len(value.kind.symbol) * _SMALL_LETTER
        return max(columns * wide * self.scale.size, label), rows * high * self.scale.size + self.scale.label

    def has_room_for_title(self, value: Value, title: str) -> bool:
        """Whether the title of a matrix fits below it, beside the symbol."""
        symbol = value.kind.symbol
        return symbol not in title.split() and (len(title) + len(symbol) + 1) * _SMALL_LETTER <= self.extent(value)[0]

    def height(self, items: Sequence[Item], first: Extent, last: Extent) -> float:
        """The height of all boxes between words and an outcome."""
        wide = self.room[0]
        return _flow([first, *self._extents(items, wide), last], wide, self.scale.gap)[1]

    def _extents(self, items: Sequence[Item], room: float) -> list[Extent]:
        return [self._extent_of(item, room) for item in items if not isinstance(item, Words)]

    def _extent_of(self, item: Item, room: float) -> Extent:
        scale = self.scale
        match item:
            case Box() | Frame():
                return self._framed(item, room)
            case Matrices():
                return _flow(list(map(self.extent, item.values)), room, scale.gap)
            case Rows():
                return _stack([self._lane(row, room) for row in item.rows], scale.gap)
            case Fork():
                wide, high = _stack([self._lane(lane.items, room - 2 * STUB) for lane in item.lanes], scale.gap)
                return wide + 2 * STUB, high + scale.gap
            case Over():
                above = self._row(item.above, room)
                return _stack([above, self._extent_of(item.below, room)], scale.arrow)
            case Around():
                wide, high = self._row(item.items, room - scale.arrow)
                return wide + scale.arrow, high + BELOW
            case _:
                return 0, 0

    def _lane(self, items: Sequence[Item], room: float) -> Extent:
        """Matrices in a lane are not parted: where they are too wide, they do not fit."""
        if any(isinstance(item, Box | Frame) for item in items):
            return self._row(items, room)
        wide, high = _flow(self._extents(items, room), math.inf, self.scale.gap)
        return wide, high if wide <= room else math.inf

    def _row(self, items: Sequence[Item], room: float) -> Extent:
        wide, high = _flow(self._extents(items, room), room, self.scale.gap)
        return min(wide, room), high

    def _framed(self, item: Box | Frame, room: float) -> Extent:
        scale = self.scale
        around = 2 * scale.padding + scale.arrow
        wide, high = self._row(item.inside if isinstance(item, Box) else item.items, room - around)
        title = len(item.title) * _SMALL_LETTER
        tags = 2 * scale.gap + scale.label if item.tags else 0
        return min(max(wide, title) + around, room), high + 2 * scale.padding + (
            scale.label if item.title else 0
        ) + tags


STUB, BELOW = 8.0, 12.0
"""How long the lines at the ends of a lane are, and what a line around boxes takes below them."""
_SMALL_LETTER = 6.5


def fit_scale(
    arrangements: Sequence[Sequence[Item]],
    longest: Callable[[Value], int],
    first: Extent = (0, 0),
    last: Extent = (0, 0),
) -> tuple[Sequence[Item], Fitting]:
    """The first arrangement that fits beside what comes first and last, at the largest scale with digits for that.

    Where none fits, the first one is scrolled.
    """
    for items in arrangements:
        for scale in SCALES:
            fitting = Fitting(scale, longest)
            if scale.most >= _SURE and fitting.height(items, first, last) <= WINDOW[1]:
                return items, fitting
    return arrangements[0], Fitting(_SCROLLED, longest)


def _flow(sizes: Sequence[Extent], room: float, gap: float) -> Extent:
    """Boxes in lines that are not wider than the room: their width if all were in one line, their height."""
    height, across, tall = 0.0, 0.0, 0.0
    for wide, high in sizes:
        if across and across + wide > room:
            height += tall + gap
            across = tall = 0.0
        across += wide + gap
        tall = max(tall, high)
    return sum(wide + gap for wide, _ in sizes) - gap, height + tall


def _stack(sizes: Sequence[Extent], gap: float) -> Extent:
    """Boxes one below the other."""
    return max(wide for wide, _ in sizes), sum(high + gap for _, high in sizes) - gap
