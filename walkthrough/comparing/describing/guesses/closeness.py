"""Whether numbers that a guess gives are those that a module computed, by the roundings of its float type."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from walkthrough.comparing.matching.tensors import precision_of
from walkthrough.operations.definition import Array
from walkthrough.records import Record
from walkthrough.scenario.tensors.short_floats import short_float

_MOST, _MOST_OF_FEW_BITS = 64.0, 16.0
"""Roundings of the largest number of its row that a number may be off."""
_FLOAT32 = 2.0**-23
"""Modules of float64, too, may keep something in float32: only what comes out of the whole tells that."""
_LEAST, _TIMES = 0.2, 4.0
"""Another guess is no worse if it is off by no more than so many roundings on average, or so many times the best."""


class Guess(Record, eq=False):
    """What is supposed, and how far its numbers are from those that were seen, in roundings on average."""

    what: Any
    off: float


class Target:
    """Numbers that were seen, n×m, to be reproduced.

    taken: what was taken off what was seen, n×m, whose roundings they have
    """

    def __init__(self, array: Any, taken: Array | float = 0.0) -> None:
        self.array: Array = np.asarray(array, np.float64)
        epsilon = precision_of(array.dtype)[0] if array.dtype.kind == "f" else _FLOAT32
        self._kind = array.dtype
        self.is_rest = not np.isscalar(taken)
        self._most = _MOST if epsilon < 1e-4 else _MOST_OF_FEW_BITS
        largest = np.maximum(np.abs(self.array), np.abs(taken)).max(axis=1, keepdims=True, initial=0.0)
        self._rounding = np.maximum(largest, np.finfo(np.float64).tiny) * max(epsilon, _FLOAT32)

    def off(self, found: Array, scale: Array | float = 0.0) -> float:
        """How far other numbers are off, in roundings on average; infinite where one is off by too many.

        scale: the largest of the numbers that were added up, where that may be larger
        """
        if found.shape != self.array.shape:
            return np.inf
        with np.errstate(all="ignore"):
            off = np.abs(self._rounded(found) - self.array) / np.maximum(self._rounding, scale * _FLOAT32)
        if not (off <= self._most).all():
            return np.inf
        return float(np.sqrt(np.square(off).mean()))

    def part(self, columns: range) -> Target:
        """Some columns, as numbers by themselves."""
        return Target(self.array[:, list(columns)].astype(self._kind))

    def _rounded(self, found: Array) -> Array:
        """As the module kept them, which then may be exactly these."""
        if short_float(self._kind) is None:
            return found.astype(self._kind).astype(np.float64) if self._kind.kind == "f" else found
        bits = found.astype(np.float32).view(np.uint32)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32).astype(np.float64)


def best(guesses: Iterable[Guess]) -> tuple[Guess | None, list[Guess]]:
    """The guess that fits best, and the others that these numbers do not tell from it; the first where several do."""
    fitting = [one for one in guesses if one.off < np.inf]
    if not fitting:
        return None, []
    least = min(one.off for one in fitting)
    first, *others = (one for one in fitting if is_alike(one.off, least))
    return first, others


def is_alike(off: float, least: float) -> bool:
    """Whether a guess is no worse than the one that is off least; where that is exact, only one that is, too."""
    return off <= (max(_LEAST, _TIMES * least) if least else 0.0)
