"""The model as boxes from left to right: each holds the matrices of a part, frames hold the boxes of larger parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.views.model_map import Numbered, Part, map_of

_MOST_FRAMES, _MOST_BOXES = 2, 4
"""Of numbered parts side by side, such as layers and heads, so many are whole; of the others their output."""


class Words(Record):
    """A text, before the first box that calculates with its words."""

    labels: tuple[str, ...]


class Box(Record):
    """The matrices of a part, or some of them; path and title are empty for those of the whole model."""

    path: str
    title: str
    values: tuple[Value, ...]


class Frame(Record):
    """A part with parts that have boxes of their own."""

    path: str
    title: str
    items: tuple[Item, ...]


Item = Words | Box | Frame


def model_boxes(trace: Trace, values: Sequence[Value], whole: bool = False) -> tuple[Item, ...]:
    """What these steps make up, with the words that they read; whole: all layers and heads are."""
    return tuple(_with_words(boxes_of(map_of(trace, values), whole), _texts_read(trace, values)))


def boxes_of(part: Part, whole: bool = False) -> tuple[Box | Frame, ...]:
    """What a part holds, in the order of the calculation; parts in a box join it. whole: all layers and heads are."""
    return tuple(_items(part, whole))


def _texts_read(trace: Trace, values: Sequence[Value]) -> list[tuple[str, ...]]:
    """The texts whose words these steps calculate with; a given table may have the same rows, and be a vocabulary."""
    calculated = {value.rows for value in values if value.operation is not None}
    return [text for text in trace.tokens if text in calculated] or list(trace.tokens)


def _with_words(items: Iterable[Item], waiting: list[tuple[str, ...]]) -> Iterator[Item]:
    """The same with the texts that are waiting, each before the box that reads it."""
    for item in items:
        if isinstance(item, Frame):
            yield item.replace(items=tuple(_with_words(item.items, waiting)))
            continue
        for value in item.values if isinstance(item, Box) else ():
            if value.rows in waiting:
                waiting.remove(value.rows)
                yield Words(value.rows)
        yield item


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
        title = steps[0].title if len(steps) == 1 else part.title
        yield Box(part.path, title, tuple(step.value for step in steps))


def _inner(part: Part, child: Part, whole: bool) -> Box | Frame:
    is_frame = _height(child) > 1
    if not whole and _place_among_like(part, child) >= (_MOST_FRAMES if is_frame else _MOST_BOXES):
        return Box(child.path, child.title, (list(child.steps())[-1].value,))
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
