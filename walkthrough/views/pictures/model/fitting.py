"""How large the boxes of a model can be drawn so that all of them fit: the largest digits, else cells without digits.

A browser lays out the boxes; here its lines are reckoned as it makes them. Lengths are in pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.pictures.heat import MOST_CELLS
from walkthrough.views.pictures.model.boxes import Box, Frame, Item, Words

Extent = tuple[float, float]
WINDOW: Extent = (1360, 600)
"""What a window of 1440×900 leaves for the boxes."""
_LETTER = 0.6
_MOST_WITH_DIGITS = 12
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
    def label(self) -> int:
        """The height of a line of text."""
        return 12 if self.compact else 15

    @property
    def gap(self) -> int:
        """What is between boxes."""
        return 3 if self.compact else 8

    @property
    def arrow(self) -> int:
        """What is before a box."""
        return 13 if self.compact else 18

    @property
    def padding(self) -> int:
        """What is around the inside of a box, on each side."""
        return 4 if self.compact else 7


SCALES = (
    *(Scale(size, 400, 0.6 * size) for size in (20, 17, 15, 13, 12, 11, 10)),
    *(Scale(10, most, small) for most in (24, 16, 12, 8) for small in (20, 16, 12, 9)),
    *(Scale(10, 0, small) for small in (14, 12, 10, 8, 6, 5)),
    *(Scale(10, 0, small, compact=True) for small in (8, 7, 6, 5, 4, 3.5, 3, 2.5, 2)),
)
"""From the largest to the smallest."""


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
            return round(self.longest(value) * _LETTER + 0.6, 1), 1.4
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

    def _extent_of(self, item: Box | Frame, room: float) -> Extent:
        scale = self.scale
        around = 2 * scale.padding + scale.arrow
        inside = (
            list(map(self.extent, item.values)) if isinstance(item, Box) else self._extents(item.items, room - around)
        )
        wide, high = _flow(inside, room - around, scale.gap)
        title = len(item.title) * _SMALL_LETTER
        return min(max(wide, title) + around, room), high + 2 * scale.padding + (scale.label if item.title else 0)


_SMALL_LETTER = 6.5


def fit_scale(
    items: Sequence[Item], longest: Callable[[Value], int], first: Extent = (0, 0), last: Extent = (0, 0)
) -> Fitting:
    """The largest scale at which all boxes fit beside what comes first and last; the smallest where none does."""
    found = (Fitting(scale, longest) for scale in SCALES)
    return next((one for one in found if one.height(items, first, last) <= WINDOW[1]), Fitting(SCALES[-1], longest))


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
