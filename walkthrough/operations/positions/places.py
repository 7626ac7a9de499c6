"""Positions of tokens: consecutive ones as a range, of which a row's follows from its number."""

from __future__ import annotations

from collections.abc import Sequence


def consecutive(positions: Sequence[int]) -> Sequence[int]:
    """The same as a range, where each is one more than the one before."""
    whole = range(positions[0], positions[0] + len(positions)) if positions else range(0)
    return whole if all(one == other for one, other in zip(positions, whole, strict=True)) else positions


def position_of(positions: Sequence[int], row: int) -> int:
    """The position of a row, which may be any row: of a range it is not looked up but calculated."""
    return positions.start + row if isinstance(positions, range) else positions[row]
