"""The tokens of a checkpoint's scenario: words of its vocabulary, ids, or a text for its tokenizer."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from tests.checkpoints.test_settings import written
from walkthrough.checkpoints import CheckpointError, Prompt, compose
from walkthrough.transformer.loading.load import read_scenario

WORDS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "tea", "is", "hot", "##ter", "Ġcup", "no", "'"]
TOKENIZER = {
    "version": "1.0",
    "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
    "padding": {"strategy": {"Fixed": 12}, "direction": "Right", "pad_to_multiple_of": None, "pad_id": 0,
                "pad_type_id": 0, "pad_token": "[PAD]"},
    "added_tokens": [{"id": at, "content": WORDS[at], "single_word": False, "lstrip": False, "rstrip": False,
                      "normalized": False, "special": True} for at in range(4)],
    "normalizer": None,
    "pre_tokenizer": {"type": "Whitespace"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    "decoder": None,
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100, "vocab": {word: at for at, word in enumerate(WORDS)}},
}  # fmt: skip


def folder_with(folder: Path, name: str = "tokenizer.json", content: Any = TOKENIZER) -> Path:
    """A checkpoint folder with a vocabulary."""
    written(folder, "bert-plain")
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def tokens(folder: Path, **prompt: str) -> tuple[tuple[str, ...], list[int]]:
    """Labels and ids of the scenario, as it is read back."""
    path = folder / "scenario.yaml"
    path.write_text(compose(folder, Prompt(**prompt)).text, encoding="utf-8")
    sequence = read_scenario(path).sequence
    assert sequence.vocabulary is not None
    return sequence.words, [sequence.vocabulary[word] for word in sequence.words]


def refusal(folder: Path, **prompt: str) -> str:
    with pytest.raises(CheckpointError) as refused:
        compose(folder, Prompt(**prompt))
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("tokenizer.json", TOKENIZER),
        ("tokenizer.json", {"model": {"vocab": [[word, -1.5] for word in WORDS]}}),
        ("vocab.json", {word: at for at, word in enumerate(WORDS)}),
        ("vocab.txt", "\n".join(WORDS) + "\n"),
    ],
)
def test_words_of_every_kind_of_vocabulary(name: str, content: Any, tmp_path: Path) -> None:
    folder = folder_with(tmp_path, name, content)
    assert tokens(folder, tokens="[CLS] tea is  hot ##ter no ' [SEP]")[1] == [1, 4, 5, 6, 7, 9, 10, 2]
    assert tokens(folder, tokens="tea Ġcup")[0] == ("tea", "Ġcup")
    assert tokens(folder, ids="4, 5,4")[0] == ("tea", "is", "tea"), "with a vocabulary ids have their words"


def test_the_scenario_names_the_vocabulary_where_every_token_has_a_word(tmp_path: Path) -> None:
    """Then predictions have words too; not where it has ids that the model does not."""
    folder = folder_with(tmp_path)
    assert f"vocabulary: {{file: {folder.as_posix()}/tokenizer.json}}" in compose(folder, Prompt(ids="4,5")).text
    larger = {word: at for at, word in enumerate([*WORDS, "more"])}
    folder_with(folder, content={"model": {"vocab": larger}})
    assert "vocabulary: {tea: 4, is: 5}" in compose(folder, Prompt(tokens="tea is")).text


def test_ids_without_a_vocabulary_are_their_own_labels(tmp_path: Path) -> None:
    written(tmp_path, "bert-plain")
    assert tokens(tmp_path, ids="5,10 0") == (("5", "10", "0"), [5, 10, 0])
    assert tokens(tmp_path) == (("0", "1", "2"), [0, 1, 2]), "the first ids, where nothing is asked for"


def test_what_cannot_be_a_label_is_called_by_its_id(tmp_path: Path) -> None:
    """An empty word, half a character, a number that another word is, and one that Unicode can write in two ways."""
    odd = ["", "\ud800", "5", "é", "e\u0301", "five"]
    folder = folder_with(tmp_path, "vocab.json", {word: at for at, word in enumerate(odd)})
    assert tokens(folder, ids="0,1,2,3,4,5,6")[0] == ("0", "1", "5", "é", "4", "five", "6")
    assert tokens(folder, ids="2,6,5")[0] == ("5", "6", "five")


def test_hostile_words(tmp_path: Path) -> None:
    odd = ["</script>", "{i}", "a: b", "- x", "\u202e", "\x1b[2J", "null", "[bold]", '"', "\\", "#"]
    folder = folder_with(tmp_path, "vocab.json", {word: at for at, word in enumerate(odd)})
    labels, ids = tokens(folder, ids=",".join(map(str, range(11))))
    assert (labels, ids) == (tuple(odd), list(range(11)))
    text = compose(folder, Prompt(ids="4,5")).text
    assert "\u202e" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ({"tokens": "teh"}, "the token 'teh' is not in the vocabulary\n     = help: did you mean 'tea'"),
        ({"tokens": "cup"}, "did you mean 'Ġcup'?"),
        ({"tokens": "ter"}, "did you mean '##ter'?"),
        ({"tokens": "  "}, "no token is given"),
        ({"ids": ""}, "no token is given"),
        ({"ids": "4,-1"}, "'-1' is not an id, expected whole numbers such as 5,17,2"),
        ({"ids": "4;5"}, "'4;5' is not an id"),
        ({"ids": "11"}, "there is no id 11: the model has 11 words, 0 to 10"),
        ({"ids": ",".join("1" * 17)}, "17 tokens are given, but the model has only 16 positions"),
    ],
)
def test_tokens_that_are_none(prompt: dict[str, str], said: str, tmp_path: Path) -> None:
    assert said in refusal(folder_with(tmp_path), **prompt)


def test_words_need_a_vocabulary(tmp_path: Path) -> None:
    written(tmp_path, "bert-plain")
    refused = refusal(tmp_path, tokens="tea")
    assert "there is no vocabulary in it" in refused
    assert "give --ids instead of --tokens" in refused
    assert "there is no such file, which --text needs" in refusal(tmp_path, text="tea")


@pytest.mark.parametrize("content", ["{", "[]", '{"model": {}}', '{"model": {"vocab": {"a": "b"}}}'])
def test_a_tokenizer_that_is_none(content: str, tmp_path: Path) -> None:
    refused = refusal(folder_with(tmp_path, content=content), ids="1")
    assert "tokenizer.json" in refused
    assert "expected" in refused


def test_text_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *others: Any, **named: Any) -> Any:
        if name == "tokenizers":
            raise ImportError(name)
        return original(name, *others, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    refused = refusal(folder_with(tmp_path), text="tea is hot")
    assert "--text needs the package tokenizers" in refused
    assert "pip install 'walkthrough[tokenizers]'" in refused


def test_a_text_is_split_as_the_tokenizer_does_it(tmp_path: Path) -> None:
    """Special tokens stand around it; what it says of padding and of the longest text is for batches."""
    pytest.importorskip("tokenizers")
    labels, ids = tokens(folder_with(tmp_path), text="tea is hotter tea")
    assert ids == [1, 4, 5, 6, 7, 4, 2]
    assert labels == ("[CLS]", "tea", "is", "hot", "##ter", "tea", "[SEP]")


PANICS = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]], "continuing_subword_prefix": "##"}


@pytest.mark.parametrize("model", [{"type": "none", "vocab": {"a": 1}}, PANICS], ids=["unknown", "panic"])
def test_a_tokenizer_that_the_package_refuses(model: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What its Rust prints when it gives up is no sentence of ours."""
    pytest.importorskip("tokenizers")
    broken = {**TOKENIZER, "model": model}
    assert "the package tokenizers cannot read it" in refusal(folder_with(tmp_path, content=broken), text="a")
    assert capfd.readouterr().err == ""
