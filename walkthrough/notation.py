"""How a number is written for people. Knows nothing of the rest of the package, and no numpy.

A person sees a number's shortest decimal: 0.525, which a float holds as 0.52499…, and rounds that, half away from zero.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from decimal import Decimal

Number = TypeVar("Number", float, Any)
"""A float, or an array of them."""

LARGE = 1e7
"""From here on a number is written with a power of ten."""

_EXACT = 2.0**53
"""Units of the last digit from which on a float64 holds no fractions of one: there is nothing to round away."""

_SHORT, _LAST_BITS = 12, 2e-15
"""A number this near, relatively, to a decimal with this many digits is that decimal: the rest comes from float64."""

_RESIDUE = 1e9
"""With fewer units of the last digit, a number of more digits than those next to a half is it: 0.35·1.5 = 0.525."""


def round_number(value: float, decimals: int) -> float:
    """`value` rounded half away from zero, as people round; negative decimals round to tens, hundreds, …"""
    if not math.isfinite(value) or (decimals >= 0 and value % 1 == 0):
        return value + 0.0
    plain = round_plainly(value, decimals)
    return plain + 0.0 if plain is not None else float(_round_digits(value, decimals)) + 0.0


def round_plainly(value: float, decimals: int) -> float | None:
    """`value` rounded, where arithmetic is enough: it lies clearly on one side of a half; else None."""
    if 0 <= decimals <= 22 and (units := abs(value) * 10.0**decimals) < _EXACT:
        whole = math.floor(units)
        if abs(units - whole - 0.5) > doubt(units):  # 10.0 ** 22 is exact, and so is the quotient's rounding
            return math.copysign((whole + (units - whole > 0.5)) / 10.0**decimals, value)
    return None


def doubt(units: Number) -> Number:
    """How near to a half a number of units may lie before the digits themselves must be looked at."""
    return 1e-9 + units * 2e-15


def _round_digits(value: float, decimals: int) -> Decimal:
    """`round_number`, digit by digit."""
    from decimal import ROUND_HALF_UP, Context, Decimal  # seldom wanted

    seen, unit, context = Decimal(repr(value)), Decimal(1).scaleb(-decimals), Context(prec=800)
    if seen.as_tuple().exponent >= -decimals:  # type: ignore[operator]  # it is finite
        return seen
    found = seen.quantize(unit, ROUND_HALF_UP, context)
    units = abs(value) * 10.0**decimals if decimals < 300 else math.inf
    if len(seen.as_tuple().digits) > _SHORT and units < _RESIDUE:
        nudged = abs(seen) + unit * Decimal(doubt(units))
        return nudged.quantize(unit, ROUND_HALF_UP, context).copy_sign(seen)
    return found


def drop_last_bits(value: float, terms: int = 1) -> float:
    """The decimal of at most 12 digits that a sum of `terms` terms misses by its last bits only, or `value`."""
    short = float(f"{value:.{_SHORT - 1}e}")
    return short if abs(short - value) <= terms * _LAST_BITS * abs(value) else value


def write_number(value: float, decimals: int) -> str:
    """`value` with `decimals` decimals: `-0.249`, `-inf`, `?` for an unknown number, `1.250e+09` where it is large."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) >= LARGE:
        return write_scientific(value, decimals)
    if value % 1 == 0 or abs(value) * 10.0**decimals < 1e15:
        text = f"{round_number(value, decimals):.{decimals}f}"
    else:  # more digits than every float has
        text = f"{_round_digits(value, decimals):.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def write_scientific(value: float, decimals: int) -> str:
    """`value` as `1.250e-04`; zero stays 0."""
    if not value or not math.isfinite(value):
        return "0" if value == 0 else write_number(value, decimals)
    from decimal import Decimal

    first = Decimal(repr(value)).adjusted()
    digits = _round_digits(value, decimals - first)
    if digits.adjusted() > first:  # 9.996 became 10.00
        first += 1
    return f"{digits.scaleb(-first):.{decimals}f}e{first:+03d}"


def write_shortest(value: float, decimals: int) -> str:
    """As `write_number`, without zeros at the end that say nothing: a value that is exactly 1 is `1`, not `1.000`."""
    text = write_number(value, decimals)
    return strip_zeros(text) if "." in text and float(text) == value else text


def strip_zeros(text: str) -> str:
    """A written number without zeros at its end: `1.500` is 1.5, `0.000` is 0."""
    mantissa, power, exponent = text.partition("e")
    return (mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa) + power + exponent


def typeset(text: str) -> str:
    """A written number as a formula shows it: a true minus sign, ∞, and a power of ten."""
    mantissa, _, exponent = text.partition("e")
    if exponent:
        power = typeset(str(int(exponent)))
        return f"{typeset(mantissa)}×10^{power if int(exponent) >= 0 else f'({power})'}"
    return text.replace("-", "−").replace("inf", "∞")
