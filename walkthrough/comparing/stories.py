"""What may have happened instead: stories, each with the numbers that it makes of some steps, and which one is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from walkthrough.comparing.alike import coarser
from walkthrough.comparing.evidence import Witnesses
from walkthrough.comparing.matching import ExternalTensor
from walkthrough.comparing.tolerance import beyond, far, is_much_nearer
from walkthrough.mistakes.mistake import TRANSPOSED
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

_CERTAIN = 1e4
"""A story that comes so many times nearer than the right calculation is no chance; no other need be looked for."""
_CLEARLY, _IN_FLOAT32 = 8.0, 1e3
"""So many times nearer a story must be to be told; where numbers are only taken for float32, which they are not."""
_LEFT = 4.0
"""Roundings, on average, that a story may leave over which is not certain: one that explains a part leaves more."""


@dataclass(frozen=True, slots=True)
class Story:
    """A mistake, the step where it was made, what it makes of some steps, and of the step that differs."""

    words: str
    step: Value
    changes: Mapping[Value, Array]
    array: Array

    @property
    def is_turned(self) -> bool:
        """Whether a step is only said to be transposed."""
        return self.words == TRANSPOSED or self.words.startswith(f"{TRANSPOSED} (")


class _Judged(NamedTuple):
    """A story that gives their numbers; how far it is from them, and how many other steps it explains."""

    words: str
    distance: float
    gain: int
    is_certain: bool


class Judge:
    """Tells which story may be told of a step that differs.

    right: what the step should be
    fits:  whether an array is as near to theirs as the precision of their type makes it
    """

    def __init__(
        self, tensor: ExternalTensor, right: Array, witnesses: Witnesses, fits: Callable[[Array], bool]
    ) -> None:
        self.tensor = tensor
        self.fits = fits
        self._right = right
        self._witnesses = witnesses
        self._off = self._off_in(tensor)
        self._coarse = coarser(tensor)

    def told(self, stories: Iterable[Story]) -> str:
        """The words of the story that is told; empty where there is none.

        Of the others a transposition is named only with another one of the step itself, or for want of any. Numbers
        of a fine type that no story gives may have been rounded to float32 on their way.
        """
        kept: list[_Judged] = []
        coarse: list[_Judged] = []
        here = elsewhere = ""
        for story in stories:
            is_here = story.step is self.tensor.value
            if here and not is_here:
                break
            found = self._judged(story)
            if found is None:
                coarse += self._judged_in_float32(story)
            elif story.is_turned:
                here, elsewhere = (found.words, "") if is_here else ("", elsewhere or found.words)
            elif found.is_certain:
                return f"{here}, or {found.words}" if here else found.words
            else:
                kept.append(found)
        return here or _best(kept) or elsewhere or _best(coarse)

    def _judged(self, story: Story) -> _Judged | None:
        """Nothing where the story does not fit, explains a part only, or is contradicted by another step."""
        if not self.fits(story.array):
            return None
        distance = far(self.tensor, story.array)
        is_certain = self._off > _CERTAIN * max(distance, 1.0)
        if not is_certain and (distance > _LEFT or self._off < _CLEARLY * distance):
            return None
        heard = self._witnesses.heard(self.tensor.value, story.changes)
        return None if heard.against else _Judged(story.words, distance, heard.gain, is_certain)

    def _judged_in_float32(self, story: Story) -> Iterator[_Judged]:
        """A story that gives the numbers to the precision of float32, and that every other step agrees with."""
        one = self._coarse
        if one is None or beyond(one, story.array).any():
            return
        distance = far(one, story.array)
        if self._off_in(one) > _IN_FLOAT32 * distance:
            heard = self._witnesses.heard(self.tensor.value, story.changes)
            if not heard.against and not heard.open:
                yield _Judged(story.words, distance, heard.gain, is_certain=False)

    def _off_in(self, tensor: ExternalTensor) -> float:
        """How far the right numbers are from theirs, in roundings of a type."""
        return np.inf if not np.isfinite(beyond(tensor, self._right)).all() else far(tensor, self._right)


def _best(kept: list[_Judged]) -> str:
    """The story that explains the most other steps; then the nearest; then the likeliest."""
    if not kept:
        return ""
    most = max(one.gain for one in kept)
    kept = [one for one in kept if one.gain == most]
    nearest = min(one.distance for one in kept)
    return next(one.words for one in kept if not is_much_nearer(nearest, one.distance))
