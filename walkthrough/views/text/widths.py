"""About how wide a text is in a sans-serif font, rather too much than too little."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

INDEX = 0.72
"""The size of an index beside its symbol."""
_NARROW = frozenset("iljtfrI1.,;:'|!()[] -")
_WIDE = frozenset("mwMWQOGD@%&—<>=+")


def text_width(text: str) -> float:
    """The width of a line of text, by the size of its type."""
    return sum(map(_advance, text))


def symbol_width(text: str) -> float:
    """The same of a text whose symbols have smaller, lowered indices."""
    return sum(text_width(base) + INDEX * text_width(index) for base, index in symbol_parts(text))


def symbol_parts(text: str) -> Iterator[tuple[str, str]]:
    """A text in pieces, each with the index that follows it: Weights W_Q → (Weights W, Q)."""
    at = 0
    for found in _INDEXED.finditer(text):
        yield text[at : found.start()], found[1]
        at = found.end()
    yield text[at:], ""


_INDEXED = re.compile(r"(?<=[^\s_])_([^\W_]+(?:\(\d+\)|,\w+)*)")


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.4 if character not in "1" else 0.6
    if character in _WIDE:
        return 0.92
    if ord(character) > 0x2E7F and unicodedata.east_asian_width(character) in "WF":
        return 1.05
    if unicodedata.combining(character):
        return 0.0
    return 0.7 if character.isupper() else 0.62
