"""Pictures as SVG 1.1: one file by itself, without script, style sheet, image or anything from elsewhere.

Beside SVG's own there are only attributes `data-…`, which say what a shape is of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from walkthrough.text import escape_text
from walkthrough.views.pictures.shapes import (
    About,
    Area,
    Bend,
    Cells,
    Group,
    Line,
    Picture,
    Rectangle,
    Shape,
    Text,
    write_length,
)
from walkthrough.views.text.widths import INDEX, symbol_parts

_FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
_LOWERED, _SMALLEST_INDEX = 0.2, 5.0
"""How far an index stands below, by the size of the type; its own least size."""
_NOT_XML = re.compile("[\ud800-\udfff\ufffe\uffff]")
"""What no XML file may hold, and `escape_text` leaves as it is."""


def svg(picture: Picture) -> str:
    """A picture as a file."""
    piece = picture.piece
    wide, high = picture.paper or (write_length(piece.width), write_length(piece.height))
    box = f"0 0 {write_length(piece.width)} {write_length(piece.height)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{wide}" height="{high}" viewBox="{box}" '
        f'font-family="{_FONT}">\n<title>{_text(picture.title)}</title>\n<desc>{_text(picture.description)}</desc>\n'
        f'<rect width="100%" height="100%" fill="#ffffff"/>\n{"".join(elements(piece.shapes))}</svg>\n'
    )


def elements(shapes: Iterable[Shape]) -> Iterator[str]:
    """The elements of shapes, each in a line of its own."""
    for shape in shapes:
        match shape:
            case Group():
                yield f"<g{_moved(shape)}{_about(shape.about)}>\n"
                yield from elements(shape.shapes)
                yield "</g>\n"
            case Text():
                yield _text_element(shape)
            case Rectangle():
                x, y, wide, high = map(write_length, shape.area)
                round_ = f' rx="{write_length(shape.radius)}"' if shape.radius else ""
                stroke = f' stroke="{shape.stroke}"' if shape.stroke else ""
                yield (
                    f'<rect x="{x}" y="{y}" width="{wide}" height="{high}"{round_} '
                    f'fill="{shape.fill or "none"}"{stroke}{_about(shape.about)}/>\n'
                )
            case Cells():
                yield f'<path fill="{shape.fill}" d="{path_of(shape.areas)}"/>\n'
            case Line():
                path = "M" + "L".join(f"{write_length(x)} {write_length(y)}" for x, y in shape.points)
                end = "z" if shape.filled else ""
                yield f'<path {_stroke(shape.colour, shape.width, shape.filled)} d="{path}{end}"/>\n'
            case Bend():
                start, *rest = (f"{write_length(x)} {write_length(y)}" for x, y in shape.points)
                path = f"M{start}C{' '.join(rest)}"
                yield f'<path {_stroke(shape.colour, shape.width)} d="{path}"{_about(shape.about)}/>\n'


def path_of(areas: Iterable[Area]) -> str:
    """Rectangles as one path."""
    return "".join(
        f"M{write_length(x)} {write_length(y)}h{write_length(wide)}v{write_length(high)}h{write_length(-wide)}z"
        for x, y, wide, high in areas
    )


def _stroke(colour: str, width: float, filled: bool = False) -> str:
    return f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="{write_length(width)}"'


def _text_element(shape: Text) -> str:
    x, y = map(write_length, shape.at)
    anchor = f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    bold = ' font-weight="bold"' if shape.bold else ""
    kept = ' xml:space="preserve"' if "  " in shape.text else ""
    inside = _with_indices(shape.text, shape.size) if shape.symbols else _text(shape.text)
    return (
        f'<text x="{x}" y="{y}" font-size="{write_length(shape.size)}"{anchor}{bold}{kept} '
        f'fill="{shape.colour}"{_about(shape.about)}>{inside}</text>\n'
    )


def _with_indices(text: str, size: float) -> str:
    """A title whose symbols have their indices lowered: Weights W_Q."""
    smaller = write_length(max(INDEX * size, min(size, _SMALLEST_INDEX)))
    lowered = write_length(_LOWERED * size)
    parts = ""
    for base, index in symbol_parts(text):
        if base:
            parts += f'<tspan dy="-{lowered}">{_text(base)}</tspan>' if parts else _text(base)
        if index:
            parts += f'<tspan dy="{lowered}" font-size="{smaller}">{_text(index)}</tspan>'
    return parts


def _text(text: str) -> str:
    """Text that is data, in one line."""
    return escape(_NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", escape_text(text)))


def _moved(group: Group) -> str:
    x, y = map(write_length, group.at)
    return f' transform="translate({x} {y})"' if (x, y) != ("0", "0") else ""


def _about(about: About) -> str:
    return "".join(f' data-{name}="{_text(value)}"' for name, value in about)
