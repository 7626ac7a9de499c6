"""Tokens are data: whatever they look like, they are read as they are, shown harmlessly and kept intact."""

from __future__ import annotations

import json

import pytest

import walkthrough
from walkthrough.scenario.problems import ScenarioError
from walkthrough.views.document import Options
from walkthrough.views.formats import written

HOSTILE = [
    *(
        "[bold]",
        "[/]",
        "|",
        "<b>",
        "$x$",
        "a\nb",
        "\x1b[31mred",
        "null",
        "no",
        "on",
        "010",
        "1e-5",
        "true",
        "~",
        " ",
        "",
    ),
    *(
        "x" * 200,
        "👩\u200d👩\u200d👧",
        "\u202etxet",
        "\x00",
        "\u2028",
        "\t",
        "\ufeff",
        "日本",
        "e\u0301",
        "'",
        '"',
        "\\",
    ),
    *("a: b", "# c", "- d", "*", "&e", "%", "`", "@1", "<<", "init"),
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
    exported = json.loads(written(trace, Options(), "json"))
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
