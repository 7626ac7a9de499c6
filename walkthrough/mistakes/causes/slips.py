"""Slips of the pen, and rounding done otherwise throughout: the right number was there, and was written otherwise."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import pairwise

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.mistakes.causes.candidate import FEW, Candidate
from walkthrough.mistakes.causes.written import Written
from walkthrough.mistakes.mistake import Mistake, mistake
from walkthrough.notation import round_number, strip_zeros, write_number
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.definition import Array
from walkthrough.recording.recalculation import Recalculation

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


_FEWER = 3
"""Digits that may have been left out of the operands."""

OpenCells = Mapping[Written, Flags]


def find_rounding_slip(
    open_cells: OpenCells, replay: Recalculation, known: Container[Mistake] = ()
) -> tuple[Mistake, OpenCells] | None:
    """The habit that explains three wrong cells of the sheet or more, and half of those that nothing else explains.

    known: mistakes that other cells are evidence of; of such a habit one more is enough
    """
    slips: dict[Mistake, Callable[[Written], Flags]] = {
        mistake("truncated"): _is_truncated,
        mistake("fewer"): lambda one: _has_fewer(one, zeros=True),
        mistake("early"): lambda one: _is_early(one, replay),
    }
    total = _count(open_cells.values())
    best, most = None, 0
    for made, is_made in slips.items():
        found = {one: is_made(one) & cells for one, cells in open_cells.items()}
        count = _count(found.values())
        if count > most and (made in known or (count >= FEW and 2 * count >= total)):
            best, most = (made, found), count
    return best


def fewer_digits(written: Written) -> Candidate:
    """Fewer digits than were asked for, in single numbers."""
    return Candidate(((mistake("fewer"), np.where(_has_fewer(written), written.numbers, np.nan)),))


def _count(flags: Iterable[Flags]) -> int:
    return sum(int(one.sum()) for one in flags)


def _is_truncated(written: Written) -> Flags:
    with np.errstate(all="ignore"):
        units = np.floor(np.abs(written.expected) / written.units * (1 + OF_FLOAT64))
    return written.is_just(np.copysign(units * written.units, written.expected))


def _has_fewer(written: Written, zeros: bool = False) -> Flags:
    """Right with as many decimals as were written, which are fewer than were asked for.

    zeros: those at the end may have been put there: `1.410` for 1.414
    """
    asked, found = decimals_of(written), np.zeros(written.numbers.shape, dtype=bool)
    counts = np.minimum(written.decimals, _without_zeros(written.numbers)) if zeros else written.decimals
    for at in map(tuple, np.argwhere(written.is_wrong & (counts < asked)).tolist()):
        rounded = (float(written.expected[at]), round_number(float(written.expected[at]), int(asked[at])))
        number, decimals = float(written.numbers[at]), int(counts[at])
        found[at] = any(is_rounded_to(one, number, decimals) for one in rounded)
    return found


@np.vectorize
def _without_zeros(number: float) -> int:
    """The decimals of a number without zeros at the end; of `0.000` one: who writes 0 has not rounded anything."""
    return max(len(strip_zeros(f"{number:.12f}").partition(".")[2]), 1)


def is_rounded_to(expected: float, number: float, decimals: int) -> bool:
    """Whether a number is another one with so many decimals."""
    if not math.isfinite(expected) or not math.isfinite(number):
        return False
    return math.isclose(round_number(expected, decimals), number, rel_tol=OF_FLOAT64)


def _is_early(written: Written, replay: Recalculation) -> Flags:
    """What operands with fewer digits give."""
    value, found = written.value, np.zeros(written.numbers.shape, dtype=bool)
    assert value.operation is not None
    for fewer in range(1, _FEWER + 1):
        inputs = list(_coarser(written, replay, fewer))
        with np.errstate(all="ignore"):
            array = value.operation.forward(*inputs, **value.settings)
        found |= written.is_given_by(array) & written.is_changed_by(array)
    return found


def _coarser(written: Written, replay: Recalculation, fewer: int) -> Iterator[np.ndarray]:
    for one in written.value.inputs:
        digits = one.digits
        if one.operation is None or digits is None or digits.count - fewer < digits.significant:
            yield replay.array(one)
        else:
            yield type(digits)(digits.count - fewer, digits.significant).round(replay.array(one))
