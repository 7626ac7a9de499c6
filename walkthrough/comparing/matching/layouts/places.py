"""Their name → our steps: recognises whose names they are, and finds what each of them stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations, count, islice, product, takewhile
from typing import NamedTuple

from walkthrough.checkpoints.paths import parameters_of
from walkthrough.comparing.matching.layouts import LAYOUTS
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_WORD = re.compile("[A-Za-z_]+")
_EACH = re.compile(r"\.(head|expert)\.\*(?=\.|$)")
"""All heads, or all experts."""


class Place(NamedTuple):
    """What one tensor may hold: the values of all heads or experts, or of one step; several such in one (q|k|v)."""

    groups: tuple[tuple[Value, ...], ...]


def recognise_layout(names: Iterable[str], trace: Trace) -> str:
    """The layout that most of the names belong to; empty where none of them belongs to any."""
    names = list(names)
    found = {layout: sum(any(True for _ in find_places(name, layout, trace)) for name in names) for layout in LAYOUTS}
    best = max(LAYOUTS, key=found.__getitem__)
    return best if found[best] else ""


def find_places(name: str, layout: str, trace: Trace) -> Iterator[Place]:
    """What a name of a layout stands for in the trace, the likeliest first."""
    paths, numbers = _meaning(name, _table(layout))
    for path in paths.split("|") if paths else ():
        yield from _places(path.replace("{e}", str(numbers.get("e", 0) + 1)), numbers.get("i"), trace)


def _meaning(name: str, table: Mapping[str, str]) -> tuple[str, Mapping[str, int]]:
    """Our paths of the longest ending of a name that a table has, and the numbers in it; words alone precede it."""
    words = name.split(".")
    for first in range(len(words)):
        if first and not _WORD.fullmatch(words[first - 1]):
            break
        ending = words[first:]
        is_of_the_model = ending[0] == "output" and len(ending) < 3
        places = [at for at, word in enumerate(ending) if word.isdecimal() and len(word) < 7]
        for letters in ("", "i", "ie"):
            for chosen in combinations(places, len(letters)):
                put = dict(zip(chosen, letters, strict=True))
                known = ".".join(f"{{{put[at]}}}" if at in put else word for at, word in enumerate(ending))
                if known in table and not (first and is_of_the_model):
                    return table[known], {letter: int(ending[at]) for at, letter in put.items()}
    return "", {}


@cache
def _table(layout: str) -> Mapping[str, str]:
    """The names of a layout with those of its parameters."""
    table: dict[str, str] = {}
    for theirs, ours in LAYOUTS[layout].items():
        weights, biases = zip(*map(parameters_of, ours.split("|")), strict=True)
        for name, parameters in (("weight", weights), ("bias", biases)):
            if any(parameters):
                table[f"{theirs}.{name}"] = "|".join(filter(None, parameters))
    return {**table, **LAYOUTS[layout]}


def _places(path: str, number: int | None, trace: Trace) -> Iterator[Place]:
    """The places of a path in either stack, with either word for its attention, whichever the trace has."""
    for stack, attention in product(("encoder", "decoder"), ("attention", "self_attention")):
        place = find_place(path.format_map(_Words(stack, attention, number, trace)), trace)
        if place is not None:
            yield place
        if "{" not in path:
            return  # it is the same in every stack


class _Words:
    """What the words in braces of a path stand for: a layer, its attention, what goes into it, what comes out."""

    def __init__(self, stack: str, attention: str, number: int | None, trace: Trace) -> None:
        self.stack, self.attention, self.number, self.trace = stack, attention, number or 0, trace

    def __getitem__(self, word: str) -> str:
        return _MEANINGS[word](self)

    def layer(self) -> str:
        return f"{self.stack}.{self.number + 1}"

    def attending(self) -> str:
        """The layer of the attention with that number: of those that have weights, as linear attention has not."""
        layers = (f"{self.stack}.{number}" for number in count(1))
        with_weights = (layer for layer in layers if f"{layer}.linear_attention.output" not in self.trace)
        return next(islice(with_weights, self.number, None))

    def routed(self) -> str:
        """The output of the experts, which is no step where a shared network is added in the same one."""
        return "routed" if f"{self.layer()}.feed_forward.shared.output" in self.trace else "output"

    def only_layer(self) -> str:
        """The layer of a stack that has no other."""
        return "" if self.after(1) else f"{self.stack}.1"

    def before(self) -> str:
        """What goes into the layer: what comes out of the one before, or the input."""
        if self.number:
            return self.after(self.number - 1)
        if not self.after(0):
            return ""
        return "decoder.input" if self.stack == "decoder" and "decoder.input" in self.trace else "input"

    def after(self, number: int, stack: str = "") -> str:
        """The last step of a layer; empty where there is no such layer."""
        return last_step_of(f"{stack or self.stack}.{number + 1}", self.trace)


_MEANINGS: dict[str, Callable[[_Words], str]] = {
    "layer": _Words.layer,
    "attending": _Words.attending,
    "routed": _Words.routed,
    "self": lambda words: words.attention,
    "n": lambda words: str(words.number + 1),
    "only": _Words.only_layer,
    "before": _Words.before,
    "after": lambda words: words.after(words.number),
    "after_encoder": lambda words: words.after(words.number, "encoder"),
    "after_decoder": lambda words: words.after(words.number, "decoder"),
}


def last_step_of(layer: str, trace: Trace) -> str:
    """The path of the last computed step of a layer; empty where there is no such layer."""
    beginning = f"{layer}."
    inside = (path for path in reversed(trace.values) if path.startswith(beginning))
    return next((path for path in inside if trace.values[path].operation is not None), "")


def find_place(path: str, trace: Trace) -> Place | None:
    """The values of a path, of which `head.*`, `expert.*` and `a+b` name several; None where one is not there."""
    beginning, _, last = path.rpartition(".")
    if "+" in last:
        parts = [find_place(f"{beginning}.{word}", trace) for word in last.split("+")]
        return Place(tuple(part.groups[0] for part in parts if part)) if all(parts) else None
    each = _EACH.search(path)
    if each is None:
        value = trace.get(path)
        return Place(((value,),)) if value is not None else None
    before, after = path[: each.start()], path[each.end() :]
    found = (trace.get(f"{before}.{each[1]}.{number}{after}") for number in count(1))
    values = tuple(value for value in takewhile(lambda one: one is not None, found) if value is not None)
    return Place((values,)) if values else None


def number_reader(theirs: str) -> Callable[[str], dict[str, int] | None]:
    """Reads `{i}` and `{h}` off names that look like a name of theirs; None for others."""
    pattern = re.escape(theirs)
    for letter in "ih":
        first, rest = rf"(?P<{letter}>\d{{1,6}})", rf"(?P={letter})"
        pattern = pattern.replace(rf"\{{{letter}\}}", first, 1).replace(rf"\{{{letter}\}}", rest)
    compiled = re.compile(pattern)

    def read(name: str) -> dict[str, int] | None:
        match = compiled.fullmatch(name)
        return {letter: int(number) for letter, number in match.groupdict().items()} if match else None

    return read
