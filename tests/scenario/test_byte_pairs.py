"""Merges are learned as other programs learn them, and made as they make them."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise

import pytest

from tests.examples import some
from walkthrough.scenario.byte_pairs import BytePairs, Pair, count_words, learn, merge, number_symbols

CASES = pytest.mark.parametrize("seed", range(some(25, 400)))


def drawn(seed: int) -> tuple[list[str], int]:
    """A text of short words from few letters, with many ties; and how many merges."""
    draw = random.Random(seed)
    letters = "abcdefg"[: draw.randint(2, 7)]
    words = ["".join(draw.choices(letters, k=draw.randint(1, 8))) for _ in range(draw.randint(2, 25))]
    return words, draw.randint(1, 15)


def merges_of(words: list[str], count: int, ties: str) -> list[Pair]:
    return [one.pair for one in learn(count_words(words), count, ties)]


def without_occurrence(symbols: list[str], pair: Pair) -> list[str]:
    """The symbols with a pair merged from the left; written anew."""
    result: list[str] = []
    waiting = list(symbols)
    while waiting:
        if tuple(waiting[:2]) == pair:
            waiting[:2] = [waiting[0] + waiting[1]]
        result.append(waiting.pop(0))
    return result


@CASES
def test_the_first_met_is_what_minbpe_takes(seed: int) -> None:
    """One sequence of symbols, counted pair by pair; of equal ones `max` takes the first."""
    words, count = drawn(seed)
    symbols, wanted = list("␣".join(words)), []
    for _ in range(count):
        stats: dict[Pair, int] = {}
        for pair in pairwise(symbols):
            stats[pair] = stats.get(pair, 0) + 1
        if not stats:
            break
        wanted.append(max(stats, key=stats.__getitem__))
        symbols = without_occurrence(symbols, wanted[-1])
    assert merges_of([" ".join(words)], count, "first") == wanted


@CASES
def test_the_greatest_is_what_subword_nmt_takes(seed: int) -> None:
    """`max(stats, key=lambda pair: (stats[pair], pair))` over the words of a dictionary."""
    words, count = drawn(seed)
    texts, wanted = [list(word) for word in words], []
    for _ in range(count):
        stats = Counter(pair for word in texts for pair in pairwise(word))
        if not stats:
            break
        wanted.append(max(stats, key=lambda pair: (stats[pair], pair)))
        texts = [without_occurrence(word, wanted[-1]) for word in texts]
    assert merges_of(words, count, "greatest") == wanted


@CASES
def test_the_lowest_ids_are_what_tokenizers_takes(seed: int) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    words, count = drawn(seed)
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    known = frozenset("".join(words))
    size = len(known) + count
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=size, special_tokens=[], show_progress=False)
    theirs.train_from_iterator([" ".join(words)], trainer)
    model = json.loads(theirs.to_str())["model"]
    wanted = [tuple(pair) for pair in model["merges"]]
    assert merges_of(words, count, "ids")[: len(wanted)] == wanted
    own = BytePairs(tuple(wanted), str.split, "", known)
    assert own.ids == model["vocab"]
    draw = random.Random(-seed)
    text = " ".join("".join(draw.choices(sorted(known), k=draw.randint(1, 9))) for _ in range(6))
    assert list(own.tokens(text)) == theirs.encode(text).tokens


def test_a_pair_that_overlaps_itself_is_counted_twice_and_merged_once() -> None:
    text = count_words(["aaa"])
    assert text.count_pairs() == {("a", "a"): 2}
    assert merge(("a", "a", "a"), ("a", "a")) == (("aa", "a"), (0, 2))
    assert text.places() == {("a", "a"): {0: 2}}


def test_the_three_rules_decide_a_tie_differently() -> None:
    words = ["cab", "bcb"]  # all pairs stand there once: ca, ab, bc, cb
    assert [merges_of(words, 1, ties)[0] for ties in ("first", "ids", "greatest")] == [
        ("c", "a"),
        ("a", "b"),
        ("c", "b"),
    ]


def test_it_ends_where_no_pair_is_left() -> None:
    assert merges_of(["ab", "ab", "c"], 5, "first") == [("a", "b")]
    assert merges_of(["a", "b"], 5, "first") == []


def test_a_symbol_made_twice_keeps_its_first_id() -> None:
    assert number_symbols("cab", [("a", "b"), ("ab", "c"), ("b", "c"), ("a", "bc")]) == {
        "a": 0,
        "b": 1,
        "c": 2,
        "ab": 3,
        "abc": 4,
        "bc": 5,
    }


def test_the_earlier_merge_is_made_first_wherever_it_stands() -> None:
    own = BytePairs((("b", "c"), ("a", "b")), str.split, "", frozenset("abc"))
    assert own.tokens("abc ab") == ("a", "bc", "ab")
    assert [one.pair for one in own.encode("abc ab")] == [("b", "c"), ("a", "b")]
