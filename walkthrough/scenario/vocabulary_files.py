"""Vocabularies from files: a tokenizer.json, a JSON of words and ids, or a text with a word a line."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from walkthrough.errors import reason_of
from walkthrough.scenario.file_checks import check_is_file, unreadable
from walkthrough.text import as_word

_LARGEST = 200_000_000
_EXPECTED = "expected a vocabulary, words and their ids"


def read_vocabulary(path: Path) -> dict[str, int]:
    """The words of a file and their ids. Raises WeightsError.

    Left out are words that cannot be written down (empty ones, halves of a character), and of two that Unicode counts
    as the same the later one: their ids have no word.
    """
    text = _text(path)
    is_json = path.suffix.lower() == ".json"
    pairs = _of_json(text, path) if is_json else enumerate(line.removesuffix("\r") for line in text.split("\n"))
    vocabulary: dict[str, int] = {}
    taken: set[int] = set()
    for number, word in pairs:
        good = word and number not in taken and (word.isascii() or _is_writable(word))
        if good and vocabulary.setdefault(as_word(word), number) == number:
            taken.add(number)
    if not vocabulary:
        raise unreadable(path, f"it has no words, {_EXPECTED}")
    return vocabulary


def _text(path: Path) -> str:
    check_is_file(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise unreadable(path, f"it has more than {_LARGEST:,} bytes")
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise unreadable(path, reason_of(error)) from None
    except ValueError:
        raise unreadable(path, "it is not a text in UTF-8") from None


def _is_writable(word: str) -> bool:
    """Whether a word can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_json(text: str, path: Path) -> Iterable[tuple[int, str]]:
    """Ids and words of a tokenizer.json, or of a mapping from words to ids."""
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        raise unreadable(path, f"not valid JSON at line {error.lineno}, column {error.colno}, {_EXPECTED}") from None
    except (ValueError, RecursionError):
        raise unreadable(path, f"not valid JSON, {_EXPECTED}") from None
    model = content.get("model") if isinstance(content, dict) else None
    words = model.get("vocab") if isinstance(model, dict) else content
    added = (content.get("added_tokens") or []) if isinstance(model, dict) else []
    if not isinstance(words, dict | list) or not isinstance(added, list):
        raise unreadable(path, _EXPECTED)
    if isinstance(words, dict):
        entries = list(words.items())
    else:  # Unigram: a word and its score
        entries = [(entry[0], at) for at, entry in enumerate(words) if isinstance(entry, list) and entry]
    entries += [(one.get("content"), one.get("id")) for one in added if isinstance(one, dict)]
    if not all(map(_is_entry, entries)):
        raise unreadable(path, _EXPECTED)
    return ((number, word) for word, number in dict(entries).items())


def _is_entry(entry: tuple[Any, Any]) -> bool:
    word, number = entry
    return isinstance(word, str) and type(number) is int and 0 <= number < 2**31
