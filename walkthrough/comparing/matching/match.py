"""An engineer's own intermediates beside a trace: what each of them is called here, and how it may be read."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.matching.files import TensorsError, Unread, read_names
from walkthrough.comparing.matching.layouts import LAYOUTS
from walkthrough.comparing.matching.layouts.places import (
    Place,
    find_place,
    find_places,
    recognise_layout,
)
from walkthrough.comparing.matching.readings import Reading, find_readings, shapes_that_fit
from walkthrough.comparing.matching.renaming import read_renaming
from walkthrough.comparing.matching.tensors import NotCompared, Theirs, precision_of
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import did_you_mean, escape_label, in_quotes

_MOST_SHAPES = 4


def resolve_names(names: str) -> tuple[str, Mapping[str, str]]:
    """A known layout, or the names that a file gives; neither where nothing is asked for."""
    if not names or names in LAYOUTS:
        return names, {}
    if not os.path.lexists(names):
        hint = did_you_mean(names, LAYOUTS) or f"known layouts: {', '.join(LAYOUTS)}"
        raise TensorsError(f"there is no file {in_quotes(names)}; {hint}")
    return "", read_names(Path(names))


class Matched(NamedTuple):
    """Their tensors that may be steps, those that are none, and the names meant for steps that no tensor has."""

    theirs: list[Theirs]
    others: list[NotCompared]
    never_called: tuple[str, ...]


def match(tensors: Mapping[str, Any], names: Mapping[str, str], trace: Trace, layout: str = "") -> Matched:
    """Their tensors that may be steps of the trace, and why the others are none.

    names:  their name → our path or selector; `{i}` and `{h}` count from 0 in theirs, from 1 in ours
    layout: whose names they are otherwise; empty: those that most of them belong to
    """
    meant, never_called = read_renaming(names, tensors, trace)
    layout = layout or recognise_layout((name for name in tensors if name not in meant), trace)
    found: list[Theirs] = []
    others: list[NotCompared] = []
    for name, tensor in tensors.items():
        shape = getattr(tensor, "shape", None)
        try:
            array = _array(tensor)
            shape = array.shape
            precision = precision_of(array.dtype)
            ways = _ways(name, meant.get(name, ""), array, trace, layout)
            found.append(Theirs(name, ways, *precision))
        except (SelectorError, TensorsError) as error:
            if isinstance(error, SelectorError) and name in names:
                raise
            others.append(NotCompared(name, tuple(shape) if shape is not None else None, _why(name, error)))
    return Matched(found, others, never_called)


def _why(name: str, error: Exception) -> str:
    """Why a tensor is not compared; near names only where the name is a word, not the place of a module."""
    before, again, number = name.rpartition("@")
    if again and number.isdigit():
        return f"a further call of {escape_label(before)}"
    return str(error).partition(";")[0] if "." in name and isinstance(error, SelectorError) else str(error)


def _array(tensor: Any) -> Any:
    if isinstance(tensor, Unread):
        raise TensorsError(tensor.reason)
    return np.asarray(tensor)


def _ways(name: str, meant: str, array: Any, trace: Trace, layout: str) -> list[Reading]:
    """The ways to read a tensor; a SelectorError or TensorsError that says why there is none."""
    unfit: list[Place] = []
    numbers = np.asarray(array).astype(np.float64)
    for group in _groups_of_places(name, meant, trace, layout):
        ways: list[Reading] = []
        for place in group:
            found = find_readings(numbers, place) or _match_fused(numbers, place, trace)
            ways += found
            unfit += [] if found else [place]
        if ways:
            return _distinct(ways)
    if unfit:
        raise TensorsError(_shapes_expected(unfit, array.shape))
    values = _select(meant or name, trace)
    place = Place((tuple(values),))
    if not (ways := find_readings(numbers, place) or _match_fused(numbers, place, trace)):
        raise TensorsError(_shapes_expected([place], array.shape))
    return ways


def _distinct(ways: Sequence[Reading]) -> list[Reading]:
    """The ways without those that are found twice."""
    seen: dict[Any, Reading] = {}
    for way in ways:
        seen.setdefault((way.words, *(id(value) for value, _ in way.pieces)), way)
    return list(seen.values())


def _groups_of_places(name: str, meant: str, trace: Trace, layout: str) -> Iterator[list[Place]]:
    """What a name may stand for: an exact path, then what it is in a layout, then a selector that matches it alone."""
    path = meant or name
    if path in trace:
        yield [Place(((trace[path],),))]
    if ("+" in path or "*" in path) and (place := find_place(path, trace)) is not None:
        yield [place]
    if not meant and layout:
        yield list(find_places(name, layout, trace))


def _match_fused(numbers: Array, place: Place, trace: Trace) -> list[Reading]:
    """A tensor that is called after queries, keys or values, and is wide enough for all three."""
    (group, *more) = place.groups
    before, _, last = group[0].path.rpartition(".")
    for three in (("query", "key", "value"), ("w_q", "w_k", "w_v"), ("b_q", "b_k", "b_v")):
        if last in three and not more:
            beginning = before[: before.rfind(".head.")]
            whole = find_place(f"{beginning}.head.*.{'+'.join(three)}", trace)
            return find_readings(numbers, whole) if whole is not None else []
    return []


def _shapes_expected(unfit: Sequence[Place], shape: Sequence[int]) -> str:
    """The shapes that would fit, and of which steps; a batch of several is named."""
    shapes = list(dict.fromkeys(shape for place in unfit for shape in shapes_that_fit(place)))[:_MOST_SHAPES]
    wanted = " or ".join("×".join(map(str, one)) for one in shapes)
    paths = list(dict.fromkeys(place.groups[0][0].path for place in unfit))
    said = f"expected {wanted} for {paths[0]}"
    sizes = {math.prod(one) for one in shapes}
    if len(shape) > 1 and shape[0] > 1 and any(math.prod(shape[1:]) == size for size in sizes) and len(shape) > 2:
        said += f"; it looks like a batch of {shape[0]}: give one sequence"
    return said


def _select(path: str, trace: Trace) -> list[Value]:
    """The step that a selector names, or the same step of all heads of one attention."""
    values = trace.select(path)
    if len(values) > 1:
        values = [value for value in values if value.path.endswith(f".{path.rpartition('.')[2]}")] or values
    heads = {_without_head(value.path) for value in values}
    if len(values) > 1 and len(heads) == 1:
        first = values[0].path
        beginning, after = first[: first.rfind(".head.")], first.rpartition(".head.")[2].partition(".")[2]
        place = find_place(f"{beginning}.head.*.{after}", trace)
        return list(place.groups[0]) if place is not None else values
    return [trace.only(path)]


def _without_head(path: str) -> str:
    words = path.split(".")
    return ".".join(word for at, word in enumerate(words) if at == 0 or words[at - 1] != "head")
