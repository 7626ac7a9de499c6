"""Layers that differ in a number within the names of their tensors, and in nothing else, as one that is repeated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from walkthrough.comparing.describing.written.sections import Section
from walkthrough.records import Record

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[A-Za-z_][\w.]*\.[\w.]*\w")


class Repeated(Record, eq=False):
    """A layer, how often it is there, and what {i} counts from."""

    layer: Section
    count: int = 1
    first: int = 0


def fold(layers: Sequence[Section]) -> Iterator[Repeated]:
    """The layers in order, those that are one as one."""
    at = 0
    while at < len(layers):
        found = max(_runs(layers[at:]), key=lambda one: one.count)
        yield found
        at += found.count


def _runs(layers: Sequence[Section]) -> Iterator[Repeated]:
    """The first layer by itself, or repeated with the same tensors, or with one of the numbers in their names."""
    first = layers[0]
    yield Repeated(first)
    yield Repeated(first, _count(layers, [first] * len(layers)))
    numbers = [list(map(int, _NUMBER.findall(name))) for name in _names(first.keys)]
    for place, number in dict.fromkeys(pair for found in numbers for pair in enumerate(found)):
        numbered = [_numbered(one, place, number + at) for at, one in enumerate(layers)]
        if _names(numbered[0].keys) != _names(first.keys):
            yield Repeated(numbered[0], _count(numbered, [numbered[0]] * len(layers)), number)


def _count(layers: Sequence[Section], same: Sequence[Section]) -> int:
    """How many of the first layers are the same."""
    pairs = enumerate(zip(layers, same, strict=True))
    differing = (at for at, (one, two) in pairs if one.keys != two.keys or one.asked != two.asked)
    return next(differing, len(layers))


def _numbered(layer: Section, place: int, number: int) -> Section:
    """The layer with {i} for a number, where it stands at that place among those of a tensor's name."""

    def name(text: str) -> str:
        for at, found in enumerate(_NUMBER.finditer(text)):
            if at == place and int(found[0]) == number:
                return f"{text[: found.start()]}{{i}}{text[found.end() :]}"
        return text

    asked = ((path, _NAME.sub(lambda found: name(found[0]), sentence)) for path, sentence in layer.asked)
    return Section({key: _renamed(one, name) for key, one in layer.keys.items()}, tuple(asked))


def _renamed(held: Any, name: Any) -> Any:
    if not isinstance(held, dict):
        return held
    return {key: name(one) if key == "tensor" else _renamed(one, name) for key, one in held.items()}


def _names(held: Any) -> list[str]:
    """The names of tensors in some keys, in order."""
    if not isinstance(held, dict):
        return []
    return [name for key, one in held.items() for name in ([one] if key == "tensor" else _names(one))]
