"""How a number is written for people. Knows nothing of the rest of the package, and no numpy."""

from __future__ import annotations

import math

LARGE = 1e7
"""From here on a number is written with a power of ten."""

EXHAUSTED = 1e15
"""With so many units of the last digit asked for, a float64 has no more digits to round away."""


def rounded(value: float, decimals: int) -> float:
    """`value` rounded half away from zero, as people round; 0.525, which a float holds as 0.52499…, becomes 0.53."""
    if not abs(value) < EXHAUSTED:
        return value
    scaled = abs(value) * 10.0**decimals
    if scaled >= EXHAUSTED:
        return value
    steps = math.floor(scaled + 0.5 + min(1e-9 + scaled * 2e-15, 0.25))
    return math.copysign(steps / 10.0**decimals, value) + 0.0


def written(value: float, decimals: int) -> str:
    """`value` with so many decimals: `-0.249`, `-inf`, `?` for an unknown number, `1.250e+09` where it is large."""
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if abs(value) >= LARGE:
        return scientific(value, decimals)
    text = f"{rounded(value, decimals):.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def scientific(value: float, decimals: int) -> str:
    """`value` as `1.250e-04`; zero stays 0."""
    return f"{value:.{decimals}e}" if value else "0"


def shortest(value: float, decimals: int) -> str:
    """As `written`, without the zeros at the end that say nothing: a value that is exactly 1 is `1`, not `1.000`."""
    text = written(value, decimals)
    if "." in text and "e" not in text and float(text) == value:
        text = text.rstrip("0").rstrip(".")
    return text


def typeset(text: str) -> str:
    """A written number as it stands in a formula: a true minus sign, ∞, and a power of ten."""
    mantissa, _, exponent = text.partition("e")
    if exponent:
        return (
            typeset(mantissa)
            + "×10^"
            + (typeset(str(int(exponent))) if int(exponent) >= 0 else f"({typeset(str(int(exponent)))})")
        )
    return text.replace("-", "−").replace("inf", "∞")
