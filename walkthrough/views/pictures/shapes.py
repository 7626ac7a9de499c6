"""The shapes of pictures: what every writer of pictures writes. Lengths are in points, y goes down.

Nothing here is text of a format: text is a word or a number as people read it, and a writer makes it harmless.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from walkthrough.records import Record
from walkthrough.views.text.widths import symbol_width, text_width

INK, SOFT, EDGE, LINE, PANEL, MARK = "#1a1a1a", "#555555", "#868c93", "#b8bdc4", "#f6f7f9", "#1a5a9e"
"""Of type, of type that stands back, of frames, of the lines of a grid, of what lies behind, and of bars and curves; on
white. What says something stands out: type by 4.5, frames, bars and curves by 3."""
LINE_HEIGHT = 1.35
"""Of a line of text, by the size of its type."""

About = tuple[tuple[str, str], ...]
"""What a shape is of, for programs: pairs such as (of, PATH) and (c, 0,1)."""
Point = tuple[float, float]
Area = tuple[float, float, float, float]
"""x, y, width and height."""


class Rectangle(Record):
    """A filled rectangle, a frame, or both."""

    area: Area
    fill: str = ""
    stroke: str = ""
    radius: float = 0.0
    about: About = ()


class Cells(Record):
    """Rectangles of one colour."""

    areas: tuple[Area, ...]
    fill: str


class Line(Record):
    """A line through points; filled: the area that it goes around."""

    points: tuple[Point, ...]
    colour: str = INK
    width: float = 1.0
    filled: bool = False


class Bend(Record):
    """A Bézier curve: start, two points that it is drawn towards, end."""

    points: tuple[Point, Point, Point, Point]
    colour: str
    width: float
    about: About = ()


class Text(Record):
    """One line of text on a base line.

    anchor:  start, middle or end: which end of the text is at x
    symbols: whether words such as W_Q in it are symbols of formulas
    """

    at: Point
    text: str
    size: float
    anchor: str = "start"
    colour: str = INK
    bold: bool = False
    symbols: bool = False
    about: About = ()


class Group(Record):
    """Shapes that are moved together, to the right and down."""

    at: Point
    shapes: tuple[Shape, ...]
    about: About = ()


Shape = Rectangle | Cells | Line | Bend | Text | Group


class Piece(Record):
    """Shapes in a box with its corner at (0, 0)."""

    width: float
    height: float
    shapes: tuple[Shape, ...]

    def at(self, x: float, y: float) -> Group:
        """The shapes at another place."""
        return Group((x, y), self.shapes)

    def padded(self, around: float) -> Piece:
        """The same with room on all sides."""
        return Piece(self.width + 2 * around, self.height + 2 * around, (self.at(around, around),))


class Picture(Record):
    """A piece with its name, what there is to see in it, and its size on paper where it has one, as `420mm`."""

    title: str
    description: str
    piece: Piece
    paper: tuple[str, str] | None = None


def text_piece(text: str, size: float, colour: str = INK, bold: bool = False, symbols: bool = False) -> Piece:
    """A line of text by itself."""
    shape = Text((0, size), text, size, colour=colour, bold=bold, symbols=symbols)
    width = symbol_width(text) if symbols else text_width(text)
    return Piece(width * size * (1.08 if bold else 1), size * LINE_HEIGHT, (shape,))


def stack(pieces: Sequence[Piece], gap: float, centred: bool = False) -> Piece:
    """Pieces one below the other."""
    width = max((piece.width for piece in pieces), default=0.0)
    y, placed = 0.0, []
    for piece in pieces:
        placed.append(piece.at((width - piece.width) / 2 if centred else 0, y))
        y += piece.height + gap
    return Piece(width, max(y - gap, 0), tuple(placed))


def beside(pieces: Sequence[Piece], gap: float) -> Piece:
    """Pieces side by side, the middle of each at the same height."""
    height = max((piece.height for piece in pieces), default=0.0)
    x, placed = 0.0, []
    for piece in pieces:
        placed.append(piece.at(x, (height - piece.height) / 2))
        x += piece.width + gap
    return Piece(max(x - gap, 0), height, tuple(placed))


def flow(pieces: Iterable[Piece], room: float, gap: float) -> Piece:
    """Pieces in lines that are not wider than the room."""
    lines: list[list[Piece]] = [[]]
    across = 0.0
    for piece in pieces:
        if lines[-1] and across + piece.width > room:
            lines.append([])
            across = 0.0
        lines[-1].append(piece)
        across += piece.width + gap
    return stack([beside(line, gap) for line in lines], gap)


def arrow(*points: Point) -> tuple[Line, Line]:
    """A line through points with a head at its end, to which it leads straight down, up or to the right."""
    (x, y), (end_x, end_y) = points[-2:]
    right, down = (end_x > x) - (end_x < x), (end_y > y) - (end_y < y)
    back_x, back_y = end_x - 1.7 * _HEAD * right, end_y - 1.7 * _HEAD * down
    one, other = (back_x - _HEAD * down, back_y - _HEAD * right), (back_x + _HEAD * down, back_y + _HEAD * right)
    return Line((*points[:-1], (back_x, back_y)), SOFT), Line((one, (end_x, end_y), other), SOFT, filled=True)


def arrow_piece(length: float) -> Piece:
    """An arrow to the right, with room around it."""
    return Piece(length, 2 * _HEAD, arrow((0.12 * length, _HEAD), (0.88 * length, _HEAD)))


_HEAD = 3.0
"""How far the head of an arrow goes to each side."""


def scale_piece(piece: Piece, factor: float) -> Piece:
    """The same, larger or smaller in all its measures."""
    if factor == 1:
        return piece
    return Piece(piece.width * factor, piece.height * factor, _scaled(piece.shapes, factor))


def _scaled(shapes: Iterable[Shape], factor: float) -> tuple[Shape, ...]:
    return tuple(_scaled_shape(shape, factor) for shape in shapes)


def _scaled_shape(shape: Shape, factor: float) -> Shape:
    match shape:
        case Rectangle():
            return shape.replace(area=_times(shape.area, factor), radius=shape.radius * factor)
        case Cells():
            return shape.replace(areas=tuple(_times(area, factor) for area in shape.areas))
        case Line() | Bend():
            points = tuple(_times(point, factor) for point in shape.points)
            return shape.replace(points=points, width=shape.width * factor)
        case Text():
            return shape.replace(at=_times(shape.at, factor), size=shape.size * factor)
        case Group():
            return shape.replace(at=_times(shape.at, factor), shapes=_scaled(shape.shapes, factor))


def _times(numbers: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(number * factor for number in numbers)


def write_length(length: float) -> str:
    """A length as every format takes it."""
    return f"{round(length, 2) + 0.0:.12g}"  # no −0


def without_small_type(piece: Piece, least: float) -> Piece:
    """The same without texts whose type is smaller."""
    return piece.replace(shapes=_without_small_type(piece.shapes, least))


def _without_small_type(shapes: Iterable[Shape], least: float) -> tuple[Shape, ...]:
    return tuple(
        shape.replace(shapes=_without_small_type(shape.shapes, least)) if isinstance(shape, Group) else shape
        for shape in shapes
        if not isinstance(shape, Text) or shape.size >= least
    )
