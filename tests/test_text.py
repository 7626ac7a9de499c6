"""Text of a scenario is shown harmlessly, near names are found, and counts agree with their nouns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from walkthrough.text import counted, did_you_mean, near, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("chai", "chai"),
        ("Straße 東京 é", "Straße 東京 é"),
        ("a b", "a b"),
        ("", "''"),
        (" a", "' a'"),
        ("a ", "'a '"),
        ("a\nb\tc\r", r"a\nb\tc\r"),
        ("\x1b[31m", r"\x1b[31m"),
        ("a\u202eb", r"a\u202eb"),
        ("\ufeff", r"\ufeff"),
        ("a\u2028b", r"a\u2028b"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        ("👩\u200d👧", "👩\u200d👧"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(st.text())
def test_what_is_shown_stays_on_its_line(text: str) -> None:
    shown = printable(text)
    assert len(shown.splitlines()) == 1
    assert "\x1b" not in shown
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068") & set(shown)
    assert shown.strip() == shown


def test_near_names_come_best_first_without_regard_to_case() -> None:
    names = ["scores", "scaled_scores", "Softmax", "norm"]
    assert near("SCORES", names) == ["scores", "scaled_scores"]
    assert near("softmx", names) == ["Softmax"]
    assert near("xyz", names) == []
    assert near("scores", names, most=1) == ["scores"]


def test_a_hint_only_where_there_is_one() -> None:
    assert did_you_mean("chia", ["chai", "fuchs"]) == "did you mean 'chai'?"
    assert did_you_mean("aab", ["aaa", "aac"]) in ("did you mean 'aaa' or 'aac'?", "did you mean 'aac' or 'aaa'?")
    assert did_you_mean("xyz", ["chai", "fuchs"]) == ""


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [(1, "row", "", "1 row"), (0, "row", "", "0 rows"), (3, "row", "", "3 rows"), (2, "entry", "entries", "2 entries")],
)
def test_counted(number: int, noun: str, plural: str, text: str) -> None:
    assert counted(number, noun, plural) == text
