"""What is added up: residuals, and the embeddings of tokens with what says their positions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from walkthrough.comparing.describing.followed.known import Known
from walkthrough.comparing.describing.guesses.closeness import Guess, Target, best
from walkthrough.comparing.describing.guesses.linears import Lookup
from walkthrough.operations.definition import Array
from walkthrough.operations.positions.sinusoidal import sinusoidal_positions
from walkthrough.records import Record

_LATEST = 16
"""How far back the terms of a sum are looked for."""
_LAYOUTS = ("interleaved", "halves", "tensor2tensor")


class Embedded(Record, eq=False):
    """The embeddings of tokens: their table, what they are multiplied by, and what is added to them.

    tables: other lookups
    stored: the name of a stored matrix of positions, and its first row; or the layout of sinusoidal ones
    """

    tokens: Known
    scale: float = 1.0
    tables: tuple[Known, ...] = ()
    stored: tuple[str, int] | None = None
    sinusoidal: str = ""


def find_sum(target: Target, known: Sequence[Known]) -> tuple[Known, ...] | None:
    """Two or three matrices that add up to the numbers, the newest last."""
    latest = [one for one in reversed(known) if one.numbers.shape == target.array.shape]
    for count, most in ((2, _LATEST), (3, _LATEST // 2)):
        for terms in combinations(latest[:most], count):
            sizes = np.max([np.abs(one.numbers) for one in terms], axis=(0, 2))[:, None]
            if target.off(_total([one.numbers for one in terms]), sizes) < np.inf:
                return tuple(reversed(terms))
    return None


def _total(matrices: Sequence[Array]) -> Array:
    """All of them added up."""
    total: Array = np.add.reduce(matrices)
    return total


def find_embedded(
    target: Target, known: Sequence[Known], stored: Mapping[str, Array], tokens: Known
) -> Embedded | None:
    """How the embeddings of tokens become the numbers, which are n×d."""
    if tokens.numbers.shape != target.array.shape:
        return None
    tables = [one for one in known if one is not tokens and isinstance(one.made, Lookup)]
    tables = [one for one in tables if one.numbers.shape == target.array.shape]
    added = [chosen for size in range(len(tables) + 1) for chosen in combinations(tables, size)]
    count, width = target.array.shape
    known_tables = {one.made.table for one in (*tables, tokens) if isinstance(one.made, Lookup)}
    others = {name: rows for name, rows in stored.items() if name not in known_tables}
    positions = list(_positions(count, width, others))
    guesses = []
    for scale, chosen, (made, numbers) in product((1.0, math.sqrt(width), None), added, positions):
        rest = _total([numbers, *(one.numbers for one in chosen)])
        factor = _factor(target.array - rest, tokens.numbers) if scale is None else scale
        off = target.off(factor * tokens.numbers + rest)
        guesses.append(Guess(Embedded(tokens, factor, chosen, **made), off))
    found, _ = best(guesses)
    return found.what if found else None


def _factor(scaled: Array, numbers: Array) -> float:
    """What the second numbers have to be multiplied by to be the first, to as many digits as it is likely to have."""
    square = float((numbers * numbers).sum())
    return float(f"{float((scaled * numbers).sum()) / square:.6g}") if square else 1.0


def _positions(count: int, width: int, stored: Mapping[str, Array]) -> Iterator[tuple[dict[str, Any], Array]]:
    """What may say positions: nothing, rows of a stored matrix, or sines and cosines."""
    yield {}, np.zeros((count, width))
    for name, table in stored.items():
        for first in range(min(3, len(table) - count + 1)) if table.shape[1] == width else ():
            yield {"stored": (name, first)}, table[first : first + count]
    for layout in _LAYOUTS:
        settings = {"base": 10000.0, "layout": layout, "angle": "radians"}
        yield {"sinusoidal": layout}, sinusoidal_positions.forward(positions=range(count), width=width, **settings)
