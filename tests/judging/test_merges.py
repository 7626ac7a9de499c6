"""Printed tables of merges: a slip is found, another rule for ties is not accused."""

from __future__ import annotations

import json
import random

import pytest

from tests.examples import some
from walkthrough import parse_scenario, trace
from walkthrough.judging.check import CheckResult, check
from walkthrough.scenario.byte_pairs import count_words, learn

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest widest widest"
Row = tuple[str | None, str | None, int | None]
PAPER: list[Row] = [("e", "s", 9), ("es", "t", 9), ("est", "</w>", 9), ("l", "o", 7), ("lo", "w", 7)]


def checked(text: str) -> CheckResult:
    scenario = parse_scenario(text)
    return check(scenario, trace(scenario))


def judged(rows: list[Row], text: str = TEXT, end: str = "</w>", ties: str = "first") -> CheckResult:
    bpe = {"train": {"text": text, "merges": len(rows)}, "end_of_word": end, "ties": ties}
    scenario = {"title": "t", "tokenizer": {"bpe": bpe}, "published": {"tokenizer.merges": rows}}
    return checked(json.dumps(scenario))


def verdicts(found: CheckResult) -> list[list[str]]:
    """Row by row, those of left, right and count."""
    rows: dict[int, list[str]] = {}
    for one in found.cells:
        rows.setdefault(one.cell.row, []).append(one.verdict)
    return list(rows.values())


def drawn(seed: int) -> tuple[list[str], int]:
    draw = random.Random(seed)
    letters = "abcde"[: draw.randint(2, 5)]
    words = ["".join(draw.choices(letters, k=draw.randint(2, 7))) for _ in range(draw.randint(4, 15))]
    return words, draw.randint(3, 8)


def test_what_was_learned_is_exact() -> None:
    assert verdicts(judged(PAPER)) == [["exact"] * 3] * 5


@pytest.mark.parametrize("seed", some((*range(6), 67, 76), range(150)))  # 67, 76: our pair, but as often as by theirs
@pytest.mark.parametrize("other", ["ids", "greatest"])
def test_another_rule_for_ties_is_not_accused(seed: int, other: str) -> None:
    words, count = drawn(seed)
    rows: list[Row] = [(*one.pair, one.count) for one in learn(count_words(words), count, other)]
    found = judged(rows, " ".join(words), "none", "first")
    assert {one.verdict for one in found.cells} == {"exact"}
    assert [one.computed for one in found.cells] == [cell for row in rows for cell in row]


@pytest.mark.parametrize("row", range(5))
def test_a_pair_that_was_not_the_most_frequent_is_wrong_and_the_others_stay_right(row: int) -> None:
    rows = [*PAPER[:row], ("w", "i", 3), *PAPER[row + 1 :]]
    found = judged(rows)
    assert verdicts(found) == [["wrong"] * 3 if at == row else ["exact"] * 3 for at in range(5)]
    assert [one.computed for one in found.cells][3 * row : 3 * row + 3] == list(PAPER[row])


def test_a_wrong_count_says_the_right_one() -> None:
    found = judged([("e", "s", 8), ("es", "t", 9)])
    assert verdicts(found) == [["exact", "exact", "wrong"], ["exact"] * 3]
    assert [one.computed for one in found.cells][2] == 9


def test_a_count_that_follows_from_a_wrong_one_is_inherited() -> None:
    text = f"title: t\ntokenizer: {{bpe: {{train: {{text: {TEXT}, merges: 1}}, end_of_word: </w>}}}}\n"
    found = checked(text + "published: {tokenizer.train.1.choice: [[es, 8]], tokenizer.merges: [[e, s, 8]]}")
    assert [one.verdict for one in found.cells if one.cell.value.path == "tokenizer.merges"][2] == "inherited"


def test_a_pair_that_does_not_occur_is_wrong() -> None:
    found = judged([("x", "y", 0), *PAPER[1:]])
    assert verdicts(found)[0] == ["wrong"] * 3
    assert verdicts(found)[1:] == [["exact"] * 3] * 4


def test_what_is_not_printed_is_not_judged() -> None:
    found = judged([(None, None, 9), ("es", None, 9), (None, "</w>", None)])
    assert verdicts(found) == [["exact"], ["exact", "exact"], ["exact"]]
    assert verdicts(judged([(None, None, 9), ("x", None, 8)])) == [["exact"], ["wrong", "wrong"]]


def test_of_a_part_of_a_table_only_that_is_judged() -> None:
    text = f"title: t\ntokenizer: {{bpe: {{train: {{text: {TEXT}, merges: 5}}, end_of_word: </w>}}}}\n"
    found = checked(text + "published: {tokenizer.merges: {2: [es, t, 9], 4: [o, w, 7]}}")
    assert verdicts(found) == [["exact"] * 3] * 2


def test_tokens_are_exact_or_wrong() -> None:
    text = f"title: t\ntext: lowest low\ntokenizer: {{bpe: {{train: {{text: {TEXT}, merges: 5}}}}}}\n"
    found = checked(text + "published: {tokenizer.tokens: [low, ets, low]}")
    assert [one.verdict for one in found.cells] == ["exact", "wrong", "exact"]
    assert [one.computed for one in found.cells] == ["low", "est", "low"]


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("[low, e, st, low]", [("low", "exact"), ("e", "wrong"), ("st low", "wrong")]),
        ("[low, est]", [("low", "exact"), ("est", "exact"), ("", "wrong")]),
        ("[lowestlow]", [("lowestlow", "wrong"), ("", "wrong"), ("", "wrong")]),
        ("[null, est, low, low]", [("est", "exact"), ("low low", "wrong")]),
    ],
)
def test_a_text_cut_into_more_or_fewer_tokens_is_wrong_where_it_goes_on_otherwise(
    printed: str, told: list[tuple[str, str]]
) -> None:
    text = f"title: t\ntext: lowest low\ntokenizer: {{bpe: {{train: {{text: {TEXT}, merges: 5}}}}}}\n"
    found = checked(text + f"published: {{tokenizer.tokens: {printed}}}")
    assert [(one.cell.text, one.verdict) for one in found.cells] == told
