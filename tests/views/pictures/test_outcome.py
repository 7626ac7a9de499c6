"""What the first screen says at its end, and which words stand at its beginning."""

from collections.abc import Iterable, Iterator

import pytest

from tests.views.samples import bundled_trace
from walkthrough.views.passes import passes_of
from walkthrough.views.pictures.model.boxes import Item, Words, held_by
from walkthrough.views.pictures.model.flow import model_items
from walkthrough.views.pictures.outcome import outcome_of, outcome_text, predicted_from


@pytest.mark.parametrize("name", ["lens", "beam"])
def test_the_likeliest_words_are_those_of_the_pass_and_not_of_a_look_inside_or_a_later_pass(name: str) -> None:
    found = predicted_from(passes_of(list(bundled_trace(name)))[0].values)
    assert found is not None
    assert found.path == "output_head.probabilities"


def test_a_vocabulary_in_the_order_of_a_later_text_is_no_text() -> None:
    trace = bundled_trace("key-cache")
    items = model_items(trace, passes_of(list(trace))[0])
    assert [item.value.rows for item in items if isinstance(item, Words)] == [("the", "tea")]


def test_the_words_of_a_later_pass_are_all_that_it_reads() -> None:
    for name, at, words in (
        ("tea-gpt", 2, ["hot", "tea", "is", "not"]),
        ("key-cache", 2, ["hot"]),  # the others are in the cache
        ("not-on-your-life", 1, ["Show", "me", "the", "money", "<start>", "Not"]),
    ):
        trace = bundled_trace(name)
        items = model_items(trace, passes_of(list(trace))[at])
        assert [label for item in all_in(items) if isinstance(item, Words) for label in item.value.rows] == words


def all_in(items: Iterable[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from all_in(held_by(item))


@pytest.mark.parametrize(
    ("name", "at", "said"),
    [
        ("tea-gpt", 0, "next word is 0.984"),
        ("tea-gpt", -1, "next word <end> 0.984"),
        ("cooking-training", 0, "loss 2.337 at step 1"),
        ("cooking-training", -1, "loss 2.033 after 1 step"),
        ("warmup", -1, "loss 1.297 after 4 steps"),
        ("chai", -1, "output of hot, 1st of 4 0.524"),
        ("help-me", -1, "Attention weights: me, help 0.223"),
    ],
)
def test_what_comes_out_of_a_pass_is_said_in_words(name: str, at: int, said: str) -> None:
    trace = bundled_trace(name)
    assert outcome_text(trace, outcome_of(trace, passes_of(list(trace))[at], list(trace)), None) == said
