"""Tokens are data: whatever they look like, they are read as they are, shown harmlessly and kept intact."""

from __future__ import annotations

import json

import pytest

import walkthrough
from tests.views.samples import HOSTILE as SHOWN
from walkthrough import text as text_module
from walkthrough.judging.check import check
from walkthrough.judging.names import check_names
from walkthrough.scenario.schema.readers import Context
from walkthrough.scenario.schema.tokens import SentenceReader
from walkthrough.scenario.yaml.nodes import ScalarNode
from walkthrough.scenario.yaml.problems import Problems, ScenarioError
from walkthrough.views.formats import to_bytes
from walkthrough.views.options import Options

HOSTILE = [
    *SHOWN,
    *("null", "no", "on", "010", "1e-5", "true", "~", " "),
    *("x" * 200, "\u202etxet", "\x00", "\t", "\ufeff", "日本", '"'),
    *("a: b", "# c", "- d", "&e", "%", "`", "@1", "<<", "init"),
]


def quoted(token: str) -> str:
    """A token in double quotes, what cannot be seen as an escape."""
    escaped = token.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in escaped) + '"'


def scenario_of(tokens: list[str]) -> str:
    words = [quoted(token) for token in tokens]
    vectors = ", ".join(f"{word}: [{row}, 1]" for row, word in enumerate(words))
    return f"title: t\ntokens: [{', '.join(words)}]\nembeddings: {{{vectors}}}\noutput_head: {{tied: true}}\n"


def labels(text: str) -> list[str]:
    trace = walkthrough.trace(walkthrough.parse_scenario(text))
    exported = json.loads(to_bytes(trace, Options(), "json"))
    step = next(step for step in exported["steps"] if step["path"] == "output_head.logits")
    assert step["rows"] == step["columns"]
    return list(step["rows"])


def test_hostile_tokens_are_kept_intact() -> None:
    assert labels(scenario_of(HOSTILE)) == HOSTILE


def test_plain_words_are_the_words_that_they_look_like() -> None:
    text = "title: t\ntokens: [no, on, null, ~, true, 010, 1e-5, 0x1F, <<, =, .inf]\n"
    words = ["no", "on", "null", "~", "true", "010", "1e-5", "0x1F", "<<", "=", ".inf"]
    text += "embeddings:\n" + "".join(f"  {word}: [1, 2]\n" for word in words) + "output_head: {tied: true}\n"
    assert labels(text) == words


@pytest.mark.parametrize("token", HOSTILE)
def test_a_message_shows_a_hostile_token_harmlessly(token: str) -> None:
    text = f"title: t\ntokens: [{quoted(token)}]\nembeddings: {{other: [1]}}\n"
    with pytest.raises(ScenarioError, match="has no embedding") as caught:
        walkthrough.parse_scenario(text)
    assert caught.value.problems[0].column == 10
    assert all(sign.isprintable() or sign in "\n\u200d" for sign in str(caught.value))


COMPOSED, DECOMPOSED = "M\u00fcde", "Mu\u0308de"
WORDS = """
title: Words
text: b TWO
vocabulary: {<pad>: 0, ONE: 1, b: 2}
embeddings: {<pad>: [0, 0], TWO: [1, 0], b: [0, 1]}
attention: {heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]}
output_head: {vocabulary: [ONE, b], w: [[3, 0], [0, 1]]}
published:
  token_embedding: {ONE: [1, 0]}
  output_head.prediction: {TWO: ONE}
"""


@pytest.mark.parametrize(("one", "two"), [(COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)])
@pytest.mark.parametrize(
    "more", ["", "training: {targets: [ONE, TWO]}", "generate: {max_tokens: 2, end_token: TWO}", "padding_token: ONE"]
)
def test_words_that_unicode_counts_as_the_same_are_the_same(one: str, two: str, more: str) -> None:
    """In tokens, vocabulary, embeddings, padding, targets, end token, output vocabulary and published numbers."""
    scenario = walkthrough.parse_scenario((WORDS + more).replace("ONE", one).replace("TWO", two))
    check_names(scenario, walkthrough.trace)
    trace = walkthrough.trace(scenario)
    assert [label.encode() for label in trace["token_embedding"].rows] == [b"b", two.encode()], "shown as written"
    assert trace["token_ids"].array.tolist() == [[2], [1]]
    if not more:
        assert {cell.verdict for cell in check(scenario, trace).cells} == {"exact"}
    elif "training" in more:
        assert trace["loss.per_token"].array.shape == (2, 1)
    elif "generate" in more:
        assert trace["generated"].shape[0] == 1
    else:
        assert scenario.sequence.words[1] == scenario.spec.padding_token


@pytest.mark.parametrize("key", ["vocabulary: {{{one}: 1, {other}: 2}}", "vocabulary: [{one}, {other}]"])
def test_a_word_given_twice_in_two_ways_is_found(key: str) -> None:
    with pytest.raises(ScenarioError, match=r"occurs twice|is repeated"):
        walkthrough.parse_scenario("title: t\n" + key.format(one=COMPOSED, other=DECOMPOSED))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{DECOMPOSED} x\u0302!", (DECOMPOSED, "x\u0302", "!")),
        ("हिन्दी भाषा।", ("हिन्दी", "भाषा", "।")),
        ("don't 3.14, so", ("don't", "3.14", ",", "so")),
        ("می\u200cخواهم چای", ("می\u200cخواهم", "چای")),
        ("ชา\u200bร้อน", ("ชา", "ร้อน")),
        ("I ❤\ufe0f tea!", ("I", "❤\ufe0f", "tea", "!")),
        (
            "👍\U0001f3fd👩\u200d🚀\U0001f1e9\U0001f1ea 1\ufe0f\u20e3",
            ("👍\U0001f3fd", "👩\u200d🚀", "\U0001f1e9\U0001f1ea", "1\ufe0f\u20e3"),
        ),
    ],
)
def test_what_is_seen_as_one_sign_is_not_split(text: str, words: tuple[str, ...]) -> None:
    read = SentenceReader().read(ScalarNode(text, True, 1, 1), Context(Problems()))
    assert read is not None
    assert read.words == words


@pytest.mark.parametrize(
    "text",
    [
        "tokens: [{words}]\nembeddings: {{{known}}}",
        "tokens: [a]\nvocabulary: {{{known_ids}}}\nembeddings: {{init: ones}}\n{keys}",
    ],
    ids=["tokens", "keys"],
)
def test_a_thousand_unknown_words_are_named_at_once(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 1000
    made = text.format(
        words=", ".join(f"word{at}x" for at in range(count)),
        known=", ".join(f"word{at}: [1, 2]" for at in range(count)),
        known_ids=", ".join(f"word{at}: {at}" for at in range(count)),
        keys="\n".join(f"tokems{at}: 1" for at in range(count)),
    )
    looked_up: list[str] = []
    near = text_module.find_near
    monkeypatch.setattr(text_module, "find_near", lambda word, *rest: looked_up.append(word) or near(word, *rest))
    with pytest.raises(ScenarioError) as caught:
        walkthrough.parse_scenario("title: t\n" + made)
    assert "help: did you mean" in str(caught.value)
    assert len(looked_up) <= 50, "near names are looked for where they are shown, and nowhere else"
