"""Words shown to people: harmless text, near names, small grammar. Knows nothing of the rest of the package."""

from __future__ import annotations

import difflib
import shlex
import unicodedata
from collections.abc import Iterable, Sequence
from functools import partial
from heapq import nlargest
from itertools import islice

_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_MOST_COMPARED, _MOST_LOOKED_AT = 200, 5000
_MOST_DIGITS = 18
_JOINERS = "\u200c\u200d"  # part of how some scripts and emoji are written, and harmless


def escape_label(text: str) -> str:
    """`text` with control characters, bidirectional overrides and line separators written as escapes.

    Text of a scenario is data: printing it must not move a cursor, ring a bell or reverse a line. A text that is
    empty or begins or ends with a space is put in quotes, so that a reader can see it.
    """
    shown = escape_text(text)
    return f"'{shown}'" if shown != shown.strip() or not shown else shown


def escape_text(text: str) -> str:
    """As `escape_label`, without quotes: for a text that is more than one label."""
    return text if text.isprintable() else "".join(map(_printable_character, text))


def escape_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula when it opens a CSV: with an apostrophe before it."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _printable_character(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS:
        code = ord(character)
        return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character


class _Decomposed(str):
    """A word that Unicode can also write with fewer characters, and that is equal to itself written so."""

    _composed: str

    def __new__(cls, text: str) -> _Decomposed:
        new = super().__new__(cls, text)
        new._composed = unicodedata.normalize("NFC", text)
        return new

    def __eq__(self, other: object) -> bool:
        return isinstance(other, str) and self._composed == unicodedata.normalize("NFC", other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._composed)


def as_word(text: str) -> str:
    """The text, equal to every other that Unicode counts as the same: ü is one character, or u and two dots.

    All texts of a scenario are such words, and so is what a person types to name one of them. Shown it is as written.
    """
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else _Decomposed(text)


def find_meant(typed: str, names: Sequence[str]) -> int | None:
    """Which of the names a person means, who may copy it as it is printed, or from a CSV; None where it is none."""
    word = as_word(typed)
    if word in names:
        return names.index(word)
    shown = [escape_label(name) for name in names]
    return next((at for at, name in enumerate(shown) if word in (as_word(name), as_word(escape_formula(name)))), None)


def find_near(word: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names that look most like `word`, best first, or the one that begins so; case does not count.

    Of very many not all are looked at.
    """
    originals = {name.lower(): name for name in names}
    sought = word.lower()
    likely: Iterable[str] = originals
    if len(originals) > _MOST_COMPARED:
        some = islice((name for name in originals if abs(len(name) - len(sought)) <= 2), _MOST_LOOKED_AT)
        likely = nlargest(_MOST_COMPARED, some, partial(_count_alike, sought))
    near = difflib.get_close_matches(sought, likely, n=most, cutoff=0.6)
    begun = [key for key in originals if len(sought) > 2 and key.startswith(sought)]
    return [originals[match] for match in near or (begun if len(begun) == 1 else [])]


def _count_alike(one: str, other: str) -> int:
    """How many letters two words begin and end alike with."""
    return _same_letters(one, other) + _same_letters(one[::-1], other[::-1])


def _same_letters(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def command_line(*words: str) -> str:
    """A command as it is shown: each word in quotes where a shell would take it for more than one word, or another."""
    return escape_text(shlex.join(words))


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """`did you mean 'x' or 'y'?`, or an empty text where nothing is near."""
    found = [in_quotes(name) for name in find_near(word, names)]
    return f"did you mean {' or '.join(found)}?" if found else ""


def in_quotes(name: str) -> str:
    """A name in quotes, harmless; one that has them already keeps them."""
    shown = escape_label(name)
    return shown if shown.startswith("'") and shown.endswith("'") and len(shown) > 1 else f"'{shown}'"


def pluralize(number: int, noun: str, plural: str = "") -> str:
    """`1 row`, `3 rows`."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def whole_number(text: str) -> int | None:
    """The whole number that a text is, or None: `²` is a digit to Python and no number, and int() takes no 5,000."""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None
