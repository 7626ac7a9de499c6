"""The model as one picture, with all its matrices, on a sheet of paper."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import escape_text
from walkthrough.views.passes import Pass, last_pass
from walkthrough.views.pictures.matrix import Texts
from walkthrough.views.pictures.model.fitting import SHEET, Extent, Fitting
from walkthrough.views.pictures.model.flow import model_items
from walkthrough.views.pictures.model.layout import Boxes, fit
from walkthrough.views.pictures.outcome import likeliest_words, outcome_of, outcome_text
from walkthrough.views.pictures.shapes import Piece, scale_piece, stack, text_piece, without_small_type
from walkthrough.views.selection import check_size
from walkthrough.views.text.cells import cell_texts
from walkthrough.views.text.widths import text_width

A3: Extent = (1190.55, 841.89)
"""Landscape, in points."""
SMALLEST_TYPE = 5.0
_MARGIN, _TITLE, _OUTCOME_TYPE, _SMALLEST_HEAD = 28.0, 24.0, 15.0, 0.5
"""On A3, and the least share of it."""


def poster(trace: Trace, values: Sequence[Value], decimals: int | None, paper: Extent = A3) -> Piece:
    """The last pass of some values: all matrices, title and outcome; as large as fits on the paper."""
    shown = last_pass(values)
    check_size(shown.values, "a poster")
    share = max(paper[0] / A3[0], _SMALLEST_HEAD)
    margin = _MARGIN * paper[0] / A3[0]
    head = _head(trace, values, decimals, share, paper[0] - 2 * margin)
    room = paper[0] - 2 * margin, paper[1] - 2 * margin - head.height - margin / 2
    piece = without_small_type(_boxes(trace, shown, decimals, room), SMALLEST_TYPE)
    below = room[0] - piece.width, room[1] - piece.height
    placed = piece.at(margin + below[0] / 2, paper[1] - margin - piece.height - below[1] / 2)
    return Piece(*paper, (head.at(margin, margin), placed))


def _head(trace: Trace, values: Sequence[Value], decimals: int | None, share: float, room: float) -> Piece:
    """The title, as large as fits, and what comes out; share: of its size on A3."""
    title = escape_text(trace.title)
    size = min(_TITLE * share, room / (1.1 * max(text_width(title), 1)))
    below = _OUTCOME_TYPE * share
    outcome = outcome_text(trace, outcome_of(trace, last_pass(values), values), decimals)
    return stack([text_piece(title, size, bold=True), text_piece(outcome, below)], 2)


def _boxes(trace: Trace, shown: Pass, decimals: int | None, room: Extent) -> Piece:
    """All boxes with what comes out, as large as fits the room; what does not fit is shrunk."""
    items = model_items(trace, shown, whole=True)
    texts: dict[Value, Texts] = {value: cell_texts(trace, value, decimals) for value in shown.values}
    longest = {value: max(map(len, chain(*lines)), default=1) for value, lines in texts.items()}.__getitem__
    likely = likeliest_words(trace, shown.values, decimals)
    fitting = fit(trace, items, SHEET, longest, room, likely) or Fitting(SHEET[-1], longest, room)
    piece = Boxes(trace, fitting, likely, texts).model(items)
    return scale_piece(piece, min(1.0, room[0] / piece.width, room[1] / piece.height))
