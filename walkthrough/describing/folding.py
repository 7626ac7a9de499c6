"""Layers that differ in a number within the names of their tensors, and in nothing else, as one that is repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from walkthrough.describing.judge import Keys
from walkthrough.describing.layers import Layer
from walkthrough.describing.modules import tensors_in
from walkthrough.records import Record

_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"[A-Za-z_][\w.]*\.[\w.]*\w")


class Repeated(Record, eq=False):
    """A layer, how often it is there, and what {i} counts from."""

    layer: Layer
    count: int = 1
    first: int = 0

    @property
    def keys(self) -> Keys:
        """As it is written."""
        if self.count == 1:
            return self.layer.keys
        return {"repeat": self.count, **({"first": self.first} if self.first else {}), "layer": self.layer.keys}


def fold(layers: Sequence[Layer]) -> Iterator[Repeated]:
    """The layers in order, those that are one as one: with the same tensors, or with a number in their names."""
    while layers:
        names = tensors_in(layers[0].keys)
        numbers = dict.fromkeys((at, int(one)) for name in names for at, one in enumerate(_NUMBER.findall(name)))
        runs = [Repeated(layers[0]), _run(layers)]
        runs += [_run([_numbered(one, at, first + i) for i, one in enumerate(layers)], first) for at, first in numbers]
        found = max(runs, key=lambda one: one.count)
        yield found
        layers = layers[found.count :]


def _run(layers: Sequence[Layer], first: int = 0) -> Repeated:
    """The first of the layers, as often as those after it are the same."""
    count = next((at for at, one in enumerate(layers) if one != layers[0]), len(layers))
    return Repeated(layers[0], count, first)


def _numbered(layer: Layer, place: int, number: int) -> Layer:
    """The layer with {i} for a number, where it stands at that place among those of a tensor's name."""
    name = partial(with_number, at=place, number=str(number), other="{i}")
    questions = tuple((path, _NAME.sub(lambda found: name(found[0]), sentence)) for path, sentence in layer.questions)
    return Layer(renamed(layer.keys, name), questions)


def with_number(name: str, at: int, number: str, other: str) -> str:
    """A name with another word for a number, where it stands at that place among its numbers."""
    numbers = list(_NUMBER.finditer(name))
    if at >= len(numbers) or numbers[at][0] != number:
        return name
    return f"{name[: numbers[at].start()]}{other}{name[numbers[at].end() :]}"


def renamed(held: Any, name: Callable[[str], str]) -> Any:
    """Keys with other names for the tensors in them."""
    if isinstance(held, list):
        return [renamed(one, name) for one in held]
    if not isinstance(held, Mapping):
        return held
    return {key: name(one) if key == "tensor" else renamed(one, name) for key, one in held.items()}
