"""Their name → our steps: recognises whose names they are, and finds what each of them stands for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import count, product, takewhile
from typing import NamedTuple

from walkthrough.comparing.layouts.tables import LAYOUTS, PARAMETERS
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_PREFIX = r"(?:[A-Za-z_]+\.)*"
_HEADS = ".head.*."
_PASS = re.compile(r"(?:generate|train)\.\d+\.|gradient\.|update\.")


class Place(NamedTuple):
    """What one tensor may hold: the values of all heads, or of one step; several such side by side (q|k|v)."""

    groups: tuple[tuple[Value, ...], ...]


class Known(NamedTuple):
    """A name of theirs in a table: its pattern, and our templates."""

    pattern: re.Pattern[str]
    templates: tuple[str, ...]


def recognised(names: Iterable[str], trace: Trace) -> str:
    """The layout that most of the names belong to; empty where none of them belongs to any."""
    names = list(names)
    found = {layout: sum(any(True for _ in places(name, layout, trace)) for name in names) for layout in LAYOUTS}
    best = max(LAYOUTS, key=found.__getitem__)
    return best if found[best] else ""


def places(name: str, layout: str, trace: Trace) -> Iterator[Place]:
    """What a name of a layout stands for in the trace, the likeliest first."""
    for known in _compiled(layout):
        if match := known.pattern.fullmatch(name):
            number = match.groupdict().get("i")
            for template in known.templates:
                yield from _placed(template, int(number) if number is not None else None, trace)
            return


@cache
def _compiled(layout: str) -> tuple[Known, ...]:
    """The names of a layout with those of its parameters; the longer ones first, which say more."""
    table: dict[str, str] = {}
    for theirs, ours in LAYOUTS[layout].items():
        for kind, name in enumerate(("weight", "bias")):
            parameters = [one for one in (_parameter(each, kind) for each in ours.split("|")) if one]
            if parameters:
                table[f"{theirs}.{name}"] = "|".join(parameters)
    table |= LAYOUTS[layout]
    ordered = sorted(table, key=lambda theirs: -theirs.count("."))
    return tuple(Known(_pattern(theirs), tuple(table[theirs].split("|"))) for theirs in ordered)


def _pattern(theirs: str) -> re.Pattern[str]:
    prefix = "" if theirs.partition(".")[0] == "output" and theirs.count(".") < 2 else _PREFIX  # of the model itself
    return re.compile(prefix + re.escape(theirs).replace(r"\{i\}", r"(?P<i>\d{1,6})"))


def _parameter(path: str, kind: int) -> str:
    """The path of the weight (0) or the bias (1) of what is computed; empty where there is none."""
    for ending, parameters in PARAMETERS.items():
        if path.endswith(ending) and parameters[kind]:
            return path.removesuffix(ending) + parameters[kind]
    return ""


def _placed(template: str, number: int | None, trace: Trace) -> Iterator[Place]:
    """A template's places: `{layer}` and `{self}` stand for one of several words, whichever the trace has."""
    for stack, attention in product(("encoder", "decoder"), ("attention", "self_attention")):
        path = template
        if number is not None:
            path = _around(path, stack, number, trace)
        for word, meant in (("{layer}", f"{stack}.{(number or 0) + 1}"), ("{self}", attention)):
            path = path.replace(word, meant)
        if "{only}" in path:
            path = "" if _after(stack, 1, trace) else path.replace("{only}", f"{stack}.1")
        place = placed(path, trace) if path else None
        if place is not None:
            yield place
        if not _VARIES.search(template):
            return  # the words are the same whichever stack it is


_VARIES = re.compile(r"\{(?:layer|self|only|before|after)\}")


def _around(path: str, stack: str, number: int, trace: Trace) -> str:
    """`{n}`, `{before}` and `{after}` in the path's place; empty where the trace has no such layer."""
    path = path.replace("{n}", str(number + 1))
    if path == "{before}":
        return _before(stack, number, trace)
    if path == "{after}":
        return _after(stack, number, trace)
    if path in ("{after_encoder}", "{after_decoder}"):
        return _after(path[7:-1], number, trace)
    return path


def _before(stack: str, number: int, trace: Trace) -> str:
    """What goes into a layer: what comes out of the one before, or the input."""
    if number:
        return _after(stack, number - 1, trace)
    if not _after(stack, 0, trace):
        return ""
    return "decoder.input" if stack == "decoder" and "decoder.input" in trace else "input"


def _after(stack: str, number: int, trace: Trace) -> str:
    """The last step of a layer."""
    prefix = f"{stack}.{number + 1}."
    computed = [path for path, value in trace.values.items() if path.startswith(prefix) and value.operation is not None]
    return computed[-1] if computed else ""


def placed(path: str, trace: Trace) -> Place | None:
    """The values of a path, of which `head.*` and `a+b` name several; None where one of them is not there."""
    beginning, _, last = path.rpartition(".")
    if "+" in last:
        parts = [placed(f"{beginning}.{word}", trace) for word in last.split("+")]
        return Place(tuple(part.groups[0] for part in parts if part)) if all(parts) else None
    if _HEADS not in path:
        value = trace.get(path)
        return Place(((value,),)) if value is not None else None
    before, after = path.split(_HEADS)
    found = (trace.get(f"{before}.head.{number}.{after}") for number in count(1))
    values = tuple(value for value in takewhile(lambda one: one is not None, found) if value is not None)
    return Place((values,)) if values else None


def of_values(values: Iterable[Value]) -> Place:
    """A place of the values of all heads."""
    return Place((tuple(values),))


def numbered(theirs: str) -> Callable[[str], dict[str, int] | None]:
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
