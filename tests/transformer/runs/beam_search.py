"""Beam search written anew from its description, over lists of words; nothing is taken from the package."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

LogProbabilities = Callable[[tuple[int, ...]], np.ndarray]
"""From the ids read so far to the logarithm of how likely each id is to come next."""


class Hypothesis(NamedTuple):
    """The ids behind the prompt, and the sum of their logarithms."""

    ids: tuple[int, ...]
    total: float


class Found(NamedTuple):
    """Of each pass the candidates, finished and alive as rows of numbers; the ids of the answer."""

    candidates: list[list[list[float]]]
    finished: list[list[list[float]]]
    alive: list[list[list[float]]]
    answer: tuple[int, ...]


def penalty_of(length: int, penalty: Any) -> float:
    """What a total is divided by."""
    if isinstance(penalty, dict):
        return float(length ** penalty["power"])
    return float(((5 + length) / 6) ** penalty)


def search(
    following: LogProbabilities, prompt: tuple[int, ...], *, most: int, end: int | None, width: int, penalty: Any
) -> Found:
    """The whole search."""
    found = Found([], [], [], ())
    beams = [Hypothesis((), 0.0)]
    done: list[tuple[list[float], tuple[int, ...]]] = []
    for length in range(1, most + 1):
        every = [
            (-(one.total + logarithm), beam, word)
            for beam, one in enumerate(beams)
            for word, logarithm in enumerate(following(prompt + one.ids))
            if one.total + logarithm > -np.inf
        ]
        best = sorted(every)[: 2 * width]
        if not best:
            break
        found.candidates.append([[beam + 1, word, -negative] for negative, beam, word in best])
        divisor = penalty_of(length, penalty)
        for place, (negative, beam, word) in enumerate(best):
            if place < width and (word == end or length == most):
                done.append(([length, beam + 1, word, -negative / divisor], (*beams[beam].ids, word)))
        done = keep_best(done, width)
        found.finished.append([row for row, _ in done])
        going = [one for one in best if one[2] != end][:width] if length < most else []
        found.alive.append([[beam + 1, word, -negative] for negative, beam, word in going])
        if not going or (len(done) == width and -going[0][0] / divisor <= done[-1][0][3]):
            break
        beams = [Hypothesis((*beams[beam].ids, word), -negative) for negative, beam, word in going]
    return found._replace(answer=done[0][1])


def keep_best(done: Sequence[tuple[list[float], tuple[int, ...]]], width: int) -> list[Any]:
    """The best by score; of equal ones those that were there first."""
    kept: list[Any] = []
    for one in done:
        at = next((place for place, other in enumerate(kept) if one[0][3] > other[0][3]), len(kept))
        kept.insert(at, one)
    return kept[:width]
