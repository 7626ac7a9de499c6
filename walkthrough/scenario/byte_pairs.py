"""Byte-pair encoding: merges are learned from the words of a text, and split another text. Sennrich et al. 2016, §3.2.

Symbols are characters, and what has been merged of them; a word is a tuple of symbols.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from walkthrough.records import Record
from walkthrough.text import as_word

BLANK = "␣"
"""How a blank is written as a symbol."""

Symbols = tuple[str, ...]
Pair = tuple[str, str]


def join(pair: Pair) -> str:
    """The symbol that a pair becomes."""
    return as_word("".join(pair))


def split_word(text: str, end_of_word: str = "") -> Symbols:
    """The characters of a word, then the symbol of its end where there is one."""
    characters = tuple(BLANK if character == " " else character for character in text)
    return (*characters, end_of_word) if end_of_word else characters


def merge(word: Symbols, pair: Pair) -> tuple[Symbols, tuple[int, ...]]:
    """The word with each occurrence of a pair merged, from the left, none overlapping; where each symbol began."""
    starts, at = [], 0
    while at < len(word):
        starts.append(at)
        at += 2 if word[at : at + 2] == pair else 1
    ends = [*starts[1:], len(word)]
    symbols = (join(pair) if end - start == 2 else word[start] for start, end in zip(starts, ends, strict=True))
    return tuple(symbols), tuple(starts)


class WordCounts(Record):
    """The distinct words of a text in the order met, and how often each stands there."""

    words: tuple[Symbols, ...]
    counts: tuple[int, ...]

    def count_pairs(self) -> Counter[Pair]:
        """How often each pair stands in the text, in the order met: a word may hold a pair several times."""
        found: Counter[Pair] = Counter()
        for word, count in zip(self.words, self.counts, strict=True):
            for pair in pairwise(word):
                found[pair] += count
        return found

    def places(self) -> dict[Pair, dict[int, int]]:
        """Of each pair, in the order met, the words that hold it, and how often each of them does."""
        found: dict[Pair, dict[int, int]] = {}
        for at, word in enumerate(self.words):
            for pair in pairwise(word):
                places = found.setdefault(pair, {})
                places[at] = places.get(at, 0) + 1
        return found

    def merge(self, pair: Pair) -> WordCounts:
        """The same text with a pair merged."""
        left, right = pair
        words = (merge(word, pair)[0] if left in word and right in word else word for word in self.words)
        return WordCounts(tuple(words), self.counts)


def count_words(words: Iterable[str], end_of_word: str = "") -> WordCounts:
    """The words of a text, split into symbols."""
    counts = Counter(words)
    return WordCounts(tuple(split_word(word, end_of_word) for word in counts), tuple(counts.values()))


Preference = Callable[[Iterable[Pair], Mapping[str, int]], list[Pair]]

TIES: dict[str, Preference] = {
    "first": lambda pairs, ids: list(pairs),
    "ids": lambda pairs, ids: sorted(pairs, key=lambda pair: (ids[pair[0]], ids[pair[1]])),
    "greatest": lambda pairs, ids: sorted(pairs, reverse=True),
}
"""The rules for ties: pairs in the order met, the preferred one first. ids: of the symbols, single ones then merged."""


class Learned(Record, eq=False):
    """A merge that was learned.

    before, after: the words on both sides of it
    ids:   of the symbols that there were
    count: how often the pair stood in the text
    """

    pair: Pair
    count: int
    before: WordCounts
    after: WordCounts
    ids: Mapping[str, int]


def number_symbols(singles: Iterable[str], merges: Iterable[Pair] = ()) -> dict[str, int]:
    """The ids: single symbols, sorted, then merged ones in order; one that is made twice keeps its first."""
    ids: dict[str, int] = {}
    for symbol in (*sorted(singles), *map(join, merges)):
        ids.setdefault(symbol, len(ids))
    return ids


def learn(text: WordCounts, most: int, ties: str) -> list[Learned]:
    """The merges of the most frequent pairs, one after the other, until there are `most` or no pair is left."""
    found: list[Learned] = []
    ids = number_symbols({symbol for word in text.words for symbol in word})
    while len(found) < most and (counts := text.count_pairs()):
        largest = max(counts.values())
        pair = TIES[ties]((pair for pair, count in counts.items() if count == largest), ids)[0]
        after = text.merge(pair)
        found.append(Learned(pair, largest, text, after, dict(ids)))
        ids.setdefault(join(pair), len(ids))
        text = after
    return found


class Joined(Record, eq=False):
    """A merge that was made in a text.

    ranks: of each pair within the words, in the order met: the number of its merge, None where there is none
    pair:  that of the lowest rank
    words: after it; starts: of each word, where its symbols began before
    """

    ranks: Mapping[Pair, int | None]
    pair: Pair
    words: tuple[Symbols, ...]
    starts: tuple[tuple[int, ...], ...]


class BytePairs(Record, eq=False):
    """A tokenizer: the merges in order, and how a text is split before them.

    alphabet: the symbols that there are before any merge
    text:    what its merges were learned from; None of given ones
    learned: how each of them came about
    ties:    which of several most frequent pairs was merged
    """

    merges: tuple[Pair, ...]
    split: Callable[[str], Iterable[str]]
    end_of_word: str
    alphabet: frozenset[str]
    text: WordCounts | None = None
    learned: tuple[Learned, ...] = ()
    ties: str = ""

    @cached_property
    def ids(self) -> dict[str, int]:
        """The symbols and their ids, where no vocabulary gives them."""
        return number_symbols(self.alphabet, self.merges)

    @cached_property
    def ranks(self) -> dict[Pair, int]:
        """The number of each merge, from 1."""
        return {pair: len(self.merges) - at for at, pair in enumerate(reversed(self.merges))}

    def prefer(self, pairs: Iterable[Pair], ids: Mapping[str, int]) -> list[Pair]:
        """Pairs, given in the order met, that to merge first among the most frequent first."""
        return TIES[self.ties](pairs, ids)

    def words(self, text: str) -> tuple[Symbols, ...]:
        """The words of a text, in symbols before any merge."""
        return tuple(split_word(word, self.end_of_word) for word in self.split(text))

    def encode(self, text: str) -> list[Joined]:
        """The merges made in a text, that of the lowest rank first, until no pair has a rank."""
        words = self.words(text)
        found: list[Joined] = []
        current = {word: word for word in words}
        while True:
            pairs = dict.fromkeys(pair for word in current.values() for pair in pairwise(word))
            ranks = {pair: self.ranks.get(pair) for pair in pairs}
            ranked = {pair: rank for pair, rank in ranks.items() if rank is not None}
            if not ranked:
                return found
            pair = min(ranked, key=ranked.__getitem__)
            merged = {word: merge(symbols, pair) for word, symbols in current.items()}
            current = {word: symbols for word, (symbols, _) in merged.items()}
            found.append(Joined(ranks, pair, *zip(*map(merged.__getitem__, words), strict=True)))

    def tokens(self, text: str) -> Symbols:
        """The tokens of a text."""
        joined = self.encode(text)
        words = joined[-1].words if joined else self.words(text)
        return tuple(symbol for word in words for symbol in word)


def given_symbols(merges: Sequence[Pair], end_of_word: str) -> frozenset[str]:
    """The symbols that given merges begin with: those that no merge makes."""
    made = set(map(join, merges))
    return frozenset({symbol for pair in merges for symbol in pair if symbol not in made} | {end_of_word} - {""})
