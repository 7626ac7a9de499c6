"""Words shown to people: harmless text, near names, small grammar. Knows nothing of the rest of the package."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_JOINERS = "\u200c\u200d"  # part of how some scripts and emoji are written, and harmless


def printable(text: str) -> str:
    """`text` with control characters, bidirectional overrides and line separators written as escapes.

    Text of a scenario is data: printing it must not move a cursor, ring a bell or reverse a line. A text that is
    empty or begins or ends with a space is put in quotes, so that a reader can see it.
    """
    shown = visible(text)
    return f"'{shown}'" if shown != shown.strip() or not shown else shown


def visible(text: str) -> str:
    """As `printable`, without quotes: for a text that is more than one label."""
    return text if text.isascii() and text.isprintable() else "".join(map(_printable_character, text))


def _printable_character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


def near(word: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names that look most like `word`, best first; case does not count."""
    originals = {name.lower(): name for name in names}
    return [originals[match] for match in difflib.get_close_matches(word.lower(), originals, n=most, cutoff=0.6)]


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`did you mean 'x' or 'y'?`, or an empty text where nothing is near."""
    found = [printable(name) for name in near(word, names)]
    return f"did you mean {' or '.join(_quoted(name) for name in found)}?" if found else ""


def _quoted(name: str) -> str:
    """A name in quotes; one that has them already keeps them."""
    return name if name.startswith("'") and name.endswith("'") and len(name) > 1 else f"'{name}'"


def counted(number: int, noun: str, plural: str = "") -> str:
    """`1 row`, `3 rows`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
