"""The bundled model that has learned a grammar: what its description says of it, on beginnings that it has not read."""

from __future__ import annotations

from functools import cache

import pytest

import walkthrough as wt
from docs.training.cat_grammar import HELD_OUT, LEARNED, NOUNS, PLACES, SENTENCES, VERBS, WORDS, subject_of

HEAD = "decoder.1.self_attention.head.1.weights"
FEW = HELD_OUT[::9]


@cache
def _cat_gpt() -> wt.Scenario:
    return wt.load_scenario("cat-gpt")


@cache
def read(text: str) -> tuple[dict[str, float], list[float]]:
    """The probability of each next word, and what head 1 gives to each word from the last one."""
    trace = wt.trace(_cat_gpt(), changes={"tokens": text})
    last = trace["output_head.probabilities"].array[-1]
    return dict(zip(WORDS, last, strict=True)), list(trace[HEAD].array[-1])


def likeliest(text: str) -> str:
    found, _ = read(text)
    return max(found, key=found.__getitem__)


def check(beginning: str) -> None:
    at, noun, is_many = subject_of(beginning)
    start = beginning
    if beginning.endswith(" so"):
        assert likeliest(beginning) == ("they" if is_many else noun.pronoun)
        start += " they" if is_many else f" {noun.pronoun}"
    else:
        assert likeliest(beginning) in VERBS[is_many]
        _, seen = read(beginning)
        assert seen[at] < 0.08 if is_many else seen[at] > 0.95
    s = "" if is_many else "s"
    assert likeliest(f"{start} drink{s}") == noun.drink
    found, seen = read(f"{start} like{s} the")
    assert max(found, key=found.__getitem__) == noun.thing
    assert seen[at] > 0.99


@pytest.mark.parametrize("beginning", FEW)
def test_a_beginning_that_it_has_not_read_goes_on_as_the_grammar_says(beginning: str) -> None:
    check(beginning)


@pytest.mark.slow
def test_so_do_all_of_them() -> None:
    for beginning in HELD_OUT:
        check(beginning)


def test_the_description_counts_them() -> None:
    long = {" ".join(words[:at]) for words in SENTENCES for at in range(5, len(words)) if _is_beginning(words, at)}
    with_place = [one for one in HELD_OUT if not one.endswith(" so")]
    places_of_many = {many for _, many in PLACES}
    other = [one for one in with_place if subject_of(one)[2] != (one.split()[-1] in places_of_many)]
    counts = (len(long), len(HELD_OUT), len(with_place), len(other), len(HELD_OUT) - len(with_place), len(WORDS))
    assert counts == (408, 81, 75, 37, 6, 51)
    text = wt.trace(_cat_gpt()).description
    assert all(f" {count} " in text for count in counts)


def _is_beginning(words: tuple[str, ...], at: int) -> bool:
    """Whether what stands before the verb, or before the pronoun, ends here."""
    is_place = words[at - 1] in {one for place in PLACES for one in place} and words[at] in VERBS[0] | VERBS[1]
    return is_place or words[at - 1] == "so"


def test_none_of_them_was_read() -> None:
    read_texts = [" ".join(words) for words in LEARNED]
    assert not [one for one in HELD_OUT if any(text.startswith(f"{one} ") for text in read_texts)]


def test_outside_of_the_grammar_it_is_as_sure() -> None:
    found, _ = read("the tea is")
    assert f"{found['.']:.2f}" == "0.97"


def test_every_word_of_the_grammar_is_in_its_vocabulary() -> None:
    assert {word for noun in NOUNS for word in noun} <= set(WORDS)
    assert wt.trace(_cat_gpt())["output_head.probabilities"].columns == tuple(WORDS)
