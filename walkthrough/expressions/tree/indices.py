"""Rows, columns and the indices of sums that stand for many numbers at once, and what is linear in them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn


class LoopVariable:
    """A row, a column or the index of a sum: any of some numbers."""

    __slots__ = ("numbers",)

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers


class Undecided(Exception):  # noqa: N818
    """An expression depends on an index in a way that is not the same for all numbers it stands for.

    variables: those it depends on; cut: where to cut the numbers of the only one so that it is the same on either side,
    or None: they must be taken one by one
    """

    def __init__(self, variables: Iterable[LoopVariable], cut: int | None = None) -> None:
        self.variables = list(variables)
        self.cut = cut


class Index:
    """A constant, and so much for each step of some loop variables: an address or a constant that moves with them."""

    __slots__ = ("constant", "factors")

    def __init__(self, constant: float, factors: Mapping[LoopVariable, float]) -> None:
        self.constant = constant
        self.factors = {one: factor for one, factor in factors.items() if factor}

    def __add__(self, other: Any) -> Index:
        constant, factors = linear(other)
        both = {one: self.factors.get(one, 0) + factors.get(one, 0) for one in {**self.factors, **factors}}
        return Index(self.constant + constant, both)

    def __mul__(self, by: Any) -> Index:
        if isinstance(by, Index):
            raise Undecided(self.factors)
        return Index(self.constant * by, {one: factor * by for one, factor in self.factors.items()})

    def __neg__(self) -> Index:
        return self * -1

    def __sub__(self, other: Any) -> Index:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Index:
        return (-self).__add__(other)

    __radd__, __rmul__ = __add__, __mul__

    def __lt__(self, other: Any) -> bool:
        return self._is_below(other, 0)

    def __le__(self, other: Any) -> bool:
        return self._is_below(other, 1)

    def __gt__(self, other: Any) -> bool:
        return not self <= other

    def __ge__(self, other: Any) -> bool:
        return not self < other

    def __eq__(self, other: object) -> bool:
        return other is not None and self <= other and not self < other

    __hash__ = None  # type: ignore[assignment]

    def _is_below(self, other: Any, more: int) -> bool:
        """Whether self < other + more: the same for all numbers, or cut where it changes."""
        difference = self - other
        ends = [sorted((step * one.numbers[0], step * one.numbers[-1])) for one, step in difference.factors.items()]
        if difference.constant + sum(high for _, high in ends) < more:
            return True
        if difference.constant + sum(low for low, _ in ends) >= more:
            return False
        if len(difference.factors) > 1:  # it changes along a diagonal
            raise Undecided(difference.factors)
        ((variable, step),) = difference.factors.items()
        limit = (more - difference.constant) / step  # the first number on the other side of it
        raise Undecided([variable], math.ceil(limit) if step > 0 else math.floor(limit) + 1)

    def _must_be_a_number(self, *_: object) -> NoReturn:
        raise Undecided(self.factors)

    def __bool__(self) -> bool:
        return self != 0

    __index__ = __mod__ = __floordiv__ = _must_be_a_number


def linear(number: Any) -> tuple[float, Mapping[LoopVariable, float]]:
    """The constant of a number or an index, and its factors."""
    return (number.constant, number.factors) if isinstance(number, Index) else (number, {})


def stretches(rows: Sequence[Sequence[float]], gap: float = 1) -> Iterator[range]:
    """Places of rows whose first numbers lie `gap` apart, and whose others advance by multiples of it.

    Of two rows, which always do, each step must be 0 or the gap.
    """
    start = 0
    while start < len(rows):
        stop = start + 1
        steps = _steps(rows, stop)
        while steps is not None and _are_multiples(steps, gap) and _steps(rows, stop) == steps:
            stop += 1
        if stop - start == 2 and steps is not None and any(step not in (0, gap) for step in steps):
            stop = start + 1
        yield range(start, stop)
        start = stop


def _are_multiples(steps: Sequence[float], gap: float) -> bool:
    """Whether the first numbers lie a gap apart, and no other one moves by a part of it: it would have no address."""
    return steps[0] == gap and all(step % gap == 0 for step in steps)


def _steps(rows: Sequence[Sequence[float]], at: int) -> list[float] | None:
    """From the row before; None at the end, and where a number moves that is not whole: a float would miss it."""
    if at >= len(rows):
        return None
    pairs = list(zip(rows[at - 1], rows[at], strict=True))
    if any(one != other and (one % 1 or other % 1) for one, other in pairs):
        return None
    return [0 if one == other else other - one for one, other in pairs]
