"""Text of a scenario is shown harmlessly, near names are found, and counts agree with their nouns."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given

from tests.draws import TEXTS
from walkthrough.text import as_word, did_you_mean, escape_label, find_meant, find_near, pluralize, whole_number


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
    assert escape_label(text) == shown


@given(TEXTS)
def test_what_is_shown_stays_on_its_line(text: str) -> None:
    shown = escape_label(text)
    assert len(shown.splitlines()) == 1
    assert "\x1b" not in shown
    assert not set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068") & set(shown)
    assert shown.strip() == shown


def test_near_names_come_best_first_without_regard_to_case() -> None:
    names = ["scores", "scaled_scores", "Softmax", "norm"]
    assert find_near("SCORES", names) == ["scores", "scaled_scores"]
    assert find_near("softmx", names) == ["Softmax"]
    assert find_near("xyz", names) == []
    assert find_near("scores", names, most=1) == ["scores"]


def test_a_hint_only_where_there_is_one() -> None:
    assert did_you_mean("chia", ["chai", "fuchs"]) == "did you mean 'chai'?"
    assert did_you_mean("aab", ["aaa", "aac"]) in ("did you mean 'aaa' or 'aac'?", "did you mean 'aac' or 'aaa'?")
    assert did_you_mean("xyz", ["chai", "fuchs"]) == ""


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [(1, "row", "", "1 row"), (0, "row", "", "0 rows"), (3, "row", "", "3 rows"), (2, "entry", "entries", "2 entries")],
)
def test_counted(number: int, noun: str, plural: str, text: str) -> None:
    assert pluralize(number, noun, plural) == text


def test_words_are_equal_that_unicode_counts_as_the_same() -> None:
    written = as_word("Mu\u0308de")
    assert written == "Mu\u0308de" == str(written)
    assert written == "M\u00fcde" == written
    assert written != "Mude" != written
    assert {written: 1}["M\u00fcde"] == {"M\u00fcde": 1}[written] == 1
    assert ("x", "M\u00fcde").index(written) == ("x", written).index("M\u00fcde") == 1
    assert f"{written}".encode() == b"Mu\xcc\x88de", "shown as it is written"
    assert type(as_word("M\u00fcde")) is str, "what is composed needs nothing more"


def test_a_name_is_meant_as_it_is_and_as_it_is_printed() -> None:
    names = ("a", "b\n", r"b\n", " ")
    assert [find_meant(typed, names) for typed in ("a", "b\n", r"b\n", "' '", " ", "c")] == [0, 1, 2, 3, 3, None]


def test_of_very_many_names_the_likely_ones_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"token{number:05}" for number in range(50_000)]
    compared: list[int] = []
    matches = difflib.get_close_matches
    counting = lambda word, words, **rest: compared.append(len(words)) or matches(word, words, **rest)  # noqa: E731
    monkeypatch.setattr(difflib, "get_close_matches", counting)
    assert find_near("tokne00123", names)
    assert compared[0] < 5_000


@pytest.mark.parametrize(
    ("text", "number"),
    [("12", 12), ("007", 7), ("²", None), ("", None), ("-1", None), ("1.0", None), ("9" * 5000, None)],
)
def test_a_whole_number_is_what_int_can_read(text: str, number: int | None) -> None:
    assert whole_number(text) == number
