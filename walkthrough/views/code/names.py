"""Python names for the values of a trace: their symbols, with the numbers of layer and head where there are several.

`Q_2_1` are the queries of layer 2, head 1. What has the same symbol elsewhere is told apart by a word of its path, as
`U_out`; what is recorded in every training step or for every generated token, by that, as `W_Q_train2`.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from walkthrough.recording.selectors import parse_words, within_pass
from walkthrough.recording.values import Value

_LETTERS = {
    "²": "2",
    "∂": "d",
    "'": "_prime",
    "ŷ": "y_hat",
    "ℓ": "loss",
    "η": "eta",
    "ε": "eps",
}
Words = tuple[str, ...]
"""Those of a path, without its numbers."""

_LONGEST = 5
"""A word of a path with more letters is shortened to its first three."""


def names_of(values: Iterable[Value], reserved: Iterable[str] = ()) -> dict[Value, str]:
    """A name for each value, all different and none of those that are reserved; plain ASCII."""
    paths: dict[str, list[Value]] = defaultdict(list)
    for value in values:
        paths[within_pass(value.path)].append(value)
    several = _repeated_words(paths)
    marks: dict[str, dict[Words, str]] = defaultdict(dict)
    for path, (value, *_) in paths.items():
        marks[_base(value)][_words(path)] = ""
    for same_base in marks.values():
        same_base.update(zip(same_base, _distinguishing_words(list(same_base)), strict=True))
    used = {*reserved, *keyword.kwlist}
    names: dict[Value, str] = {}
    for path, those in paths.items():
        for value in those:
            base = _base(value)
            parts = (base, marks[base].get(_words(path), ""), *_numbers(path, several), _pass(value))
            names[value] = _unused_name("_".join(filter(None, parts)), used)
    return names


def identifier(symbol: str, used: set[str]) -> str:
    """A symbol as a new name."""
    return _unused_name(_plain(symbol), used)


def _plain(symbol: str) -> str:
    """A symbol in letters that every keyboard has: `σ²_1` is `sigma2_1`."""
    text = "".join(_LETTERS.get(character) or _letter(character) for character in symbol)
    text = re.sub(r"_+", "_", re.sub(r"\W", "_", text, flags=re.ASCII)).strip("_")
    return text if text[:1].isalpha() else f"x_{text}".rstrip("_")


def _letter(character: str) -> str:
    if character.isascii():
        return character
    name = unicodedata.name(character, "").split()
    if name[:2] == ["GREEK", "SMALL"] or name[:2] == ["GREEK", "CAPITAL"]:
        return name[-1].lower() if name[1] == "SMALL" else name[-1].capitalize()
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "_"


def _base(value: Value) -> str:
    """The symbol, without the number of a training step."""
    return _plain(re.sub(r"\([0-9]+\)$", "", value.kind.symbol))


def _pass(value: Value) -> str:
    """`train2`, of what belongs to the second training step; its symbol may say so, else its path."""
    path = value.path
    if within_pass(path) == path:
        return ""
    word, number = path.split(".")[:2]
    if not number.isdigit():
        return word
    stated = re.search(r"\(([0-9]+)\)$", value.kind.symbol)
    return f"{_short(word)}{stated[1] if stated else number}"


def _repeated_words(paths: Iterable[str]) -> set[str]:
    """The words of paths that several numbers follow: there are several layers, or heads."""
    numbers: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for word, number in parse_words(path):
            if number:
                numbers[word].add(number)
    return {word for word, found in numbers.items() if len(found) > 1}


def _numbers(path: str, several: set[str]) -> tuple[str, ...]:
    return tuple(number for word, number in parse_words(path) if number and word in several)


def _words(path: str) -> Words:
    """The words of a path, without numbers."""
    return tuple(word for word, _ in parse_words(path))


def _distinguishing_words(paths: Sequence[Words]) -> Iterator[str]:
    """For each of several paths the word that tells it from the others; the first of them needs none."""
    for at, own in enumerate(paths):
        others = {word for index, other in enumerate(paths) if index != at for word in other}
        alone = [word for word in own if word not in others]
        new = [word for word in own if word not in paths[0]]
        yield "" if at == 0 else "_".join(map(_short, alone[:1] or new[:2]))


def _short(word: str) -> str:
    first = word.partition("_")[0]
    return first if len(first) <= _LONGEST else first[:3]


def _unused_name(name: str, used: set[str]) -> str:
    """The name, or the first of name_b, name_c, … that is free."""
    found, at = name, 1
    while found in used:
        at += 1
        found = f"{name}_{'abcdefghijklmnopqrstuvwxyz'[at - 1] if at <= 26 else at}"
    used.add(found)
    return found
