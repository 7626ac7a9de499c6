"""The boxes of a model as shapes: in frames, in lines, with arrows between, from the words to what comes out."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.pictures.heat import blocks
from walkthrough.views.pictures.matrix import Texts, heat_piece
from walkthrough.views.pictures.model.boxes import (
    Around,
    Box,
    Edges,
    Fork,
    Frame,
    Item,
    Lane,
    Matrices,
    Outcome,
    Over,
    Rows,
    Tag,
    Words,
    is_forked,
    line_to,
    names_of,
)
from walkthrough.views.pictures.model.fitting import Extent, Fitting, Scale
from walkthrough.views.pictures.outcome import Likely
from walkthrough.views.pictures.shapes import (
    EDGE,
    INK,
    MARK,
    PANEL,
    SOFT,
    Group,
    Line,
    Piece,
    Point,
    Rectangle,
    Shape,
    Text,
    arrow,
    arrow_piece,
    beside,
    flow,
    stack,
    text_piece,
)
from walkthrough.views.text.widths import text_width

STUB, BELOW = 8.0, 9.0
"""How long the lines at the ends of a lane are, and what a line around boxes takes below them."""
_WORDS, _MANY = 190.0, 12
"""How wide lines of words are; of more words twice as wide."""
_BELOW_TITLE = 2.0
_BAR = 110.0
"""The longest bar."""


def fit(
    trace: Trace,
    items: Sequence[Item],
    scales: Sequence[Scale],
    longest: Callable[[Value], int],
    room: Extent,
    likely: Sequence[Likely],
) -> Fitting | None:
    """The largest scale with which items fit the room; none where they fit with none.

    scales: from the largest to the smallest; longest: text of each value; likely: what comes out
    """

    def fits(fitting: Fitting) -> bool:
        piece = Boxes(trace, fitting, likely).model(items)
        return piece.width <= room[0] and piece.height <= room[1]

    found = [Fitting(scale, longest, room) for scale in scales]
    return next(iter(found[bisect_left(found, True, key=fits) :]), None)


class Boxes:
    """Makes the boxes of a model, with what comes out; without texts of the matrices, these are blank."""

    def __init__(
        self, trace: Trace, fitting: Fitting, likely: Sequence[Likely], texts: Mapping[Value, Texts] | None = None
    ) -> None:
        self.texts, self.fitting, self.likely = texts, fitting, likely
        self.language = catalogue(trace.language)
        self.type = fitting.scale.type
        self.wide: dict[int, float] = {}
        """By the identity of a box or a frame: how wide are the lines or the fork in it; 0 where it has neither."""

    def model(self, items: Sequence[Item]) -> Piece:
        """All boxes in lines."""
        return flow(self._led(items, self.fitting.room[0]), self.fitting.room[0], self.fitting.scale.gap)

    def _row(self, items: Sequence[Item], room: float) -> Piece:
        return self._flow(self._led(items, room), room)

    def _flow(self, pieces: Iterable[Piece], room: float) -> Piece:
        """Pieces in lines; several lines take all of the room, as they do in a browser."""
        held = flow(pieces, room, self.fitting.scale.gap)
        return held.replace(width=max(held.width, room)) if len(held.shapes) > 1 else held

    def _led(self, items: Sequence[Item], room: float) -> Iterator[Piece]:
        """The items, each with the arrow that leads to it, or as much room; matrices without.

        A fork leaves room for what joins its lanes.
        """
        scale = self.fitting.scale
        for at, item in enumerate(items):
            is_led = at > 0 and not isinstance(item, Matrices | Rows)
            joining = items[at + 1 : at + 2] if isinstance(item, Fork | Over) else ()
            taken = sum(self._piece(one, room).width + scale.gap + scale.arrow for one in joining)
            piece = self._piece(item, room - scale.arrow * is_led - taken)
            if is_led:
                lead = arrow_piece(scale.arrow)
                is_shown = line_to(item) or isinstance(items[at - 1], Words)
                shapes = _about(line_to(item), lead.shapes) if is_shown else ()
                piece = beside([lead.replace(shapes=shapes), piece], 0)
            yield piece

    def _piece(self, item: Item, room: float) -> Piece:
        scale = self.fitting.scale
        match item:
            case Words():
                words = [word_piece(word, scale.word) for word in item.value.rows]
                return flow(words, _WORDS * (2 if len(words) > _MANY else 1), 3)
            case Outcome():
                return outcome_piece(self.likely, self.type)
            case Box() | Frame():
                return self._framed(item, self._inside(item, room - 2 * scale.padding))
            case Matrices():
                return self._flow(map(self._step, item.values), room)
            case Rows():
                return stack([self._row(row, room) for row in item.rows], scale.gap)
            case Fork():
                lanes = [(lane, self._lane(lane.items, room - 2 * STUB)) for lane in item.lanes]
                return forked([(*one, self._end(*one)) for one in lanes], scale.gap)
            case Over():
                held = [self._row(item.above, room), self._down(item.edges), self._piece(item.below, room)]
                return stack(held, 0, centred=True)
            case Around():
                return self._around(item, room)

    def _lane(self, items: Sequence[Item], room: float) -> Piece:
        """Matrices in a lane are not parted: where they are too wide, they do not fit."""
        return self._row(items, room if any(isinstance(item, Box | Frame) for item in items) else math.inf)

    def _end(self, lane: Lane, piece: Piece) -> Point:
        """Where a line from a lane begins: of matrices in lines, at the last of them."""
        last = lane.items[-1]
        if not isinstance(last, Rows):
            return piece.width, piece.height / 2
        lines, line = self._piece(last, math.inf), self._row(last.rows[-1], math.inf)
        up = (line.height + self.fitting.scale.label) / 2
        return piece.width - lines.width + line.width, (piece.height + lines.height) / 2 - up

    def _down(self, edges: Edges) -> Piece:
        """An arrow down."""
        long = self.fitting.scale.arrow
        return Piece(6, long, _about(edges, arrow((3, 1), (3, long - 1))))

    def _around(self, item: Around, room: float) -> Piece:
        """Items in a row, and a line around them to the last."""
        lead = self.fitting.scale.arrow
        pieces = list(self._led(item.items, room - lead))
        held, first, last = self._flow(pieces, room - lead), pieces[0], pieces[-1]
        left, top = _place(held, last, -1)
        start = _place(held, first, 0)[1] + first.height / 2
        x, bottom = lead + left + (lead + last.width) / 2, held.height + BELOW - 1
        way = arrow((lead, start), (0, start), (0, bottom), (x, bottom), (x, top + last.height))
        shapes = _about(item.edges, way)
        return Piece(lead + held.width, held.height + BELOW, (held.at(lead, 0), *shapes))

    def _inside(self, item: Box | Frame, room: float) -> Piece:
        room = math.inf if is_forked(item) else room
        held = flow(self._led(item.items, room), room, self.fitting.scale.gap)
        self.wide[id(item)] = held.width if len(held.shapes) > 1 or is_forked(item) else 0
        return held

    def _framed(self, item: Box | Frame, held: Piece) -> Piece:
        title = self.fitting.title_above(item, self.language)
        head = [text_piece(title, self.type, bold=True, symbols=True)] if title else []
        inside = stack([beside([*head, *map(self._tag, item.tags)], 6), held], _BELOW_TITLE * bool(head or item.tags))
        inside = inside.padded(self.fitting.scale.padding)
        fill = PANEL if isinstance(item, Box) else ""
        around = Rectangle((0, 0, inside.width, inside.height), fill, EDGE, 5)
        return Piece(inside.width, inside.height, (around, *inside.shapes))

    def _tag(self, tag: Tag) -> Piece:
        """The name of a step that is read from afar."""
        piece = text_piece(f"↙ {tag.value.kind.symbol} {tag.part}".strip(), self.type, symbols=True).padded(3)
        frame = Rectangle((0, 0, piece.width, piece.height), "#ffffff", EDGE, piece.height / 2)
        return piece.replace(shapes=_about(tag.edges, (frame, *piece.shapes)))

    def _step(self, value: Value) -> Piece:
        """A matrix over its symbol, and its title where there is room."""
        name = [text_piece(value.kind.symbol, self.type, symbols=True)]
        if title := self.fitting.title_below(value, self.language):
            name.append(text_piece(title, self.type, SOFT, symbols=True))
        return stack([self._heat(value), beside(name, 3)], 0)

    def _heat(self, value: Value) -> Piece:
        size = self.fitting.scale.size
        wide, high = (side * size for side in self.fitting.cell(value))
        if self.texts is None:
            return Piece(wide * blocks(value.shape[1]), high * blocks(value.shape[0]), ())
        return heat_piece(value, (wide, high), self.texts[value] if self.fitting.has_digits(value) else (), size)


def forked(lanes: Sequence[tuple[Lane, Piece, Point]], gap: float) -> Piece:
    """Lanes one below the other, with a line to each that reads, and one from the end of each that is read."""
    held = stack([piece for _, piece, _ in lanes], gap)
    right = held.width + 2 * STUB
    shapes: list[Shape] = []
    into, out, y = [], [], 0.0
    for lane, piece, (x, end) in lanes:
        middle = y + piece.height / 2
        if lane.reads:
            into.append(middle)
            shapes.append(Line(((0.0, middle), (STUB, middle)), SOFT))
        if lane.is_read:
            out.append(y + end)
            shapes.append(Line(((STUB + x, y + end), (right, y + end)), SOFT))
        y += piece.height + gap
    shapes += [Line(((x, ends[0]), (x, ends[-1])), SOFT) for x, ends in ((0.0, into), (right, out)) if len(ends) > 1]
    return Piece(right, held.height, (*shapes, held.at(STUB, 0)))


def _about(edges: Edges, shapes: Sequence[Shape]) -> tuple[Shape, ...]:
    """The shapes of a line, with what it stands for."""
    names = names_of(edges)
    if not names:
        return tuple(shapes)
    first, *others = ((("from", source), ("to", targets)) for source, targets in names)
    return (Group((0, 0), tuple(shapes), first), *(Group((0, 0), (), about) for about in others))


def _place(held: Piece, piece: Piece, end: int) -> Point:
    """Where a piece is, at an end of some in lines."""
    x, y = 0.0, 0.0
    shapes: Sequence[Shape] = held.shapes
    while shapes is not piece.shapes:
        group = shapes[end]
        assert isinstance(group, Group)
        x, y, shapes = x + group.at[0], y + group.at[1], group.shapes
    return x, y


def word_piece(word: str, size: float, is_marked: bool = False) -> Piece:
    """A word of the text, in a frame."""
    shown = escape_label(word)
    wide, high = (text_width(shown) + 1) * size, 1.7 * size
    frame = Rectangle((0, 0, wide, high), "#ffffff", INK if is_marked else EDGE, high / 2, (("word", shown),))
    return Piece(wide, high, (frame, Text((wide / 2, 1.2 * size), shown, size, "middle")))


def outcome_piece(found: Sequence[Likely], size: float) -> Piece:
    """The likeliest words as bars."""
    side = (max((text_width(one.word) for one in found), default=0) + 0.6) * size
    lines = []
    for one in found:
        long = _BAR * one.share
        shapes = (
            Text((side - 0.5 * size, 1.1 * size), one.word, size, "end", about=(("word", one.word),)),
            Rectangle((side, 0.3 * size, long, size), MARK, about=(("bar", ""), *one.cell)),
            Text((side + long + 0.4 * size, 1.1 * size), one.text, size, about=one.cell),
        )
        lines.append(Piece(side + _BAR + (text_width(one.text) + 0.6) * size, 1.5 * size, shapes))
    return stack(lines, 2)
