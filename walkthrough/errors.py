"""The failures that a person can mend. Knows nothing of the rest of the package."""

from __future__ import annotations

from collections.abc import Sequence, Set
from operator import index
from typing import Any

_LONGEST = 60


class UserError(Exception):
    """What a person who uses the program can put right: it is told as its own message, and the status is 2."""


class ArgumentError(UserError, TypeError, ValueError):
    """What a Python program hands to the library, and cannot be used: the argument, what was expected, what it is."""


def reason_of(error: Exception) -> str:
    """Why the system does not do something with a file, in its own words, in small letters."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def expect(is_right: bool, name: str, expected: str, found: object) -> None:
    """Raises ArgumentError where an argument is not right. name: its own; expected: what it must be, in words"""
    if not is_right:
        shown = ascii(found) if isinstance(found, str | int | float) else ""
        shown = f" {shown}" if 0 < len(shown) <= _LONGEST else ""
        raise ArgumentError(f"{name}: expected {expected}, found {type(found).__name__}{shown}")


def expect_text(text: Any, name: str, expected: str = "a text") -> None:
    """Raises ArgumentError where an argument is no text."""
    expect(isinstance(text, str), name, expected, text)


def expect_texts(texts: Any, name: str, expected: str) -> None:
    """Raises ArgumentError where an argument is neither a list of texts nor None."""
    if texts is not None:
        expect(
            isinstance(texts, Sequence | Set) and not isinstance(texts, str | bytes),
            name,
            f"a list of {expected}",
            texts,
        )
        for text in texts:
            expect_text(text, name, f"a list of {expected}, each a text")


def expect_whole(number: Any, name: str, least: int = 0, most: int | None = None) -> None:
    """Raises ArgumentError where an argument is neither a whole number from `least` to `most` nor None."""
    if number is None:
        return
    try:
        whole = index(number) if not isinstance(number, bool) else least - 1
    except TypeError:
        whole = least - 1
    upper = f"to {most}" if most is not None else "up"
    expect(least <= whole and (most is None or whole <= most), name, f"a whole number from {least} {upper}", number)


def expect_decimals(decimals: Any) -> None:
    """Raises ArgumentError where an argument is neither a number of decimals nor None: a float64 has about 15."""
    expect_whole(decimals, "decimals", most=15)
