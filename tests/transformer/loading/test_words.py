"""Other words: `tokens=WORDS` is a scenario with these words, where words are looked up, and is refused elsewhere."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke
from walkthrough.errors import ArgumentError
from walkthrough.transformer.loading.changes import ChangeError, change_scenario, read_change

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"


def with_words(name: str, words: str) -> wt.Scenario:
    return change_scenario(wt.load_scenario(name), [("tokens", words)])


@pytest.mark.parametrize(
    ("name", "line", "words"),
    [
        ("chai", "tokens: [The, chai, is, hot]", ["hot", "is", "chai"]),  # a vector by word
        ("tea-gpt", "tokens: [hot, tea]", ["cold", "tea", "is", "not"]),  # by id, in a decoder, that generates
    ],
)
def test_it_is_the_scenario_with_these_words_in_its_file(name: str, line: str, words: list[str]) -> None:
    text = (SCENARIOS / f"{name}.yaml").read_text(encoding="utf-8")
    assert line in text
    without = text.replace(line, f"tokens: [{', '.join(words)}]").partition("\npublished:")[0]
    expected = wt.trace(wt.parse_scenario(without))
    found = wt.trace(wt.load_scenario(name), changes={"tokens": " ".join(words)})
    assert found.values.keys() == expected.values.keys()
    for path, value in expected.values.items():
        np.testing.assert_array_equal(found[path].array, value.array)
        assert found[path].rows == value.rows
    assert found.changed == (f"tokens={' '.join(words)}",)


def test_a_text_is_split_by_its_tokenizer() -> None:
    found = wt.trace(wt.load_scenario("bpe"), changes={"tokens": "low lower"})
    assert "".join(found["token_ids"].rows).count("low") >= 2


def test_the_encoders_words_are_meant_where_there_are_two_sentences() -> None:
    scenario = with_words("not-on-your-life", "money the me Show")
    assert scenario.sequence.words == ("money", "the", "me", "Show")
    assert scenario.target is not None
    assert scenario.target.words == wt.load_scenario("not-on-your-life").target.words  # type: ignore[union-attr]


def test_numbers_change_beside_words_in_either_order() -> None:
    changes = {"tokens": "milk cat", "embeddings[milk, 1]": 3.0}
    found = wt.trace(wt.load_scenario("one-head"), changes=changes)
    assert found["token_embedding"].array[0, 0] == 3
    assert found.changed == ("tokens=milk cat", "embeddings[milk, 1]=3")
    before = change_scenario(wt.load_scenario("one-head"), [("embeddings[milk, 1]", 3.0)])
    assert change_scenario(before, [("tokens", "milk cat")]).changed == found.changed


def test_what_belongs_to_the_old_words_is_left_out_and_said() -> None:
    scenario = with_words("chai", "chai is")
    assert not scenario.spec.published
    assert [(one.key, one.message) for one in scenario.warnings] == [
        ("published", "it belongs to the file's own words, and is left out")
    ]
    result = invoke("run", "chai", "--set", "tokens=chai   is", "--step", "scores")
    assert "it belongs to the file's own words, and is left out (published)" in result.stderr
    assert "With other words: chai is.\n" in result.stdout


def test_positions_stay_where_there_are_as_many_words() -> None:
    text = """
        title: Far apart
        tokens: [a, b]
        positions: [3, 9]
        embeddings: {a: [1, 0], b: [0, 1]}
        positional_encoding: sinusoidal
        attention: {heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]}
    """
    scenario = wt.parse_scenario(text)
    assert change_scenario(scenario, [("tokens", "b a")]).spec.positions == [3, 9]
    longer = change_scenario(scenario, [("tokens", "b a a")])
    assert longer.spec.positions is None
    assert [one.key for one in longer.warnings] == ["positions"]


@pytest.mark.parametrize(
    ("name", "words", "said"),
    [
        (
            "chai",
            "The chia is hot",
            "'tokens=The chia is hot': the token 'chia' has no embedding; did you mean 'chai'?",
        ),
        ("microgpt", "a v a", "'tokens=a v a': a training has an answer for each of its own words"),
        ("sink", "a b", "no word is looked up in a table"),
        ("masked-scores", "a b", "no word is looked up in a table"),
        ("chai", "  ", "'tokens=  ': no word is given"),
    ],
)
def test_where_it_cannot_be_one_line_says_why(name: str, words: str, said: str) -> None:
    with pytest.raises(ChangeError, match=re.escape(said)) as error:
        with_words(name, words)
    assert "\n" not in str(error.value)


def test_words_are_words() -> None:
    assert read_change("tokens=hot = cold") == ("tokens", "hot = cold")
    assert read_change("tokens=[bold] é ²") == ("tokens", "[bold] é ²")
    with pytest.raises(ArgumentError, match="words with blanks between them"):
        wt.trace(wt.load_scenario("chai"), changes={"tokens": 3})


def test_what_is_judged_belongs_to_the_words_of_the_file() -> None:
    result = invoke("check", "chai", "--set", "tokens=chai is")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "what is judged belongs to the words of the file" in result.stderr
