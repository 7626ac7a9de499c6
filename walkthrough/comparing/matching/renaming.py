"""Names files: which of somebody's tensors each entry means, and which entries mean none."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from walkthrough.comparing.matching.layouts.places import find_place, number_reader
from walkthrough.recording.selectors import SelectorError, within_pass
from walkthrough.recording.trace import Trace

_LETTERS = "ih"
"""What stands for the number of a layer, and of a head."""


def read_renaming(
    names: Mapping[str, str], tensors: Mapping[str, Any], trace: Trace
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Each of their names that a names file means, with our path; and the names for which there is no tensor.

    `{i}` and `{h}` count from 0 in theirs, from 1 in ours: of such an entry each layer and head of ours is asked for.
    """
    found: dict[str, str] = {}
    absent: dict[str, None] = {}
    for theirs, ours in names.items():
        if theirs in tensors:
            found[theirs] = ours
            continue
        letters = [letter for letter in _LETTERS if f"{{{letter}}}" in theirs]
        meant = _tensors_like(theirs, tensors) if letters else {}
        for name, numbers in meant.items():
            found.setdefault(name, _put_in(ours, numbers, first=1))
        numbered = _numbers_of_ours(ours, letters, trace) if letters else [{}]
        wanted = [_put_in(theirs, numbers) for numbers in numbered]
        absent |= dict.fromkeys(name for name in wanted if name not in tensors)
        if not meant and not wanted:
            absent[_put_in(theirs, dict.fromkeys(letters, 0))] = None
    return found, tuple(absent)


def _tensors_like(pattern: str, tensors: Mapping[str, Any]) -> dict[str, Mapping[str, int]]:
    """The tensors whose names a pattern fits, with the numbers in them."""
    read = number_reader(pattern)
    found = {name: read(name) for name in tensors}
    return {name: numbers for name, numbers in found.items() if numbers is not None}


def _numbers_of_ours(path: str, letters: list[str], trace: Trace) -> list[dict[str, int]]:
    """The layers and heads, counted from 0, for which we have a step of that path."""
    words = {word for one in trace for word in within_pass(one.path).split(".")}
    numbers = sorted(int(word) - 1 for word in words if word.isdecimal())
    chosen = (dict(zip(letters, each, strict=True)) for each in product(numbers, repeat=len(letters)))
    return [one for one in chosen if _is_there(_put_in(path, one, first=1), trace)]


def _is_there(path: str, trace: Trace) -> bool:
    if path in trace or (("+" in path or "*" in path) and find_place(path, trace) is not None):
        return True
    try:
        return bool(trace.select(path))
    except SelectorError:
        return False


def _put_in(path: str, numbers: Mapping[str, int], first: int = 0) -> str:
    for letter, number in numbers.items():
        path = path.replace(f"{{{letter}}}", str(number + first))
    return path
