"""Slips of the pen: the right number was there, and was written down otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from walkthrough.mistakes.causes.candidate import Candidate
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.notation import round_number, write_number
from walkthrough.operations.definition import Array

_POINTS = (1, 2, 3, -1, -2, -3)
_MOST_DECIMALS = 300
"""More than a float64 has: the unit of the last digit of 1e-400 is 0."""


def transcription_slips(written: Written) -> Iterator[Candidate]:
    """The sign, digits swapped, a percentage for a share, the decimal point in another place."""
    rounded = np.vectorize(round_number, otypes=[float])(written.expected, decimals_of(written))
    sized = np.where(np.abs(rounded) >= written.units * 0.5, rounded, np.nan)
    yield _slip(mistake("sign.meant"), -sized)
    yield _slip(mistake("swapped.meant"), *_swapped(sized, written))
    if written.value.kind.is_distribution:
        whole = np.vectorize(_round_as, otypes=[float])(100 * sized, written.decimals)
        yield _slip(mistake("percent.meant"), 100 * sized, whole)
    yield _slip(mistake("point.meant"), *(sized * 10.0**power for power in _POINTS))


def _slip(made: Mistake, *arrays: Array) -> Candidate:
    return Candidate(tuple((made, array) for array in arrays))


def decimals_of(written: Written) -> Array:
    """The decimals asked for in each cell."""
    with np.errstate(all="ignore"):
        decimals = np.nan_to_num(np.round(-np.log10(written.units)))
    return np.asarray(np.clip(decimals, -_MOST_DECIMALS, _MOST_DECIMALS), dtype=int)


def _round_as(number: float, decimals: float) -> float:
    return number if np.isnan(decimals) or np.isnan(number) else round_number(number, int(decimals))


def _swapped(rounded: Array, written: Written) -> Iterator[Array]:
    """The numbers with the first two digits in each other's place, with the next two, …"""
    decimals = decimals_of(written)
    texts = {at: swaps(float(rounded[at]), int(decimals[at])) for at in map(tuple, np.argwhere(written.is_wrong))}
    for place in range(max((len(found) for found in texts.values()), default=0) or 1):
        array = np.full(rounded.shape, np.nan)
        for at, found in texts.items():
            if place < len(found):
                array[at] = found[place]
        yield array


def swaps(number: float, decimals: int) -> list[float]:
    """A number with two neighbouring digits in each other's place, each way to do so."""
    text = write_number(abs(number), max(decimals, 0))
    if "e" in text or not np.isfinite(number):
        return []
    found = []
    for one, two in pairwise([at for at, character in enumerate(text) if character.isdigit()]):
        if text[one] != text[two]:
            characters = list(text)
            characters[one], characters[two] = characters[two], characters[one]
            found.append(math.copysign(float("".join(characters)), number))
    return found
