"""What the steps of a trace are called: their symbols, their titles in every language, and what people say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from walkthrough.drafts.markup import clean
from walkthrough.languages import LANGUAGES
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Kind, Value

_SYNONYMS = {
    "softmax": ("weights", "probabilities"),
    "attention scores": ("scores",),
    "attention pattern": ("weights",),
    "embeddings": ("token_embedding", "embeddings", "input"),
    "embedding matrix": ("embeddings", "token_embedding"),
    "context": ("attention.head.output", "attention.output"),
    "x": ("input",),
}
"""What people call steps beside their titles, by words of paths."""
_PARTLY = re.compile(r"(.+?)\s*\((.+)\)")

Grouped = dict[str, tuple[Value, ...]]


def symbols(trace: Trace) -> Grouped:
    """The steps by their symbols."""
    return group((normalize(value.kind.symbol), value) for value in trace)


def titles(trace: Trace) -> Grouped:
    """The steps by titles in all languages, by the last words of paths, and by what people say."""
    return group((name, value) for value in trace for name in _titles(value))


def _titles(value: Value) -> Iterator[str]:
    yield from sorted(title.lower() for title in _in_all_languages(value.kind))
    last = value.path.rpartition(".")[2]
    if not last.isdigit() and len(last) > 2:
        yield from (last.lower(), last.replace("_", " ").lower())
    yield from (name for name, words in _SYNONYMS.items() if any(_ends(value, word) for word in words))


def _ends(value: Value, words: str) -> bool:
    path = (value.path, *value.also)
    first, _, last = words.rpartition(".")
    return any(one.rpartition(".")[2] == last and first.partition(".")[0] in one for one in path)


def _in_all_languages(kind: Kind) -> frozenset[str]:
    """A title in every language, with and without what is in brackets."""
    found = {catalogue(language).title(kind) for language in LANGUAGES}
    return frozenset(found).union(*(parts.groups() for one in found if (parts := _PARTLY.fullmatch(one))))


def group(named: Iterable[tuple[str, Value]]) -> Grouped:
    """By name; each value once."""
    found: dict[str, dict[Value, None]] = {}
    for name, value in named:
        found.setdefault(name, {})[value] = None
    return {name: tuple(values) for name, values in found.items()}


def pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Any of these names in a text, the longest first."""
    longest = sorted((name for name in names if len(name) > 2), key=len, reverse=True)
    several = "|".join(r"\s+".join(map(re.escape, name.split())) for name in longest)
    return re.compile(rf"(?<![\w.])(?:{several})(?!\w|\.\w)" if longest else r"(?!)")


def readable(text: str) -> str:
    """A name without its markup."""
    return clean(text.replace("\\top", "ᵀ"))


def normalize(symbol: str) -> str:
    """`W^{Q}`, `W_{Q}` and `W Q` as `W_Q`; primes as one sign."""
    plain = readable(symbol).replace("′", "'").replace("’", "'").replace(" ", "")
    plain = plain.replace("^'", "'").replace("^2", "²")
    return re.sub(r"\^([A-Za-z])", r"_\1", plain)
