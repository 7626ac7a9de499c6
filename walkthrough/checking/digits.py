"""Printed numbers: the digits as printed, what they claim, and whether a value rounds to them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

from walkthrough.expressions.intervals import Interval

_NUMBER = re.compile(r"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]+))?")
_NOISE = 4e-13
"""A float64 calculation is this near to the true value, relatively; so near to a tie it may round either way."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed: its text, its value, and the decimals it claims (negative: tens, hundreds, …)."""

    text: str
    value: float
    decimals: int

    @property
    def half_unit(self) -> float:
        """Half a unit of the last printed digit."""
        return 0.0 if math.isinf(self.value) else 0.5 * 10.0**-self.decimals

    @property
    def interval(self) -> Interval:
        """Every value that rounds to this print."""
        return self.around(self.value)

    def around(self, value: float) -> Interval:
        """A value give or take half a unit of this print's last digit."""
        if math.isinf(value):
            return value, value
        slack = abs(value) * _NOISE
        return value - self.half_unit - slack, value + self.half_unit + slack

    def is_rounded(self, exact: float) -> bool:
        """Whether `exact` rounds to this print, half away from zero or half to even."""
        if not math.isfinite(exact) or math.isinf(self.value):
            return exact == self.value
        unit = Decimal(1).scaleb(-self.decimals)
        wanted = Decimal(self.text)
        near = (exact, exact * (1 + _NOISE), exact * (1 - _NOISE))
        return any(
            Decimal(value).quantize(unit, rounding=mode) == wanted
            for value in near
            for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)
        )


def decimals_of(text: str) -> int | None:
    """The decimals that a number's text claims: `2.000` three, `6.03e-06` eight; None for a whole number or −∞."""
    match = _NUMBER.fullmatch(text)
    if match is None or (match[3] is None and match[4] is None):
        return None
    return len(match[3] or "") - int(match[4] or 0)
