"""The model as boxes: each holds the matrices of a part, frames hold the boxes of larger parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.model_map import Numbered, Part

_MOST_FRAMES, _MOST_BOXES = 2, 4
"""Of numbered parts side by side, such as layers and heads, so many are whole; of the others their output."""


class Words(Record):
    """A text, before the first box that calculates with its words: the rows of this step."""

    value: Value


Edges = tuple[tuple[Value, Value], ...]
"""Pairs of drawn steps: the second reads the first."""


class Tag(Record):
    """A step that is read from afar, with the name of its part, where a line would lead across other boxes."""

    value: Value
    part: str
    edges: Edges


class Outcome(Record):
    """The likeliest words by the last row of this step."""

    value: Value


class Matrices(Record):
    """Given matrices and what is calculated from them, side by side in a box."""

    values: tuple[Value, ...]


class Box(Record):
    """The matrices of a part, or some of them; path and title are empty for those of the whole model.

    folded: its steps that are not drawn; items: how those that are drawn are arranged
    line:   what the line that leads to it stands for; tags: what else its steps read
    """

    path: str
    title: str
    values: tuple[Value, ...]
    folded: tuple[Value, ...] = ()
    items: tuple[Item, ...] = ()
    line: Edges = ()
    tags: tuple[Tag, ...] = ()


class Frame(Record):
    """A part with parts that have boxes of their own; line and tags as of a box."""

    path: str
    title: str
    items: tuple[Item, ...]
    line: Edges = ()
    tags: tuple[Tag, ...] = ()


class Lane(Record):
    """One of several ways side by side; whether it reads what is before them, and is read by what is behind them."""

    items: tuple[Item, ...]
    reads: bool = False
    is_read: bool = False


class Fork(Record):
    """What does not read one another, one below the other, between a line that forks and one that joins."""

    lanes: tuple[Lane, ...]
    line: Edges = ()
    tags: tuple[Tag, ...] = ()


class Rows(Record):
    """Matrices in lines: behind a fork, or those of a token behind its word."""

    rows: tuple[tuple[Matrices | Words, ...], ...]
    line: Edges = ()


class Over(Record):
    """Boxes of given matrices, as a mask, above what reads them."""

    above: tuple[Item, ...]
    below: Item
    edges: Edges = ()


class Around(Record):
    """Items in a row; the last also reads what was before the first, by a line around them, as a residual does."""

    items: tuple[Item, ...]
    edges: Edges


Item = Words | Outcome | Box | Frame | Matrices | Fork | Rows | Over | Around


Names = tuple[str, str]


def names_of(edges: Edges) -> list[Names]:
    """Edges by the paths of steps, parted by blanks: each step of the first is read by each of the second."""
    targets: dict[str, list[str]] = {}
    for source, target in edges:
        targets.setdefault(source.path, []).append(target.path)
    sources: dict[str, list[str]] = {}
    for path, paths in targets.items():
        sources.setdefault(" ".join(paths), []).append(path)
    return [(" ".join(paths), read_by) for read_by, paths in sources.items()]


def held_by(item: Item) -> tuple[Item, ...]:
    """The items in an item."""
    match item:
        case Frame() | Around():
            return item.items
        case Fork():
            return tuple(one for lane in item.lanes for one in lane.items)
        case Rows():
            return tuple(one for row in item.rows for one in row)
        case Over():
            return (*item.above, item.below)
        case _:
            return ()


def line_to(item: Item) -> Edges:
    """What the line that leads to an item stands for."""
    match item:
        case Box() | Frame() | Fork() | Rows():
            return item.line
        case Over():
            return line_to(item.below)
        case Around():
            return line_to(item.items[0])
        case _:
            return ()


def is_forked(item: Item) -> bool:
    """Whether matrices of a box fork; what joins them then is not parted from them."""
    return isinstance(item, Box) and any(isinstance(one, Fork) for one in item.items)


def boxes_in(items: Iterable[Item]) -> Iterator[Box]:
    """All boxes in some items."""
    for item in items:
        if isinstance(item, Box):
            yield item
        yield from boxes_in(held_by(item))


def steps_in(item: Item) -> Iterator[Value]:
    """The drawn steps of an item."""
    if isinstance(item, Box | Matrices):
        yield from item.values
    for one in held_by(item):
        yield from steps_in(one)


def boxes_of(part: Part, whole: bool = False) -> tuple[Box | Frame, ...]:
    """What a part holds, in the order of the calculation; parts in a box join it. whole: all layers and heads are."""
    return tuple(_items(part, whole))


def _items(part: Part, whole: bool) -> Iterator[Box | Frame]:
    run: list[Numbered] = []
    for child in part.children:
        if isinstance(child, Numbered):
            run.append(child)
            continue
        yield from _box(part, run)
        run = []
        yield _inner(part, child, whole)
    yield from _box(part, run)


def _box(part: Part, steps: list[Numbered]) -> Iterator[Box]:
    if steps:
        title = steps[0].title if len(steps) == 1 else ""  # the frame around it says what they are
        yield Box(part.path, title, tuple(step.value for step in steps))


def _inner(part: Part, child: Part, whole: bool) -> Box | Frame:
    is_frame = _height(child) > 1
    if not whole and _place_among_like(part, child) >= (_MOST_FRAMES if is_frame else _MOST_BOXES):
        *folded, last = (step.value for step in child.steps())
        return Box(child.path, child.title, (last,), tuple(folded))
    if not is_frame:
        return Box(child.path, child.title, tuple(step.value for step in child.steps()))
    items = boxes_of(child, whole)
    if len(items) == 1 and isinstance(items[0], Frame):  # one frame around both
        return items[0].replace(title=f"{child.title} · {items[0].title}")
    return Frame(child.path, child.title, items)


def _height(part: Part) -> int:
    """How deep parts nest in a part."""
    return max((_height(child) + 1 for child in part.children if isinstance(child, Part)), default=0)


def _place_among_like(part: Part, child: Part) -> int:
    """How many parts before it differ from it by their number alone."""
    alike = [one for one in part.children if isinstance(one, Part) and one.stem == child.stem]
    return alike.index(child) if child.title[-1:].isdigit() else 0
