"""The map of a model: its parts as they nest, with the numbered steps in them, and what flows from part to part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import parts_of
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record


class Numbered(Record):
    """A value with its number in the whole calculation, from 1, and its title."""

    number: int
    value: Value
    title: str

    @property
    def path(self) -> str:
        """The path of the value."""
        return self.value.path


class Part:
    """A part of the model: its steps and the parts in it, in the order in which they begin.

    path, title: both empty for the whole model; the title is in the language of the trace
    """

    __slots__ = ("children", "path", "title")

    def __init__(self, path: str, title: str) -> None:
        self.path = path
        self.title = title
        self.children: list[Part | Numbered] = []

    @property
    def stem(self) -> str:
        """Its title without the number that parts alike are told by."""
        return self.title.rstrip("0123456789")

    def steps(self) -> Iterator[Numbered]:
        """All steps in it, those of its parts included."""
        for child in self.children:
            if isinstance(child, Part):
                yield from child.steps()
            else:
                yield child

    def parts(self) -> Iterator[Part]:
        """Itself, and all parts in it."""
        yield self
        for child in self.children:
            if isinstance(child, Part):
                yield from child.parts()


def map_of(trace: Trace, values: Iterable[Value] | None = None) -> Part:
    """The whole model, or what some values make up; numbers are those in the whole calculation, 0 of others."""
    numbers = {value: number for number, value in enumerate(trace, 1)}
    whole, words = Part("", ""), catalogue(trace.language)
    parts = {"": whole}
    for value in trace if values is None else values:
        _part_for(parts, value, words).children.append(Numbered(numbers.get(value, 0), value, words.title(value.kind)))
    return whole


def _part_for(parts: dict[str, Part], value: Value, words: Catalogue) -> Part:
    """The innermost part of a value, made with those around it where it is new."""
    home = parts[""]
    for name in parts_of(value.path):
        inner = parts.get(name.path)
        if inner is None:
            inner = parts[name.path] = Part(name.path, words.heading(name))
            home.children.append(inner)
        home = inner
    return home


class Flow(Record):
    """Values that go from one child of a part to another, each by its path; "" is what lies outside of the part."""

    source: str
    target: str
    values: tuple[Value, ...]


def flows(trace: Trace) -> dict[str, tuple[Flow, ...]]:
    """What flows inside each part, by the path of the part: between its children, into them, and out of it.

    A value that is used in a part further away flows out of each part around it, and into each around its user.
    """
    found: dict[str, dict[tuple[str, str], dict[Value, None]]] = {}
    for value in trace:
        for given in value.inputs:
            source = trace.get(given.path)
            if source is not None:
                for part, ends in _parts_crossed(_paths_around(source), _paths_around(value)):
                    found.setdefault(part, {}).setdefault(ends, {})[source] = None
    return {
        part: tuple(Flow(*ends, tuple(values)) for ends, values in between.items()) for part, between in found.items()
    }


def _paths_around(value: Value) -> list[str]:
    """The paths of the parts around a value, the whole first, and at the end its own."""
    return ["", *(name.path for name in parts_of(value.path)), value.path]


def _parts_crossed(source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each part that an arrow is seen in, with its two ends there."""
    common = next(at for at, (one, other) in enumerate(zip(source, target, strict=False)) if one != other)
    yield source[common - 1], (source[common], target[common])
    yield from ((source[at], (source[at + 1], "")) for at in range(common, len(source) - 1))
    yield from ((target[at], ("", target[at + 1])) for at in range(common, len(target) - 1))


class RepeatedParts(Record):
    """A part, and those right after it that have the same steps: a map shows the first alone.

    same_shapes: whether the matrices of the others have the shapes of the first one's too
    """

    first: Part
    others: tuple[Part, ...]
    same_shapes: bool


def join_repeats(part: Part) -> list[RepeatedParts | Numbered]:
    """The children of a part, with parts that repeat taken together."""
    found: list[RepeatedParts | Numbered] = []
    signs: tuple[object, object] = ((), ())
    for child in part.children:
        if isinstance(child, Numbered):
            found.append(child)
            continue
        before, last = signs, found[-1] if found else None
        signs = _signature(child)
        if isinstance(last, RepeatedParts) and before[0] == signs[0]:
            same = last.same_shapes and before[1] == signs[1]
            found[-1] = last.replace(others=(*last.others, child), same_shapes=same)
        else:
            found.append(RepeatedParts(child, (), same_shapes=True))
    return found


def _signature(part: Part) -> tuple[object, object]:
    """What the steps in a part are, by their names in it; and their shapes."""
    steps = list(part.steps())
    names = tuple((step.path.removeprefix(part.path), step.value.kind.title) for step in steps)
    return (part.stem, names), tuple(step.value.shape for step in steps)
