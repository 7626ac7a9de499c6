"""A matrix as shapes: its cells shaded, its digits, its labels."""

from __future__ import annotations

from collections.abc import Sequence

from walkthrough.recording.values import Value
from walkthrough.text import escape_label
from walkthrough.views.pictures.heat import MOST_CELLS, shade_areas, shade_colour, shades
from walkthrough.views.pictures.shapes import EDGE, SOFT, Cells, Group, Piece, Rectangle, Shape, Text
from walkthrough.views.text.widths import text_width

Texts = Sequence[Sequence[str]]
_BOLD = 1.1
"""How much wider bold type is."""


def heat_piece(
    value: Value, cell: tuple[float, float], texts: Texts = (), size: float = 0, is_framed: bool = True
) -> Piece:
    """The heat map, with its digits where there are texts; cell: its width and height."""
    shaded = shades(value, blocks=not texts)
    rows, columns = shaded.shape
    wide, high = columns * cell[0], rows * cell[1]
    inside: list[Shape] = [Rectangle((0, 0, wide, high), fill="#ffffff")]
    inside += [Cells(areas, shade_colour(shade)) for shade, areas in shade_areas(shaded, *cell).items()]
    inside += digits(value, cell, texts, size)
    frame = (Rectangle((0, 0, wide, high), stroke=EDGE),) if is_framed else ()
    return Piece(wide, high, (Group((0, 0), tuple(inside), (("heat", value.path),)), *frame))


def digits(value: Value, cell: tuple[float, float], texts: Texts, size: float) -> list[Text]:
    """The numbers in the middle of their cells."""
    wide, high = cell
    return [
        Text(
            ((j + 0.5) * wide, (i + 0.5) * high + 0.36 * size),
            text,
            size,
            "middle",
            about=(("of", value.path), ("c", f"{i},{j}")),
        )
        for i, line in enumerate(texts)
        for j, text in enumerate(line)
    ]


def cell_width(texts: Texts, size: float) -> float:
    """How wide cells must be for their digits."""
    return (max((text_width(text) for line in texts for text in line), default=1.0) + 0.7) * size


def labelled_piece(value: Value, texts: Texts, size: float) -> Piece:
    """The matrix with the labels of its rows and columns, and its digits; a wide one with the first and last labels."""
    rows, columns = ([escape_label(label) for label in labels] for labels in (value.rows, value.columns))
    is_wide = len(columns) > MOST_CELLS
    label = (_BOLD * max(map(text_width, columns), default=0.0) + 0.7) * size
    cell = (size, size) if is_wide else (max(cell_width(texts, size), label), 1.7 * size)
    heat = heat_piece(value, cell, () if is_wide else texts, size)
    side, top = (_BOLD * max(map(text_width, rows), default=0.0) + 0.6) * size, 1.5 * size
    if is_wide:
        above = _ends(columns, (0, "start"), (heat.width, "end"))
        left = _ends(rows, (0.85 * size, "end"), (heat.height - 0.15 * size, "end"))
    else:
        above = [(text, (j + 0.5) * cell[0], "middle") for j, text in enumerate(columns)]
        left = [(text, (i + 0.5) * cell[1] + 0.36 * size, "end") for i, text in enumerate(rows)]
    labels = (
        *(Text((side + x, size), text, size, anchor, SOFT, bold=True) for text, x, anchor in above),
        *(Text((side - 0.5 * size, top + y), text, size, anchor, SOFT, bold=True) for text, y, anchor in left),
    )
    return Piece(side + heat.width + 1, top + heat.height + 1, (*labels, heat.at(side, top)))


def _ends(labels: Sequence[str], *places: tuple[float, str]) -> list[tuple[str, float, str]]:
    """The first and the last label, each with its place and anchor."""
    ends = list(labels) if len(labels) < 2 else [labels[0], labels[-1]]
    return [(label, *place) for label, place in zip(ends, places, strict=False)]
