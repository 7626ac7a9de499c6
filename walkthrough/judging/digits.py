"""Printed numbers: the digits as printed, what they claim, and whether a value rounds to them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from functools import cache
from typing import NamedTuple

from walkthrough.notation import round_plainly
from walkthrough.number_formats import OF_FLOAT64

_NUMBER = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?")
_MOST_DECIMALS = 330
"""A float64 has no decimals beyond this many, nor as many digits before the point."""
_WIDE = Context(prec=2 * _MOST_DECIMALS + 20)
"""Every float64 and every printed number that is near one has room in it."""


@cache
def _half_unit(decimals: int) -> float:
    return 0.5 * float(f"1e{-decimals}")


Interval = tuple[float, float]


class Printed(NamedTuple):
    """A number as printed: its text, its value, and the decimals it claims (negative: tens, hundreds, …)."""

    text: str
    value: float
    decimals: int

    @classmethod
    def of(cls, text: str, number: float, decimals: int | None, others: int) -> Printed:
        """A number with the decimals it claims; one without any, among others that have some, those of the longest."""
        claimed = others if decimals is None else decimals
        return cls(text, number, 0 if math.isinf(number) else claimed)

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit."""
        return 0.0 if math.isinf(self.value) else _half_unit(self.decimals)

    @property
    def is_short(self) -> bool:
        """Whether it is plainly written with no more decimals than it claims."""
        _, point, decimals = self.text.partition(".")
        return decimals.isdecimal() and len(decimals) <= self.decimals if point else self.text.isdecimal()

    def interval_around(self, value: float) -> Interval:
        """A value give or take half a unit of this print's last digit."""
        if math.isinf(value):
            return value, value
        slack = abs(value) * OF_FLOAT64 + self.half_unit
        return value - slack, value + slack

    def is_all_of(self, exact: float) -> bool:
        """Whether a number has no further digits: rounding it to this print's would change nothing."""
        if not math.isfinite(exact) or self.half_unit == 0:
            return True
        steps = exact / (2 * self.half_unit)
        return abs(steps - round(steps)) <= OF_FLOAT64 * abs(steps) if math.isfinite(steps) else True

    def equals(self, exact: float) -> bool:
        """Whether a number is printed in full: it is carried on as it is, without a margin."""
        return self.value == exact or abs(self.value - exact) <= OF_FLOAT64 * abs(exact)

    def round(self, exact: float) -> float:
        """A number rounded to this print's digits, half away from zero."""
        if not math.isfinite(exact) or self.half_unit == 0:
            return exact
        if (plain := round_plainly(exact, self.decimals)) is not None:
            return plain
        unit = Decimal((0, (1,), -self.decimals))
        return float(Decimal(repr(exact)).quantize(unit, ROUND_HALF_UP, _WIDE))

    def is_rounded(self, exact: float) -> bool:
        """Whether `exact` rounds to this print, half away from zero or half to even."""
        if not math.isfinite(exact) or math.isinf(self.value):
            return exact == self.value
        off, noise = abs(exact - self.value), OF_FLOAT64 * abs(exact)
        if off <= noise or off > self.half_unit + noise:
            return off <= noise  # the rest takes long numbers
        wanted = self._decimal()
        if off < self.half_unit - noise and -int(wanted.as_tuple().exponent) <= self.decimals:
            return True  # well on this side of the next number with these digits
        unit = Decimal((0, (1,), -self.decimals))
        said = Decimal(repr(exact))  # 0.525, which a float holds as 0.52499…
        is_tie = abs(said - said.quantize(unit, ROUND_DOWN, _WIDE)) * 2 == unit
        near = (said,) if is_tie else (said, Decimal(exact * (1 + OF_FLOAT64)), Decimal(exact * (1 - OF_FLOAT64)))
        return any(
            value.quantize(unit, mode, _WIDE) == wanted for value in near for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)
        )

    def _decimal(self) -> Decimal:
        """The number as printed, without the rounding of a float."""
        return Decimal(self.text if _NUMBER.fullmatch(self.text) else repr(self.value))


def most_decimals(texts: Iterable[str]) -> int:
    """The most decimals that one of several numbers claims."""
    return max((decimals for text in texts if (decimals := decimals_of(text)) is not None), default=0)


def decimals_of(text: str) -> int | None:
    """The decimals that a number's text claims: `2.000` three, `6.03e-06` eight; None for a whole number or −∞."""
    match = _NUMBER.fullmatch(text)
    if match is None or (match[3] is None and match[4] is None):
        return None
    decimals = len(match[3] or "") - int(match[4] or 0)
    return max(min(decimals, _MOST_DECIMALS), -_MOST_DECIMALS)
