"""How large the boxes of a model are drawn: the largest digits, else cells without digits. Lengths are in pixels."""

from __future__ import annotations

from collections.abc import Callable

from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.pictures.heat import blocks
from walkthrough.views.pictures.model.boxes import Box, Frame
from walkthrough.views.pictures.shapes import LINE_HEIGHT
from walkthrough.views.text.widths import symbol_width

Extent = tuple[float, float]
_LETTER = 0.6


class Scale(Record):
    """How large boxes are drawn.

    size:    of the digits; most, side: numbers, and rows or columns, of a matrix whose digits are drawn
    small:   the side of a cell that has no digits, in em; least: that of a whole matrix without them
    compact: with as little as can be around the matrices
    """

    size: float
    most: int = 400
    small: float = 0.6
    compact: bool = False
    side: int = 12
    least: float = 3.6

    @property
    def row(self) -> float:
        """The height of a row with digits, in em."""
        return 1.1 if self.compact else 1.4

    @property
    def label(self) -> float:
        """The height of a line of text."""
        return self._share(12, 15)

    @property
    def type(self) -> float:
        """The size of that text."""
        return self.label / LINE_HEIGHT

    @property
    def word(self) -> float:
        """The size of a word of the text."""
        return self._share(14, 14)

    @property
    def gap(self) -> float:
        """What is between boxes."""
        return self._share(2, 8)

    @property
    def arrow(self) -> float:
        """What is before a box."""
        return self._share(13, 18)

    @property
    def padding(self) -> float:
        """What is around the inside of a box, on each side."""
        return self._share(3, 7)

    def _share(self, compact: int, usual: int) -> float:
        """A length around matrices: smaller only where digits are smaller than on any screen."""
        return (compact if self.compact else usual) * min(self.size / _ON_SCREEN[-1], 1)


_ON_SCREEN = (20, 17, 15, 13, 12, 11, 10)
SCREEN = (
    *map(Scale, _ON_SCREEN),
    *(Scale(10, most, small) for most in (24, 16) for small in (1.6, 1.2, 0.9)),
    *(Scale(10, 16, small, True, side) for side in (12, 4) for small in (0.9, 0.6, 0.4, 0.3)),
    Scale(10, 16, 0.3, True, 4, least=1.4),
)
"""The scales of a page, from the largest to the smallest: matrices up to 4×4 always have their digits."""
SHEET = (
    *map(Scale, _ON_SCREEN),
    *(Scale(size, 400, 0.6, True) for size in (10, 9, 8, 7)),
    *(
        Scale(7, most, small, True, side)
        for most, side in ((24, 12), (16, 12), (16, 4), (0, 0))
        for small in (1.2, 0.9, 0.6, 0.4, 0.3)
    ),
)
"""Those of a poster, which can be held close."""


class Fitting(Record):
    """A scale for some values; longest: text of each; room: for all boxes."""

    scale: Scale
    longest: Callable[[Value], int]
    room: Extent

    def has_digits(self, value: Value) -> bool:
        """Whether the digits of a matrix are drawn."""
        return value.array.size <= self.scale.most and max(value.shape) <= self.scale.side

    def cell(self, value: Value) -> tuple[float, float]:
        """Width and height of a cell, in em."""
        if self.has_digits(value):
            return round(self.longest(value) * _LETTER + 0.6, 1), self.scale.row
        side = round(max(self.scale.small, self.scale.least / max(map(blocks, value.shape))), 2)
        return side, side

    def title_below(self, value: Value, words: Catalogue) -> str:
        """The title of a matrix where it fits below it, beside the symbol."""
        title = words.title(value.kind)
        return title if self._has_room(value, title) else ""

    def title_above(self, item: Box | Frame, words: Catalogue) -> str:
        """The title of a box, where its only matrix does not say the same below."""
        says = len(item.values) == 1 and self.title_below(item.values[0], words) if isinstance(item, Box) else ""
        return "" if item.title == says else item.title

    def _has_room(self, value: Value, title: str) -> bool:
        symbol = value.kind.symbol
        wide = self.cell(value)[0] * blocks(value.shape[1]) * self.scale.size
        return symbol not in title.split() and symbol_width(f"{symbol} {title}") * self.scale.type <= wide
