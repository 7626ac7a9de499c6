"""The boxes of a model as shapes: in frames, in lines, with arrows between, from the words to what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.pictures.matrix import Texts, heat_piece
from walkthrough.views.pictures.model.boxes import Box, Item, Words
from walkthrough.views.pictures.model.fitting import Fitting
from walkthrough.views.pictures.outcome import likeliest
from walkthrough.views.pictures.shapes import (
    EDGE,
    INK,
    LINE_HEIGHT,
    MARK,
    PANEL,
    SOFT,
    Piece,
    Rectangle,
    Text,
    beside,
    flow,
    stack,
    text_piece,
)
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.widths import text_width

_BAR = 110.0
"""The longest bar."""
_MOST_STACKED = 12


class Boxes:
    """Makes the boxes of a model."""

    def __init__(self, trace: Trace, texts: dict[Value, Texts], fitting: Fitting) -> None:
        self.texts, self.fitting = texts, fitting
        self.language = catalogue(trace.language)
        self.type = fitting.scale.label / LINE_HEIGHT

    def model(self, items: Sequence[Item], outcome: Sequence[Piece]) -> Piece:
        """All boxes in lines, what comes out at the end."""
        scale = self.fitting.scale
        return flow(
            [*self._pieces(items, self.fitting.room[0]), *outcome], self.fitting.room[0], scale.gap, scale.arrow
        )

    def _pieces(self, items: Sequence[Item], room: float) -> Iterator[Piece]:
        scale = self.fitting.scale
        inner = room - scale.arrow - 2 * scale.padding
        for item in items:
            if isinstance(item, Words):
                yield words_piece(item.labels, self.type * 1.2)
            elif isinstance(item, Box):
                yield self._framed(item.title, flow(map(self._step, item.values), inner, scale.gap), PANEL)
            else:
                held = flow(self._pieces(item.items, inner), inner, scale.gap, scale.arrow)
                yield self._framed(item.title, held, "")

    def _framed(self, title: str, held: Piece, fill: str) -> Piece:
        head = [text_piece(title, self.type, bold=True, symbols=True)] if title else []
        inside = stack([*head, held], 1).padded(self.fitting.scale.padding)
        around = Rectangle((0, 0, inside.width, inside.height), fill, EDGE, 5)
        return Piece(inside.width, inside.height, (around, *inside.shapes))

    def _step(self, value: Value) -> Piece:
        """A matrix over its symbol, and its title where there is room."""
        size, texts = self.fitting.scale.size, self.texts[value] if self.fitting.has_digits(value) else ()
        wide, high = self.fitting.cell(value)
        heat = heat_piece(value, (wide * size, high * size), texts, size)
        symbol = text_piece(value.kind.symbol, self.type, symbols=True)
        said = self.language.title(value.kind)
        title = text_piece(said, self.type, SOFT, symbols=True)
        is_said = value.kind.symbol not in said.split() and symbol.width + 3 + title.width <= heat.width
        return stack([heat, beside([symbol, title], 3) if is_said else symbol], 1)


def words_piece(words: Sequence[str], size: float) -> Piece:
    """Words of a text, one below the other where they are few, else in lines."""
    chips = [word_piece(word, size) for word in words]
    if len(chips) <= _MOST_STACKED:
        return stack(chips, 3, centred=True)
    return flow(chips, 3.2 * max(chip.width for chip in chips), 3)


def word_piece(word: str, size: float, is_marked: bool = False) -> Piece:
    """A word of the text, in a frame."""
    shown = escape_label(word)
    wide, high = (text_width(shown) + 1) * size, 1.7 * size
    frame = Rectangle((0, 0, wide, high), "#ffffff", INK if is_marked else EDGE, high / 2, (("word", shown),))
    return Piece(wide, high, (frame, Text((wide / 2, 1.2 * size), shown, size, "middle")))


def outcome_pieces(trace: Trace, values: Sequence[Value], decimals: int | None, size: float) -> list[Piece]:
    """The likeliest words as bars, if something is predicted."""
    found = likeliest(values)
    if found is None:
        return []
    value, row, order = found
    texts, numbers = cell_texts(trace, value, decimals)[row], value.array[row]
    words = [escape_label(value.columns[at]) for at in order]
    side = (max(map(text_width, words)) + 0.6) * size
    lines = []
    for word, at in zip(words, order, strict=True):
        cell = (("of", value.path), ("c", f"{row},{at}"))
        long = _BAR * float(numbers[at]) / (float(numbers[order[0]]) or 1.0)
        lines.append(
            Piece(
                side + _BAR + (text_width(texts[at]) + 0.6) * size,
                1.5 * size,
                (
                    Text((side - 0.5 * size, 1.1 * size), word, size, "end", about=(("word", word),)),
                    Rectangle((side, 0.3 * size, long, size), MARK, about=(("bar", ""), *cell)),
                    Text((side + long + 0.4 * size, 1.1 * size), texts[at], size, about=cell),
                ),
            )
        )
    return [stack(lines, 2)]
