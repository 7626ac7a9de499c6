"""Draws other given numbers for a scenario from a seed, with the digits and the spread of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from walkthrough.judging.margins import decimals_in
from walkthrough.operations.definition import Array
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.text import in_quotes

_FIXED = ("gamma", "beta", "b")
"""Names of given vectors that stay as they are unless they are asked for; so do those that begin with `b_`."""
_NEVER = ("mask", "targets")
_MOST_STEPS = 2**53
"""A float tells no more numbers apart."""


def matrices_to_vary(trace: Trace, selectors: Sequence[str] | None) -> dict[str, Value]:
    """The given matrices to draw, by the path of their keys; for each a value that is it, or a part of it.

    Raises SelectorError where a selector names none that can.
    """
    can = [value for value in trace if _can_vary(value)]
    if selectors is None:
        chosen = [value for value in can if not _stays(value)]
    else:
        chosen = []
        for selector in selectors:
            found = [value for value in trace.select(selector) if value in can]
            if not found:
                known = ", ".join(value.path for value in can[:8])
                raise SelectorError(f"{in_quotes(selector)} matches no given matrix of numbers; known: {known}")
            chosen += found
    return {value.matrix.path: value for value in chosen}


def _can_vary(value: Value) -> bool:
    is_number = value.operation is None and value.matrix is not None and not value.holds_ids
    return is_number and value.path.rpartition(".")[2] not in _NEVER


def _stays(value: Value) -> bool:
    name = value.path.rpartition(".")[2]
    return name in _FIXED or name.startswith("b_")


def draw_numbers(matrix: Matrix, array: Array, decimals: int, is_share: bool, source: str) -> list[list[str]]:
    """Draws numbers to replace an array's, as texts with `decimals` decimals; unknown and hidden ones stay.

    source: what the random generator is seeded with
    """
    generator = random.Random(f"{source} {matrix.path}")
    if is_share:
        return [_shares(generator, row.size, decimals) for row in array]
    low, high = _ends(array)
    steps = round((high - low).scaleb(decimals))

    def number(old: float) -> str:
        if not np.isfinite(old):
            return "null" if np.isnan(old) else "-.inf"
        step = int(generator.random() * (steps + 1)) if steps < _MOST_STEPS else generator.randrange(steps + 1)
        return _text(low + Decimal(step).scaleb(-decimals), decimals)

    return [[number(float(old)) for old in row] for row in array]


def _ends(array: Array) -> tuple[Decimal, Decimal]:
    """The smallest and the largest number; where all are the same, that number on either side of zero."""
    finite = array[np.isfinite(array)]
    if not finite.size:
        return Decimal(0), Decimal(0)
    low, high = Decimal(repr(float(finite.min()))), Decimal(repr(float(finite.max())))
    return (low, high) if low < high else (-abs(low), abs(low))


def _shares(generator: random.Random, count: int, decimals: int) -> list[str]:
    """Numbers that add up to 1."""
    whole = 10 ** max(decimals, 1)
    cuts = sorted(int(generator.random() * (whole + 1)) for _ in range(count - 1))
    parts = [after - before for before, after in zip([0, *cuts], [*cuts, whole], strict=True)]
    return [_text(Decimal(part).scaleb(-max(decimals, 1)), max(decimals, 1)) for part in parts]


def _text(number: Decimal, decimals: int) -> str:
    return f"{number + 0:.{max(decimals, 0)}f}"


def decimals_of(matrix: Matrix, array: Array, made: int) -> int:
    """The decimals of a matrix as it is written. made: the decimals of one from a rule or a file"""
    return decimals_in(matrix, array) if matrix.numbers is not None else made
