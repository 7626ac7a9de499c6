"""Where a step is, as its path says: in which layer, in which head; and where a mistake is made again."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import count, takewhile
from typing import NamedTuple, TypeVar

from walkthrough.mistakes.mistake import Mistake
from walkthrough.mistakes.words import Again
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

T = TypeVar("T")

_IN_HEAD = re.compile(r"(?P<heads>.*\.head\.)(?P<number>\d+)\.(?P<name>.+)")
_IN_LAYER = re.compile(r"(?P<stack>(?:.+\.)?(?:encoder|decoder))\.(?P<number>\d+)\..+")
_HEAD_NUMBER = re.compile(r"(\b(?:head|token))\.\d+\.")
_NUMBER = re.compile(r"\d+")
_LAYER_NUMBER = re.compile(r"(\b(?:encoder|decoder))\.\d+\.")


class InHead(NamedTuple):
    """A step of a head: what its path begins with for every head and for its own, and the rest of the path."""

    heads: str
    number: int
    name: str

    @property
    def head(self) -> str:
        return f"{self.heads}{self.number}."


class InLayer(NamedTuple):
    """A step of a layer: the path of the stack, such as decoder or generate.2.decoder, and the layer's number."""

    stack: str
    number: int


def place_in_head(path: str) -> InHead | None:
    """Where in which head a step is; None for a step of none."""
    found = _IN_HEAD.fullmatch(path)
    return InHead(found["heads"], int(found["number"]), found["name"]) if found else None


def place_in_layer(path: str) -> InLayer | None:
    """In which layer a step is; None for a step of none."""
    found = _IN_LAYER.fullmatch(path)
    return InLayer(found["stack"], int(found["number"])) if found else None


def in_every_head(trace: Trace, heads: str, name: str) -> list[Value]:
    """The step of that name in each head, in their order; heads that share one have it several times."""
    found = (trace.get(f"{heads}{number}.{name}") for number in count(1))
    return [one for one in takewhile(lambda one: one is not None, found) if one is not None]


def same_in_all_heads(value: Value, trace: Trace) -> list[Value]:
    """The same step of all heads, those that share one once."""
    place = place_in_head(value.path)
    return list(dict.fromkeys(in_every_head(trace, place.heads, place.name))) if place is not None else [value]


def in_any_head(path: str) -> str:
    """A path without the number of its head, and of its token: the role of a step in each head of an attention."""
    return _HEAD_NUMBER.sub(r"\1.*.", path)


def in_any_layer(path: str) -> str:
    """A path without the numbers of its layers."""
    return _LAYER_NUMBER.sub(r"\1.*.", path)


def in_any_place(path: str) -> str:
    """A path without its pass and its numbers: the role of a step in each head, layer, norm or expert."""
    return _NUMBER.sub("*", within_pass(path))


def group_mistakes(found: Iterable[tuple[Mistake | None, str, T]]) -> list[dict[str, list[T]]]:
    """What was found, by the mistake that it was made by, and then by the path of its step; without one by the path.

    A mistake is made again in a like step, if its word is the same; one that is done to a whole matrix also in any
    step of which the same is said.
    """
    groups: dict[Hashable, dict[str, list[T]]] = {}
    for made, path, one in found:
        keys = [path] if made is None else list(in_common(made, path))
        group = next((groups[key] for key in keys if key in groups), {})
        for key in keys:
            groups.setdefault(key, group)
        group.setdefault(path, []).append(one)
    return list({id(group): group for group in groups.values()}.values())


def in_common(made: Mistake, path: str) -> Iterator[Hashable]:
    """What a mistake in a step has in common with those that are the same one, made again."""
    where = {Again.NOWHERE: path, Again.IN_LIKE_STEPS: in_any_place(path), Again.ANYWHERE: ""}
    yield made.word, where[made.row.again]
    if made.is_of_step:
        yield made.key, frozenset(fact for _, fact in made.rename_paths(in_any_place).facts)
