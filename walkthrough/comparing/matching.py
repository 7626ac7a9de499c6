"""An engineer's own intermediates beside a trace: what each of them is called here, and how it may be read."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.files import TensorsError, Unread, read_names, read_tensors
from walkthrough.comparing.layouts import LAYOUTS
from walkthrough.comparing.layouts.places import Place, numbered, of_values, placed, places, recognised
from walkthrough.comparing.readings import Reading, expected, readings
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.text import did_you_mean, in_quotes, printable

__all__ = [
    "LAYOUTS",
    "ExternalTensor",
    "NotCompared",
    "TensorsError",
    "Theirs",
    "matched",
    "named",
    "read_names",
    "read_tensors",
]

_MOST_SHAPES = 4


def named(names: str) -> tuple[str, Mapping[str, str]]:
    """A known layout, or the names that a file gives; neither where nothing is asked for."""
    if not names or names in LAYOUTS:
        return names, {}
    if not os.path.lexists(names):
        hint = did_you_mean(names, LAYOUTS) or f"known layouts: {', '.join(LAYOUTS)}"
        raise TensorsError(f"there is no file {in_quotes(names)}; {hint}")
    return "", read_names(Path(names))


@dataclass(frozen=True, slots=True)
class ExternalTensor:
    """One of their matrices beside ours: its name, and its numbers in our layout.

    epsilon, smallest: of its float type
    is_transposed:     it is ours transposed
    words:             how it was read, where its shape left a choice
    """

    value: Value
    name: str
    array: Array
    epsilon: float
    smallest: float
    is_transposed: bool = False
    words: str = ""


class Theirs(NamedTuple):
    """A tensor, and all the ways in which it may be read."""

    name: str
    readings: list[Reading]
    epsilon: float
    smallest: float

    def read(self, reading: Reading) -> list[ExternalTensor]:
        """The matrices of one reading; of heads that share one it counts once."""
        words = reading.words
        if words and len(self.readings) > 1:
            words += f" (one of {len(self.readings)} ways to read its shape)"
        found: list[ExternalTensor] = []
        for value, array in reading.pieces:
            if not any(one.value is value and np.array_equal(one.array, array, equal_nan=True) for one in found):
                found.append(
                    ExternalTensor(value, self.name, array, self.epsilon, self.smallest, reading.is_transposed, words)
                )
        return found


class NotCompared(NamedTuple):
    """A tensor that fits no step, its shape where it has one, and why."""

    theirs: str
    shape: tuple[int, ...] | None
    why: str


Matched = tuple[list[Theirs], list[NotCompared]]


def matched(tensors: Mapping[str, Any], names: Mapping[str, str], trace: Trace, layout: str = "") -> Matched:
    """Their tensors that may be steps of the trace, and what is to be said of the others.

    names:  their name → our path or selector; `{i}` and `{h}` count from 0 in theirs, from 1 in ours
    layout: whose names they are otherwise; empty: those that most of them belong to
    """
    meant = _renamed(names, tensors)
    layout = layout or recognised((name for name in tensors if name not in meant), trace)
    found: list[Theirs] = []
    others: list[NotCompared] = []
    for name, tensor in tensors.items():
        shape = getattr(tensor, "shape", None)
        try:
            array = _array(tensor)
            shape = array.shape
            precision = _precision(array.dtype)
            ways = _ways(name, meant.get(name, ""), array, trace, layout)
            found.append(Theirs(name, ways, *precision))
        except (SelectorError, TensorsError) as error:
            if isinstance(error, SelectorError) and name in names:
                raise
            others.append(NotCompared(name, tuple(shape) if shape is not None else None, _why(name, error)))
    return found, others


def _why(name: str, error: Exception) -> str:
    """Why a tensor is not compared; near names only where the name is a word, not the place of a module."""
    before, again, number = name.rpartition("@")
    if again and number.isdigit():
        return f"a further call of {printable(before)}"
    return str(error).partition(";")[0] if "." in name and isinstance(error, SelectorError) else str(error)


def _renamed(names: Mapping[str, str], tensors: Mapping[str, Any]) -> dict[str, str]:
    """Each of their names that a names file means, and our path; a TensorsError where it means none."""
    found: dict[str, str] = {}
    for theirs, ours in names.items():
        if theirs in tensors:
            found[theirs] = ours
            continue
        read, before = numbered(theirs), len(found)
        is_pattern = "{i}" in theirs or "{h}" in theirs
        for name in tensors if is_pattern else ():
            if (numbers := read(name)) is not None:
                found.setdefault(name, _with_numbers(ours, numbers))
                before = -1
        if before == len(found):
            help = did_you_mean(theirs, tensors)
            what = "like " if is_pattern else ""
            raise TensorsError(f"the file has no tensor {what}'{printable(theirs)}'" + (f"; {help}" if help else ""))
    return found


def _with_numbers(path: str, numbers: Mapping[str, int]) -> str:
    for letter, number in numbers.items():
        path = path.replace(f"{{{letter}}}", str(number + 1))
    return path


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
            found = readings(numbers, place) or _fused(numbers, place, trace)
            ways += found
            unfit += [] if found else [place]
        if ways:
            return _distinct(ways)
    if unfit:
        raise TensorsError(_expected(unfit, array.shape))
    values = _selected(meant or name, trace)
    place = of_values(values)
    if not (ways := readings(numbers, place) or _fused(numbers, place, trace)):
        raise TensorsError(_expected([place], array.shape))
    return ways


def _distinct(ways: Sequence[Reading]) -> list[Reading]:
    """The ways without those that are found twice."""
    seen: dict[Any, Reading] = {}
    for way in ways:
        seen.setdefault((way.words, *(id(value) for value, _ in way.pieces)), way)
    return list(seen.values())


def _groups_of_places(name: str, meant: str, trace: Trace, layout: str) -> Iterator[list[Place]]:
    """What a name may stand for: an exact path, then what it is in a layout, then a selector that fits by itself."""
    path = meant or name
    if path in trace:
        yield [Place(((trace[path],),))]
    if ("+" in path or "*" in path) and (place := placed(path, trace)) is not None:
        yield [place]
    if not meant and layout:
        yield list(places(name, layout, trace))


def _fused(numbers: Array, place: Place, trace: Trace) -> list[Reading]:
    """A tensor that is called after queries, keys or values, and is wide enough for all three."""
    (group, *more) = place.groups
    before, _, last = group[0].path.rpartition(".")
    for three in (("query", "key", "value"), ("w_q", "w_k", "w_v"), ("b_q", "b_k", "b_v")):
        if last in three and not more:
            beginning = before[: before.rfind(".head.")]
            whole = placed(f"{beginning}.head.*.{'+'.join(three)}", trace)
            return readings(numbers, whole) if whole is not None else []
    return []


def _expected(unfit: Sequence[Place], shape: Sequence[int]) -> str:
    """The shapes that would fit, and of which steps; a batch of several is named."""
    shapes = list(dict.fromkeys(shape for place in unfit for shape in expected(place)))[:_MOST_SHAPES]
    wanted = " or ".join("×".join(map(str, one)) for one in shapes)
    paths = list(dict.fromkeys(place.groups[0][0].path for place in unfit))
    said = f"expected {wanted} for {paths[0]}"
    sizes = {math.prod(one) for one in shapes}
    if len(shape) > 1 and shape[0] > 1 and any(math.prod(shape[1:]) == size for size in sizes) and len(shape) > 2:
        said += f"; it looks like a batch of {shape[0]}: give one sequence"
    return said


def _selected(path: str, trace: Trace) -> list[Value]:
    """The step that a selector names, or the same step of all heads of one attention."""
    values = trace.select(path)
    if len(values) > 1:
        values = [value for value in values if value.path.endswith(f".{path.rpartition('.')[2]}")] or values
    heads = {_without_head(value.path) for value in values}
    if len(values) > 1 and len(heads) == 1:
        first = values[0].path
        beginning, after = first[: first.rfind(".head.")], first.rpartition(".head.")[2].partition(".")[2]
        place = placed(f"{beginning}.head.*.{after}", trace)
        return list(place.groups[0]) if place is not None else values
    return [trace.only(path)]


def _without_head(path: str) -> str:
    words = path.split(".")
    return ".".join(word for at, word in enumerate(words) if at == 0 or words[at - 1] != "head")


_HELD = {"O": "Python objects", "U": "text", "S": "text", "c": "complex numbers"}


def _precision(dtype: Any) -> tuple[float, float]:
    """The distance from 1 to the next number of a float type, and its smallest number; of whole numbers, float64's.

    Raises TensorsError for what holds no real numbers.
    """
    limits: Any
    if dtype.isbuiltin == 2:  # bfloat16 and its like, which numpy has learned
        import ml_dtypes

        limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    elif dtype.kind not in "biuf":
        raise TensorsError(f"it holds {_HELD.get(dtype.kind, 'no plain numbers')}, expected real numbers")
    else:
        limits = np.finfo(dtype if dtype.kind == "f" else np.float64)
    return float(limits.eps), float(limits.smallest_subnormal)
