"""The map of a model: its parts as they nest, with the numbered steps in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.parts import PartName, parts_of
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


def map_of(
    trace: Trace,
    values: Iterable[Value] | None = None,
    names: Mapping[Value, str] | None = None,
    around: Sequence[PartName] = (),
) -> Part:
    """The whole model, or what some values make up; numbers are those in the whole calculation, 0 of others.

    names: paths that say in which parts values are, instead of their own; around: parts that are around all of them
    """
    numbers = {value: number for number, value in enumerate(trace, 1)}
    whole, words = Part("", ""), catalogue(trace.language)
    parts = {"": whole}
    for value in trace if values is None else values:
        inner = [part for part in parts_of(names[value] if names else value.path) if part not in around]
        home = _part_for(parts, inner, words)
        home.children.append(Numbered(numbers.get(value, 0), value, words.title(value.kind)))
    return whole


def _part_for(parts: dict[str, Part], names: Iterable[PartName], words: Catalogue) -> Part:
    """The innermost of some parts, made with those around it where it is new."""
    home = parts[""]
    for name in names:
        inner = parts.get(name.path)
        if inner is None:
            inner = parts[name.path] = Part(name.path, words.heading(name))
            home.children.append(inner)
        home = inner
    return home


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
