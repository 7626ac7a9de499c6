"""The model as one picture, with all its matrices, on a sheet of paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_text
from walkthrough.views.passes import Pass, last_pass
from walkthrough.views.pictures.matrix import Texts
from walkthrough.views.pictures.model.boxes import Item
from walkthrough.views.pictures.model.fitting import SCALES, Extent, Fitting
from walkthrough.views.pictures.model.flow import model_items
from walkthrough.views.pictures.model.layout import Boxes, outcome_pieces
from walkthrough.views.pictures.outcome import outcome_of, outcome_text
from walkthrough.views.pictures.shapes import (
    LINE_HEIGHT,
    Piece,
    scale_piece,
    stack,
    text_piece,
    without_small_type,
)
from walkthrough.views.selection import check_size
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.widths import INDEX, text_width

A3: Extent = (1190.55, 841.89)
"""Landscape, in points."""
SMALLEST_TYPE = 5.0
_MARGIN, _TITLE, _OUTCOME_TYPE, _SMALLEST_HEAD = 28.0, 24.0, 15.0, 0.5
"""On A3, and the least share of it."""
_WORDS, _OUTCOME = (80.0, 60.0), (240.0, 100.0)
"""What words and an outcome take, at most."""
_SHRINKS = (1.0, 0.85, 0.7)


def poster(trace: Trace, values: Sequence[Value], decimals: int | None, paper: Extent = A3) -> Piece:
    """The last pass of some values: all matrices, title and outcome; as large as fits on the paper."""
    shown = last_pass(values)
    check_size(shown.values, "a poster")
    share = max(paper[0] / A3[0], _SMALLEST_HEAD)
    margin = _MARGIN * paper[0] / A3[0]
    head = _head(trace, values, decimals, share, paper[0] - 2 * margin)
    room = paper[0] - 2 * margin, paper[1] - 2 * margin - head.height - margin / 2
    found = _candidates(trace, shown, decimals, room)
    piece = without_small_type(_first_legible(found), SMALLEST_TYPE)
    below = room[0] - piece.width, room[1] - piece.height
    placed = piece.at(margin + below[0] / 2, paper[1] - margin - piece.height - below[1] / 2)
    return Piece(*paper, (head.at(margin, margin), placed))


def _first_legible(candidates: Iterator[tuple[Piece, float]]) -> Piece:
    """The first with type that is not too small; else the last."""
    found = next(candidates)
    while found[1] < SMALLEST_TYPE and (other := next(candidates, None)) is not None:
        found = other
    return found[0]


def _head(trace: Trace, values: Sequence[Value], decimals: int | None, share: float, room: float) -> Piece:
    """The title, as large as fits, and what comes out; share: of its size on A3."""
    title = escape_text(trace.title)
    size = min(_TITLE * share, room / (1.1 * max(text_width(title), 1)))
    below = _OUTCOME_TYPE * share
    outcome = outcome_text(trace, outcome_of(trace, last_pass(values), values), decimals)
    return stack([text_piece(title, size, bold=True), text_piece(outcome, below)], 2)


def _candidates(trace: Trace, shown: Pass, decimals: int | None, room: Extent) -> Iterator[tuple[Piece, float]]:
    """The boxes, those that can be read from afar first, each with the size of its smallest type."""
    items = model_items(trace, shown, whole=True)
    texts: dict[Value, Texts] = {value: cell_texts(trace, value, decimals) for value in shown.values}
    longest = {value: max(map(len, chain(*lines)), default=1) for value, lines in texts.items()}
    for scale in SCALES:
        for shrink in _SHRINKS:
            fitting = Fitting(scale, longest.__getitem__, (room[0] / shrink, room[1] / shrink))
            is_last = scale == SCALES[-1] and shrink == _SHRINKS[-1]
            if fitting.height(items, _WORDS, _OUTCOME) <= fitting.room[1] or is_last:
                yield _fitted(
                    Boxes(trace, texts, fitting),
                    items,
                    outcome_pieces(trace, shown.values, decimals, scale.label),
                    room,
                )


def _fitted(boxes: Boxes, items: Sequence[Item], outcome: Sequence[Piece], room: Extent) -> tuple[Piece, float]:
    piece, scale = boxes.model(items, outcome), boxes.fitting.scale
    factor = min(1.0, room[0] / piece.width, room[1] / piece.height)
    smallest = min(INDEX * scale.label / LINE_HEIGHT, scale.size if scale.most else scale.label)
    return scale_piece(piece, factor), factor * smallest
