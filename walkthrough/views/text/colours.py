"""The colours of heat maps: a background for a number, and black or white on it, whichever is easier to read."""

from __future__ import annotations

_MOST, _LEAST = (20, 82, 160), (168, 76, 20)
"""The colour of 1, and that of −1; 0 is white."""


def colours(shade: float) -> tuple[str, str]:
    """Background and text for a number from −1 to 1, as #rrggbb."""
    full = _MOST if shade >= 0 else _LEAST
    red, green, blue = (round(255 - abs(shade) * (255 - part)) for part in full)
    is_dark = luminance(red, green, blue) < 0.179  # here black and white stand out alike, 4.6 to 1
    return f"#{red:02x}{green:02x}{blue:02x}", "#ffffff" if is_dark else "#000000"


def luminance(*channels: int) -> float:
    """How bright a colour is, from 0 to 1: the relative luminance of WCAG 2."""
    linear = [
        part / 12.92 if (part := channel / 255) <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for channel in channels
    ]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
