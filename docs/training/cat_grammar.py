"""The sentences that scenarios/cat-gpt.yaml has learned, and those that were kept from it."""

import random
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple


class Noun(NamedTuple):
    """Who acts: as one, as many, what it drinks, what it likes, and what stands for it as one."""

    one: str
    many: str
    drink: str
    thing: str
    pronoun: str


NOUNS = (
    Noun("cat", "cats", "milk", "fish", "it"),
    Noun("dog", "dogs", "water", "ball", "it"),
    Noun("girl", "girls", "tea", "book", "she"),
    Noun("boy", "boys", "juice", "game", "he"),
)
PLACES = (("window", "windows"), ("door", "doors"), ("tree", "trees"), ("roof", "roofs"))
END = "."


def _actions(noun: Noun, is_many: bool) -> Iterator[tuple[float, list[str]]]:
    s = "" if is_many else "s"
    yield 0.4, [f"drink{s}", noun.drink]
    yield 0.4, [f"like{s}", "the", noun.thing]
    yield 0.2, [f"sleep{s}"]


def _subjects() -> Iterator[tuple[float, list[str], Noun, bool]]:
    """`the small cats near the door`: two of four without an adjective, two of five without a place."""
    for noun, is_many, adjective in product(NOUNS, (False, True), ("", "", "old", "small")):
        words = ["the", adjective, noun[is_many]] if adjective else ["the", noun[is_many]]
        share = 1 / (4 * 2 * len(NOUNS))
        yield 0.4 * share, words, noun, is_many
        for preposition, place, are_places in product(("near", "behind"), PLACES, (False, True)):
            yield 0.6 / 16 * share, [*words, preposition, "the", place[are_places]], noun, is_many


def _sentences() -> Iterator[tuple[float, list[str], str]]:
    """Each with its probability and its beginning, which decides whether it is kept from the model."""
    for share, words, noun, is_many in _subjects():
        for p, rest in _actions(noun, is_many):
            yield 0.6 * share * p, [*words, *rest, END], " ".join(words)
    for noun, is_many, state in product(NOUNS, (False, True), ("wet", "tired", "hungry")):
        words = ["the", noun[is_many], "are" if is_many else "is", state, "so"]
        for p, rest in _actions(noun, is_many):
            yield 0.3 / 24 * p, [*words, "they" if is_many else noun.pronoun, *rest, END], " ".join(words)
    for (what, falls), place, are_places in product((("rain", "falls"), ("leaves", "fall")), PLACES, (False, True)):
        yield 0.1 / 16, ["the", what, falls, "on", "the", place[are_places], END], ""


def _kept_from_it(beginnings: set[str]) -> set[str]:
    """Every fifth of those with a place or a reason."""
    long = sorted(one for one in beginnings if len(one.split()) > 4)
    return set(random.Random(7).sample(long, len(long) // 5))


def _each_once() -> dict[tuple[str, ...], tuple[float, str]]:
    shares: dict[tuple[str, ...], float] = defaultdict(float)
    begins = {}
    for share, words, beginning in _sentences():
        shares[tuple(words)] += share
        begins[tuple(words)] = beginning
    return {words: (share, begins[words]) for words, share in shares.items()}


_ALL = _each_once()
HELD_OUT = sorted(_kept_from_it({beginning for _, beginning in _ALL.values()}))
"""Beginnings that the model has not read with any continuation."""
LEARNED = {words: share for words, (share, beginning) in _ALL.items() if beginning not in HELD_OUT}
"""The sentences that it has read, each with its probability."""
SENTENCES = {words: share for words, (share, _) in _ALL.items()}
WORDS = [*sorted({word for words in SENTENCES for word in words} - {END}), END]
VERBS = ({"drinks", "likes", "sleeps", "is"}, {"drink", "like", "sleep", "are"})
"""Of one, of many."""


def subject_of(beginning: str) -> tuple[int, Noun, bool]:
    """The place of the subject in a beginning, the noun, and whether it is many."""
    words = beginning.split()
    return next(
        (words.index(noun[many]), noun, many) for noun in NOUNS for many in (False, True) if noun[many] in words
    )
