"""`vocabulary: {file: …}`: the words of a file, as if they were written down."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import walkthrough as wt
from walkthrough.scenario.vocabulary_files import read_vocabulary

WORDS = {"no": 0, "tea": 1, "Ġis": 2, "hot": 3}
TEXT = """title: t
vocabulary: {file: words/vocab.json}
tokens: [tea, Ġis]
embeddings: [[1, 0], [0, 1], [1, 1], [2, 0], [0, 2]]
output_head: {tied: true}
"""


def scenario(folder: Path, words: str, text: str = TEXT) -> wt.Scenario:
    (folder / "words").mkdir(exist_ok=True)
    (folder / "words" / "vocab.json").write_text(words, encoding="utf-8")
    path = folder / "scenario.yaml"
    path.write_text(text, encoding="utf-8")
    return wt.load_scenario(path)


def test_tokens_and_predictions_have_its_words(tmp_path: Path) -> None:
    trace = wt.trace(scenario(tmp_path, json.dumps(WORDS)))
    assert trace["token_ids"].array.tolist() == [[1], [2]]
    assert trace["output_head.logits"].columns == ("no", "tea", "Ġis", "hot", "4")


def test_the_words_of_a_large_table_are_made_once(tmp_path: Path) -> None:
    loaded = scenario(tmp_path, json.dumps(WORDS))
    assert loaded.sequence.row_words(5) is loaded.sequence.row_words(5)


def test_a_model_can_go_on_with_any_of_them(tmp_path: Path) -> None:
    text = TEXT.replace(", [0, 2]]", "]") + "generate: {max_tokens: 2}\n"
    trace = wt.trace(scenario(tmp_path, json.dumps(WORDS), text))
    assert trace["generate.2.token_ids"].rows == ("tea", "Ġis@2", "Ġis@3")


def test_a_token_that_is_called_file(tmp_path: Path) -> None:
    text = TEXT.replace("{file: words/vocab.json}", "{file: 3}").replace("[tea, Ġis]", "[file]")
    assert wt.trace(scenario(tmp_path, "", text))["token_ids"].rows == ("file",)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("{", "'vocab.json' cannot be read: not valid JSON at line 1, column 2, expected a vocabulary"),
        ("{}", "it has no words, expected a vocabulary"),
        ('{"a": -1}', "expected a vocabulary, words and their ids"),
        ('{"model": {"vocab": {"a": 0}}, "added_tokens": [{"content": "b"}]}', "expected a vocabulary"),
        ('{"model": {"vocab": [[["a"], 1]]}}', "expected a vocabulary"),
        ('{"model": {"vocab": {"a": 0}}, "added_tokens": [{"content": ["b"], "id": 1}]}', "expected a vocabulary"),
        ('{"model": {"vocab": {"a": 0}}, "added_tokens": 7}', "expected a vocabulary"),
        ("[" * 100_000, "not valid JSON, expected a vocabulary"),
    ],
)
def test_a_file_that_is_none(words: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(wt.ScenarioError) as refused:
        scenario(tmp_path, words)
    assert said in str(refused.value)
    assert "scenario.yaml:2:20" in str(refused.value)
    assert "= key:  vocabulary" in str(refused.value)


@pytest.mark.parametrize("name", ["none.json", '"\\0"', ".", '"\\e[2J"'])
def test_no_file(name: str, tmp_path: Path) -> None:
    with pytest.raises(wt.ScenarioError) as refused:
        scenario(tmp_path, "{}", TEXT.replace("words/vocab.json", name))
    assert "scenario.yaml:2:20" in str(refused.value)
    assert "\x1b" not in str(refused.value)


def test_an_id_and_a_word_are_taken_once(tmp_path: Path) -> None:
    """The first of two; what cannot be written is left out, and é is the same word however it is written."""
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps({"": 0, "\ud800": 1, "é": 2, "e\u0301": 3, "a": 4, "b": 4}))
    assert read_vocabulary(path) == {"é": 2, "a": 4}
    (tmp_path / "vocab.txt").write_bytes(b"a\r\n\r\nb\na\n")
    assert read_vocabulary(tmp_path / "vocab.txt") == {"a": 0, "b": 2}


def test_a_worksheet_has_the_words_written_down(tmp_path: Path) -> None:
    """It may be marked anywhere."""
    from walkthrough.teaching.sheets.make.maker import Maker, SheetOptions

    sheet = Maker(scenario(tmp_path, json.dumps(WORDS)), "t", SheetOptions()).sheet()
    assert "vocab.json" not in sheet.text
    again = wt.parse_scenario(sheet.text)
    assert again.spec.vocabulary == WORDS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "v.json")
    with pytest.raises(wt.ScenarioError, match="is a pipe"):
        scenario(tmp_path, "{}", TEXT.replace("words/vocab.json", "v.json"))
