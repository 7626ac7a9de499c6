"""An engineer's own intermediates beside a trace: what each of them is called here, and how it may be read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.matching.files import OwnStepError, TensorsError, UnlikeShapeError, Unread, read_names
from walkthrough.comparing.matching.layouts import LAYOUTS
from walkthrough.comparing.matching.own.modules import modules_around
from walkthrough.comparing.matching.passes import beside_what
from walkthrough.comparing.matching.readings import Reading, largest_difference
from walkthrough.comparing.matching.renaming import read_renaming
from walkthrough.comparing.matching.tensors import NotCompared, Theirs, precision_of_numbers, short_format
from walkthrough.comparing.matching.ways import Ways
from walkthrough.comparing.thresholds import NEARER
from walkthrough.operations.training.update import gradient_step
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.text import did_you_mean, in_quotes


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
    ways = Ways(tensors, meant, trace, layout)
    found: list[Theirs] = []
    others: list[NotCompared] = []
    losses = {name for name, tensor in tensors.items() if getattr(tensor, "shape", None) == ()}
    for name, tensor in tensors.items():
        shape = getattr(tensor, "shape", None)
        try:
            array = _array(tensor)
            shape = array.shape
            precision = precision_of_numbers(array, ways.has_float32_tables)
            beside = "" if name in meant else beside_what(name, tensors)
            readings = ways.find(name, array, beside)
            # behind a loss it may be what the module puts out, and has none to give way to
            beside = beside and beside_what(name, tensors, losses)
            kept = short_format(array.dtype)
            found.append(Theirs(name, readings, *precision, shape, beside, kept, is_of_batch=len(ways.batch) > 0))
            others += [NotCompared(name, shape, readings[0].partly)] if readings[0].partly else []
        except (SelectorError, TensorsError) as error:
            if isinstance(error, SelectorError) and name in names:
                raise
            size = tuple(shape) if shape is not None else None
            is_empty = size is not None and 0 in size  # of an expert that was sent no token
            stands_for = error.meant if isinstance(error, UnlikeShapeError) and not is_empty else ()
            more = error.own if isinstance(error, OwnStepError) else ()
            others.append(NotCompared(name, size, _why(name, error), stands_for, more))
    return Matched(_settle_by_inner(_settle_trained(found)), others, never_called)


def _settle_by_inner(found: list[Theirs]) -> list[Theirs]:
    """What passes on the numbers of a module in it is the step that this one is, right or wrong."""
    open_still = {one.name: at for at, one in enumerate(found) if len(one.readings) > 1}
    settled = list(found)
    for inner in found:
        for outer in modules_around(inner.name) if len(inner.readings) == 1 else ():
            if outer in open_still:
                at = open_still[outer]
                same = [one for one in found[at].readings if _is_same(one, inner.readings[0])]
                settled[at] = found[at]._replace(readings=same or settled[at].readings)
    return settled


def _settle_trained(found: list[Theirs]) -> list[Theirs]:
    """Parameters are all as the scenario gives them, if most are, or all as training leaves them: none is forgotten."""
    open_still = [one.readings for one in found if len(set(map(_is_trained, one.readings))) > 1]
    off = [(largest_difference(ways[-1]), largest_difference(ways[0])) for ways in open_still]
    is_trained = 2 * sum(NEARER * given < after for given, after in off) <= sum(given != after for given, after in off)
    settled = ([way for way in one.readings if _is_trained(way) == is_trained] for one in found)
    return [one._replace(readings=ways or one.readings) for one, ways in zip(found, settled, strict=True)]


def _is_trained(way: Reading) -> bool:
    return all(value.operation is gradient_step for value, _ in way.pieces)


def _is_same(one: Reading, other: Reading) -> bool:
    """Whether two tensors are read as the same numbers of the same steps."""
    pairs = zip(one.pieces, other.pieces, strict=False)
    return len(one.pieces) == len(other.pieces) and all(
        value is step and np.array_equal(numbers, array) for (value, numbers), (step, array) in pairs
    )


def _why(name: str, error: Exception) -> str:
    """Why a tensor is not compared; near names only where the name is a word, not the place of a module."""
    return str(error).partition(";")[0] if "." in name and isinstance(error, SelectorError) else str(error)


def _array(tensor: Any) -> Any:
    if isinstance(tensor, Unread):
        raise TensorsError(tensor.reason)
    return np.asarray(tensor)
