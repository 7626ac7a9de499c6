"""Words that are read, such as a month in an answer or a head in a draft: people write them in any language."""

from __future__ import annotations

import re
from functools import cache

from walkthrough.languages import LANGUAGES
from walkthrough.languages.catalogue import catalogue

_BEGINNING = "…"


@cache
def words_for(meaning: str) -> tuple[str, ...]:
    """The words for something in all languages, each once: `head` and `Kopf`."""
    listed = (word for one in LANGUAGES for word in catalogue(one).words["read"][meaning].split(", "))
    return tuple(dict.fromkeys(listed))


def pattern_for(*meanings: str) -> str:
    """Any of these words as a regular expression, the longest first; one that ends in … is the beginning of a word."""
    words = sorted({word for meaning in meanings for word in words_for(meaning)}, key=len, reverse=True)
    return "|".join(_pattern(word) for word in words)


def with_infinity(text: str) -> str:
    """The text with ∞ where it is the word for it, perhaps with a sign."""
    return _infinity().sub("∞", text) if text[-1:].isalpha() else text


@cache
def _infinity() -> re.Pattern[str]:
    return re.compile(rf"(?<![^\W\d_])(?:{pattern_for('infinity')})$", re.IGNORECASE)


def _pattern(word: str) -> str:
    return re.escape(word.removesuffix(_BEGINNING)) + (r"\w*" if word.endswith(_BEGINNING) else "")
