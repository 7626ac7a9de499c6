"""A small picture of a trace that tells it from others: a training's loss, a generation's words, else a matrix."""

from __future__ import annotations

import math

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_text
from walkthrough.views.pictures.curve import losses_of
from walkthrough.views.pictures.heat import MOST_CELLS
from walkthrough.views.pictures.matrix import labelled_piece
from walkthrough.views.pictures.model.layout import word_piece
from walkthrough.views.pictures.shapes import (
    MARK,
    SOFT,
    Line,
    Picture,
    Piece,
    beside,
    flow,
    scale_piece,
    stack,
    text_piece,
)
from walkthrough.views.text.cells import cell_texts

_WIDE, _HIGH = 240.0, 120.0
_TYPE, _MARGIN = 12.0, 8.0
_ROOM = _WIDE - 2 * _MARGIN, _HIGH - 2 * _MARGIN


def card(trace: Trace) -> Picture:
    """The picture of a scenario among others, twice as wide as high."""
    losses, words = losses_of(trace), catalogue(trace.language)
    answer = next((value for value in trace if value.kind.outcome == "answer"), None)
    if losses:
        piece, what = _loss(trace, losses), words("loss_of_training")
    elif answer is not None:
        piece, what = _words(trace, answer), words("words_added")
    else:
        value = telling(trace)
        piece, what = _matrix(trace, value), words.title(value.kind)
    held = scale_piece(piece, min(_ROOM[0] / piece.width, _ROOM[1] / piece.height, 1.6))
    placed = held.at((_WIDE - held.width) / 2, (_HIGH - held.height) / 2)
    return Picture(escape_text(trace.title), what, Piece(_WIDE, _HIGH, (placed,)))


def telling(trace: Trace) -> Value:
    """The largest matrix of shares that fits; of those alike the last, which has seen most. Else the last matrix."""
    shares = [value for value in trace if value.kind.is_distribution and max(value.shape) <= MOST_CELLS]
    return max(reversed(shares or list(trace)[-1:]), key=lambda value: min(value.shape))


def _matrix(trace: Trace, value: Value) -> Piece:
    texts = cell_texts(trace, value, None) if value.shape[1] <= MOST_CELLS else ()
    title = text_piece(catalogue(trace.language).title(value.kind), _TYPE, SOFT)
    return stack([labelled_piece(value, texts, _TYPE), title], 4)


def _words(trace: Trace, answer: Value) -> Piece:
    """The words that were there, then those that were added, in the order of the text."""
    texts = cell_texts(trace, answer, None)
    given = [word_piece(label, _TYPE) for label in trace.tokens[0]]
    added = [
        stack([word_piece(word, _TYPE, is_marked=True), *(text_piece(text, 9, SOFT) for text in how)], 1, centred=True)
        for word, *how in texts  # and how likely it was
    ]
    room = max(_ROOM[0], math.sqrt(2 * sum((one.width + 4) * (one.height + 4) for one in (*given, *added))))
    return flow([*given, text_piece("→", _TYPE), *added], room, 4)


def _loss(trace: Trace, losses: list[Value]) -> Piece:
    """From the first step at the left to the last at the right, 0 at the bottom."""
    numbers = [float(number) for value in losses for number in value.array[:, 0] if math.isfinite(number)]
    wide, high = _ROOM[0], _ROOM[1] - 2 * _TYPE
    most = max(numbers, default=1.0) or 1.0
    across = max(len(numbers) - 1, 1)
    points = tuple((at / across * wide, high * (1 - number / most)) for at, number in enumerate(numbers))
    drawn = Piece(wide, high, (Line(((0, high), (wide, high)), SOFT), Line(points, MARK, 2)))
    texts = [cell_texts(trace, value, None)[at][0] for value, at in ((losses[0], 0), (losses[-1], -1))]
    said = beside(
        [text_piece(catalogue(trace.language)("loss"), _TYPE, SOFT), text_piece(" → ".join(texts), _TYPE, bold=True)], 5
    )
    return stack([drawn, said], 4)
