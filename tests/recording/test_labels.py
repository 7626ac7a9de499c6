"""Labels tell the rows of a matrix apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.recording.labels import distinct, numbered_labels


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        (["The", "cat"], ("The", "cat")),
        (["the", "cat", "the"], ("the@1", "cat", "the@3")),
        (["a", "a@1", "a"], ("a@1@1", "a@1@2", "a@3")),
        (["The", "the"], ("The", "the")),
        ([], ()),
    ],
)
def test_words_that_stand_more_than_once_take_their_position(words: list[str], labels: tuple[str, ...]) -> None:
    assert distinct(words) == labels


@given(st.lists(st.sampled_from(["a", "b", "a@1", "a@2", "a@1@1", "a@3", "a@3@3"]), max_size=8))
def test_no_two_labels_are_alike(words: list[str]) -> None:
    labels = distinct(words)
    assert len(set(labels)) == len(words)
    assert all(label.startswith(word) for label, word in zip(labels, words, strict=True))
    assert all(label == word for label, word in zip(labels, words, strict=True) if words == sorted(set(words)))


def test_features_count_from_1() -> None:
    assert numbered_labels(3) == ("1", "2", "3")
