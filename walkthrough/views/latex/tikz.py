"""Pictures as TikZ: the same shapes that are written as SVG, in a picture that any document with tikz can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from walkthrough.views.latex.tex import tex
from walkthrough.views.pictures.model.fitting import Extent
from walkthrough.views.pictures.shapes import (
    Area,
    Bend,
    Cells,
    Group,
    Line,
    Picture,
    Point,
    Rectangle,
    Shape,
    Text,
    scale_piece,
    write_length,
)
from walkthrough.views.text.widths import symbol_parts

_ANCHORS = {"start": "base west", "middle": "base", "end": "base east"}


def tikz(picture: Picture, room: Extent) -> str:
    """A picture as a `tikzpicture`, made smaller where it is larger than the room in points."""
    whole = picture.piece
    piece = scale_piece(whole, min(1.0, room[0] / whole.width, room[1] / whole.height))
    body = "\n".join(_commands(piece.shapes))
    colours = sorted(set(_colours(piece.shapes)))
    defined = "".join(rf"\definecolor{{{_name(colour)}}}{{HTML}}{{{colour[1:].upper()}}}" for colour in colours)
    size = f"(0,0) rectangle ({write_length(piece.width)},{write_length(piece.height)})"
    return (
        f"{{{defined}%\n\\begin{{tikzpicture}}[x=1bp,y=-1bp,every node/.style={{inner sep=0pt}}]\n"
        f"\\useasboundingbox {size};\n{body}\n\\end{{tikzpicture}}\\par}}"
    )


def _commands(shapes: Iterable[Shape], origin: Point = (0.0, 0.0)) -> Iterator[str]:
    """The shapes in order, each run of them in one scope: TeX can only nest so many groups.

    origin: where they are placed
    """
    for is_group, run in groupby(shapes, key=lambda shape: isinstance(shape, Group)):
        if not is_group:
            yield rf"\begin{{scope}}[shift={{{_point(origin)}}}]"
            yield from map(_command, run)
            yield r"\end{scope}"
            continue
        for shape in run:
            assert isinstance(shape, Group)
            yield from _commands(shape.shapes, (origin[0] + shape.at[0], origin[1] + shape.at[1]))


def _command(shape: Shape) -> str:
    match shape:
        case Text():
            return _node(shape)
        case Rectangle():
            return rf"\path[{_look(shape)}] {_rectangle(shape.area)};"
        case Cells():
            return rf"\fill[{_name(shape.fill)}] {' '.join(map(_rectangle, shape.areas))};"
        case Line():
            points = "--".join(map(_point, shape.points))
            if shape.filled:
                return rf"\fill[{_name(shape.colour)}] {points}--cycle;"
            return rf"\draw[{_stroke(shape.colour, shape.width)}] {points};"
        case Bend():
            start, one, other, end = map(_point, shape.points)
            return rf"\draw[{_stroke(shape.colour, shape.width)}] {start} .. controls {one} and {other} .. {end};"
        case Group():
            raise AssertionError("a group has no command of its own")


def _node(shape: Text) -> str:
    size = f"\\fontsize{{{write_length(shape.size)}bp}}{{{write_length(1.2 * shape.size)}bp}}\\selectfont"
    look = f"{size}\\sffamily" + (r"\bfseries" if shape.bold else "")
    text = _with_indices(shape.text) if shape.symbols else tex(shape.text)
    options = f"anchor={_ANCHORS[shape.anchor]},text={_name(shape.colour)},font={look}"
    return rf"\node[{options}] at {_point(shape.at)} {{{text}}};"


def _with_indices(text: str) -> str:
    """A title whose symbols have their indices lowered."""
    pieces = ((tex(base), rf"\textsubscript{{{tex(index)}}}" if index else "") for base, index in symbol_parts(text))
    return "".join(base + index for base, index in pieces)


def _look(shape: Rectangle) -> str:
    fill = f"fill={_name(shape.fill)}" if shape.fill else ""
    draw = f"draw={_name(shape.stroke)}" if shape.stroke else ""
    corners = f"rounded corners={write_length(shape.radius)}bp" if shape.radius else ""
    return ",".join(filter(None, (fill, draw, corners)))


def _colours(shapes: Iterable[Shape]) -> Iterator[str]:
    for shape in shapes:
        match shape:
            case Group():
                yield from _colours(shape.shapes)
            case Rectangle():
                yield from filter(None, (shape.fill, shape.stroke))
            case Cells():
                yield shape.fill
            case _:
                yield shape.colour


def _name(colour: str) -> str:
    """What a colour is called: letters and digits alone."""
    return f"c{colour[1:]}"


def _stroke(colour: str, width: float) -> str:
    return f"{_name(colour)},line width={write_length(width)}bp"


def _rectangle(area: Area) -> str:
    x, y, wide, high = area
    return f"{_point((x, y))} rectangle {_point((x + wide, y + high))}"


def _point(point: Point) -> str:
    return f"({write_length(point[0])},{write_length(point[1])})"
