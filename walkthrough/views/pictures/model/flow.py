"""How the boxes of a model are arranged: what reads what decides what is beside what, and where lines lead.

What reads one another is in a row, what does not is side by side; where a sum also reads what came before its part, a
line goes around the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby, pairwise
from typing import Literal

from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.parts import PartName, parts_of
from walkthrough.recording.selectors import pass_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.model_map import map_of
from walkthrough.views.passes import Pass, is_parameter
from walkthrough.views.pictures.model.boxes import (
    Around,
    Box,
    Edges,
    Fork,
    Frame,
    Item,
    Lane,
    Matrices,
    Outcome,
    Over,
    Rows,
    Tag,
    Words,
    boxes_in,
    boxes_of,
    line_to,
    steps_in,
)
from walkthrough.views.pictures.outcome import predicted_from

Form = Literal["forked", "low", "flat"]
"""low: what is given for a part, as a mask, stands before it, not above what reads it; flat: nor do matrices fork."""


def model_items(trace: Trace, shown: Pass, whole: bool = False, form: Form = "forked") -> tuple[Item, ...]:
    """What the steps of a pass make up, as it flows, with the words that they read; whole: all layers and heads are."""
    names, words = shown.names, catalogue(trace.language)
    boxes = boxes_of(map_of(trace, shown.values, names, shown.around), whole)

    def name(source: Value, target: Value) -> str:
        around = parts_of(names[target])
        return next((words.heading(part) for part in parts_of(names[source]) if part not in around), "")

    items = Flow(list(boxes_in(boxes)), name, form, predicted_from(shown.values)).arrange(boxes)
    return tuple(_with_words(items, _texts_read(trace, shown.values)))


def _texts_read(trace: Trace, values: Sequence[Value]) -> list[tuple[str, ...]]:
    """The texts whose words these steps calculate with, as far as they go on in this pass; from a cache, the new word.

    A given table may have the same rows, and be a vocabulary.
    """
    here, late = set(values), _after_others(values)
    calculated = [value for value in values if value.operation is not None]
    rows = [value.rows for value in calculated if here.issuperset(value.inputs) and value not in late]
    found = [next((one for one in rows if one[: len(text)] == text), None) for text in trace.tokens]
    texts = list(dict.fromkeys(text for text in found if text is not None))
    return texts or [value.rows for value in calculated[:1]] if trace.tokens else []


def _after_others(values: Sequence[Value]) -> set[Value]:
    """Those that another pass has to come before, as keys from a cache."""
    found: set[Value] = set()
    for value in values:
        inside = pass_of(value.path)
        read = (given for given in value.inputs if given.operation is not None and not is_parameter(given))
        if any(given in found or pass_of(given.path) != inside for given in read):
            found.add(value)
    return found


def _with_words(items: Iterable[Item], waiting: list[tuple[str, ...]]) -> Iterator[Item]:
    """The same with the texts that are waiting, each before the box that reads it."""
    for item in items:
        values = item.values if isinstance(item, Box) and not _is_given(item) else ()
        for value in sorted(values, key=lambda value: value.operation is None):
            if value.rows in waiting:
                waiting.remove(value.rows)
                yield Words(value)
        match item:
            case Frame() | Around():
                yield item.replace(items=tuple(_with_words(item.items, waiting)))
            case Fork():
                lanes = (lane.replace(items=tuple(_with_words(lane.items, waiting))) for lane in item.lanes)
                yield item.replace(lanes=tuple(lanes))
            case _:
                yield item


def edges_of(boxes: Iterable[Box]) -> Edges:
    """Which drawn step reads which: itself, by what its box does not draw, or through undrawn steps of its pass."""
    boxes = list(boxes)
    drawn = {value for box in boxes for value in box.values}

    @cache
    def sources(value: Value) -> dict[Value, None]:
        found: dict[Value, None] = {}
        for given in () if is_parameter(value) else value.inputs:
            if given in drawn:
                found[given] = None
            elif pass_of(given.path) == pass_of(value.path):
                found |= sources(given)
        return found

    return tuple(
        (given, value)
        for box in boxes
        for value in box.values
        for given in dict.fromkeys(given for one in (value, *box.folded) for given in sources(one))
        if given is not value
    )


class Flow:
    """Arranges the boxes of a model; name: of the part of a source that a step in another part reads."""

    def __init__(
        self, boxes: Sequence[Box], name: Callable[[Value, Value], str], form: Form, predicted: Value | None
    ) -> None:
        self.name, self.form, self.predicted = name, form, predicted
        self.sources: dict[Value, list[Value]] = {}
        for source, target in edges_of(boxes):
            self.sources.setdefault(target, []).append(source)
        self.shown: set[tuple[Value, Value]] = set()

    def arrange(self, items: Sequence[Box | Frame]) -> tuple[Item, ...]:
        """The items of the whole model, as rows and forks, with their lines."""
        return self._place(self._order([self._structured(item) for item in items], is_joined=False), frozenset())

    def _into(self, targets: Iterable[Value], inside: set[Value]) -> list[tuple[Value, Value]]:
        """The edges into some steps from outside."""
        return [
            (source, target) for target in targets for source in self.sources.get(target, ()) if source not in inside
        ]

    def _structured(self, item: Item) -> Item:
        """A box or a frame with what it holds in order, what is given above what reads it."""
        if isinstance(item, Box):
            outcome = [Outcome(value) for value in item.values if value is self.predicted]
            return item.replace(items=(*self._matrices(item), *outcome))
        assert isinstance(item, Frame)
        given = [one for one in item.items if _is_given(one)]
        flowing = [one for one in item.items if one not in given]
        if not flowing:
            flowing, given = list(item.items), []
        ordered = _in_rows(self._order([self._structured(one) for one in flowing], is_joined=True))
        return item.replace(items=tuple(self._with_given(ordered, [self._structured(box) for box in given])))

    def _with_given(self, items: Sequence[Item], given: Sequence[Item]) -> Iterator[Item]:
        """The items, the boxes of given matrices above the first that reads them, or before the first of all."""
        waiting = list(given)
        for at, item in enumerate(items):
            read = {source for source, _ in self._into(steps_in(item), set())}
            above = [box for box in waiting if read & {*steps_in(box)} or at == len(items) - 1]
            waiting = [box for box in waiting if box not in above]
            if above and (at or self.form == "forked"):
                yield Over(tuple(above), item)
            else:
                yield from (*above, item)

    def _order(self, items: Sequence[Item], is_joined: bool) -> list[Item]:
        """In a row what reads one another, as forks what is side by side; is_joined: by something around them."""
        home = {value: at for at, item in enumerate(items) for value in steps_in(item)}
        links = {
            (home[source], home[target])
            for target in home
            for source in self.sources.get(target, ())
            if home.get(source, home[target]) != home[target]
            and not (
                _are_alike(items[home[source]], items[home[target]])
                and source is not list(steps_in(items[home[source]]))[-1]
            )
        }
        return _ordered(items, range(len(items)), links, is_joined)

    def _place(self, items: Sequence[Item], entering: frozenset[Value]) -> tuple[Item, ...]:
        """The items in a row with the lines to and in them; entering: where the line to the first begins."""
        home = {value: at for at, item in enumerate(items) for value in steps_in(item)} | dict.fromkeys(entering, -1)
        placed: list[Item] = []
        ways: dict[tuple[int, int], Edges] = {}
        for at, item in enumerate(items):
            edges = [edge for edge in self._into(_firsts(item), {*steps_in(item)}) if edge not in self.shown]
            self.shown.update(edges)
            line = tuple(edge for edge in edges if home.get(edge[0]) == at - 1)
            way = tuple(edge for edge in edges if edge[0].operation is not None and home.get(edge[0], at) < at - 1)
            start = min((home[source] + 1 for source, _ in way), default=at)
            if way and not any(low < start <= high for low, high in ways):  # two ways do not cross
                ways[start, at] = way
            else:
                way = ()
            tags = self._tags(edge for edge in edges if edge not in {*line, *way})
            sources = frozenset(source for source, _ in (*line, *way)) | (entering if not at else frozenset())
            placed.append(self._with_lines(item, line, tags, sources))
        return _around(self._joined(placed), ways, 0, len(placed))

    def _tags(self, edges: Iterable[tuple[Value, Value]]) -> tuple[Tag, ...]:
        found: dict[Value, Edges] = {}
        for source, target in edges:
            found[source] = (*found.get(source, ()), (source, target))
        return tuple(Tag(source, self.name(source, edges[0][1]), edges) for source, edges in found.items())

    def _with_lines(self, item: Item, line: Edges, tags: tuple[Tag, ...], entering: frozenset[Value]) -> Item:
        match item:
            case Box():
                return item.replace(line=line, tags=tags)
            case Frame():
                return item.replace(line=line, tags=tags, items=self._place(item.items, entering))
            case Fork():
                lanes = (lane.replace(items=self._place(lane.items, entering)) for lane in item.lanes)
                return item.replace(lanes=tuple(lanes), line=line, tags=tags)
            case Over():
                down = tuple(self._into(_firsts(item.below), {*steps_in(item.below)}))
                down = tuple(edge for edge in down if edge[0] in {*chain(*map(steps_in, item.above))})
                self.shown.update(down)
                return item.replace(below=self._with_lines(item.below, line, tags, entering), edges=down)
            case _:
                return item

    def _matrices(self, box: Box) -> tuple[Item, ...]:
        """The matrices of a box, those side by side that do not read one another."""
        units, waiting = [], []
        for value in box.values:
            waiting.append(value)
            if value.inputs and not is_parameter(value):
                units.append(Matrices(tuple(waiting)))
                waiting = []
        if waiting or not units:
            units.append(Matrices(tuple(waiting)))
        if self.form == "flat" or any(map(_token_of, units)):
            return tuple(_by_token(units))
        return self._lanes(self._order(units, is_joined=True))

    def _lanes(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """Matrices in a row; lines are drawn into and out of forks alone, elsewhere the order says what reads what."""
        found: list[Item] = []
        for at, item in enumerate(items):
            before = items[at - 1] if at else Matrices(())
            sources = set(steps_in(before))
            line = tuple(edge for edge in self._into(steps_in(item), set()) if edge[0] in sources)
            if isinstance(item, Fork):
                lanes = (lane.replace(items=self._lanes(lane.items)) for lane in item.lanes)
                found.append(item.replace(lanes=tuple(lanes), line=line))
            elif isinstance(before, Fork):
                rest = [one for one in items[at:] if isinstance(one, Matrices)]
                found.append(Rows(_balanced(rest, len(before.lanes) if len(rest) > 1 else 1), line))
                break
            else:
                found.append(item)
        return self._joined(found)

    def _joined(self, items: Sequence[Item]) -> tuple[Item, ...]:
        """The items; lanes of forks know whether they read what is outside, and whether what is behind reads them."""
        return tuple(self._with_ends(item, items[at + 1 : at + 2]) for at, item in enumerate(items))

    def _with_ends(self, item: Item, behind: Sequence[Item]) -> Item:
        if isinstance(item, Over):
            return item.replace(below=self._with_ends(item.below, behind))
        if not isinstance(item, Fork):
            return item
        read, inside = {source for one in behind for source, _ in line_to(one)}, {*steps_in(item)}
        lanes = (
            lane.replace(
                reads=bool(self._into(_firsts(lane.items[0]), inside)),
                is_read=bool(read & {*chain(*map(steps_in, lane.items))}),
            )
            for lane in item.lanes
        )
        return item.replace(lanes=tuple(lanes))


def _ordered(items: Sequence[Item], places: Sequence[int], links: set[tuple[int, int]], is_joined: bool) -> list[Item]:
    """Some items, arranged: the first or the last is taken off until what is left is side by side."""
    groups = _connected(places, links)
    if len(groups) > 1:
        lanes = [_ordered(items, group, links, True) for group in groups]
        return (
            [Fork(tuple(Lane(tuple(lane)) for lane in lanes))] if is_joined else [one for lane in lanes for one in lane]
        )
    if len(places) < 2:
        return [items[at] for at in places]
    first, *rest = places
    behind = _connected(rest, links)
    if len(behind) > 1 and all(any((first, at) in links for at in group) for group in behind):
        return [items[first], *_ordered(items, rest, links, True)]
    *rest, last = places
    return [*_ordered(items, rest, links, True), items[last]]


def _connected(places: Sequence[int], links: set[tuple[int, int]]) -> list[list[int]]:
    """The places that links join, in groups, in the order of the first of each."""
    groups: list[list[int]] = []
    for at in places:
        joined = [group for group in groups if any((one, at) in links or (at, one) in links for one in group)]
        groups = [group for group in groups if group not in joined]
        groups.append(sorted([at, *(one for group in joined for one in group)]))
    return sorted(groups)


def _around(items: Sequence[Item], ways: Mapping[tuple[int, int], Edges], start: int, end: int) -> tuple[Item, ...]:
    """The items from start to end, those with a way around them as one; the longest way is the outermost."""
    found: list[Item] = []
    at = start
    while at < end:
        last = max((high for low, high in ways if low == at and high < end), default=at)
        if last == at:
            found.append(items[at])
        else:
            inner = {span: edges for span, edges in ways.items() if span != (at, last)}
            found.append(Around(_around(items, inner, at, last + 1), ways[at, last]))
        at = last + 1
    return tuple(found)


def _firsts(item: Item) -> list[Value]:
    """The steps of an item to which a line into it can lead: those of its first box, or of the first in each lane."""
    match item:
        case Frame():
            return _firsts(next((one for one in item.items if not _is_given(one)), item.items[0]))
        case Fork():
            return [value for lane in item.lanes for value in _firsts(lane.items[0])]
        case Over():
            return _firsts(item.below)
        case _:
            return list(steps_in(item))


def _is_given(item: Item) -> bool:
    """Whether nothing in a box reads anything, as a mask."""
    return isinstance(item, Box) and not any(value.inputs for value in item.values)


def _are_alike(one: Item, other: Item) -> bool:
    """Whether they are told apart by their number alone, as heads are."""
    if not isinstance(one, Box | Frame) or not isinstance(other, Box | Frame) or one.path == other.path:
        return False
    return one.title.rstrip("0123456789") == other.title.rstrip("0123456789")


def _in_rows(items: Sequence[Item]) -> list[Item]:
    """The items, the matrices of a box behind a fork in as many lines as that has lanes."""
    found = list(items)
    for at, (before, item) in enumerate(pairwise(items), 1):
        units = [one for one in item.items if isinstance(one, Matrices)] if isinstance(item, Box) else []
        if isinstance(before, Fork) and isinstance(item, Box) and len(units) == len(item.items) > 1:
            found[at] = item.replace(items=(Rows(_balanced(units, len(before.lanes))),))
    return found


def _token_of(unit: Matrices) -> PartName | None:
    """The token that some matrices are of, where one is calculated after the other."""
    return next((part for part in parts_of(unit.values[0].path)[-1:] if part.word == "token"), None)


def _by_token(units: Sequence[Matrices]) -> Iterator[Item]:
    """The units, those of a token in a line behind its word."""
    for is_of_token, held in groupby(units, lambda unit: bool(_token_of(unit))):
        lines = [tuple(line) for _, line in groupby(held, _token_of)]
        if is_of_token:
            yield Rows(tuple((Words(line[0].values[0]), *line) for line in lines))
        else:
            yield from chain(*lines)


def _balanced(units: Sequence[Matrices], count: int) -> tuple[tuple[Matrices, ...], ...]:
    """Units in so many rows, none much longer than the others."""
    widths = [sum(value.shape[1] for value in unit.values) for unit in units]
    rows: list[list[Matrices]] = [[]]
    across = 0
    for unit, wide in zip(units, widths, strict=True):
        if rows[-1] and len(rows) < count and across + wide / 2 > sum(widths) * len(rows) / count:
            rows.append([])
        rows[-1].append(unit)
        across += wide
    return tuple(map(tuple, rows))
