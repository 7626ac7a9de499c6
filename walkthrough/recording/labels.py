"""Labels of rows and columns: the same everywhere, in every output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from walkthrough.text import as_word, find_meant

Labels = tuple[str, ...]


def numbered_labels(count: int) -> Labels:
    """1, 2, …: the labels of features, and of a single row or column without a name."""
    return tuple(map(str, range(1, count + 1)))


def distinct(words: Iterable[str]) -> Labels:
    """The words; each that occurs more than once is followed by `@` and its position, counted from 1."""
    labels = tuple(words)
    while len(set(labels)) < len(labels):
        times = Counter(labels)
        labels = tuple(as_word(f"{word}@{at}") if times[word] > 1 else word for at, word in enumerate(labels, 1))
    return labels


def is_label_of(label: str, token: str) -> bool:
    """Whether a label is a token's: itself, or followed by its position; @1 may follow one that stands once."""
    word, at, position = label.rpartition("@")
    return find_meant(token, (label, f"{label}@1")) is not None or (
        at == "@" and position.isdigit() and find_meant(token, (word,)) is not None
    )
