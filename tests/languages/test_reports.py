"""What run, explain and the documents say is in the language asked for; what programs read is not."""

from __future__ import annotations

import re

import pytest

import walkthrough as wt
from tests.cli.program import run

CHAI = "chai", "--language", "de"


def said(*arguments: str) -> str:
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_run_is_in_the_language() -> None:
    text = said("run", *CHAI, "--step", "scores", "--step", "scaled_scores")
    assert "Mit voller Genauigkeit gerechnet, auf 3 Nachkommastellen gezeigt" in text
    assert "Encoder · Schicht 1 · Attention · Kopf 1" in text
    assert "Scores. Wie gut jede Anfrage (Zeile) zu jedem Schlüssel (Spalte) passt" in text
    assert "S[chai, is] = 1,0415×(−0,1161) + 1,5403×1,4093 = 2,050" in text
    assert not re.search(r"[0-9]\.[0-9]", re.sub(r"encoder\.1\S*", "", text))


def test_the_language_of_the_scenario_is_that_of_a_run_and_another_one_can_be_asked_for() -> None:
    scenario = "title: T\nlanguage: de\ntokens: [a, b]\nembeddings: [[0.5, 1], [2, 0.25]]\n"
    assert "2×2   gegeben" in run("run", "-", stdin=scenario).stdout
    assert "2×2   given" in run("run", "-", "--language", "en", stdin=scenario).stdout


def test_a_number_is_explained_in_the_language() -> None:
    text = said("explain", *CHAI[:1], "weights[chai, is]", *CHAI[1:])
    assert "weights[chai, is]  Attention-Gewichte" in text
    assert "A[chai, is] = 4,261 / 21,040 = 0,203" in text
    assert "siehe oben" in text
    assert "Verwendet von" in text
    assert "gegeben: " in said("explain", "chai", "query[chai, 1]", *CHAI[1:])


def test_a_notebook_explains_a_number_in_the_language() -> None:
    trace = wt.trace(wt.load_scenario("chai"))
    trace.language = "de"
    found = trace.explain("weights[chai, is]")
    assert "Verwendet von" in found._repr_html_()
    assert "4,261" in found._repr_markdown_()
    assert found.line.result == "0.203"


def test_a_step_is_explained_in_the_language() -> None:
    text = said("explain", "chai", "softmax.exp", *CHAI[1:])
    assert "Warum: Anteile müssen positiv sein" in text
    assert "2,718" in text
    assert "Berechnet aus" in text


def test_arguments_are_separated_by_a_semicolon_where_numbers_have_a_comma() -> None:
    text = said("run", *CHAI, "--step", "feed_forward.activation", "--work", "all")
    assert "G = max(0; H)" in text
    assert "G[The, 4] = max(0; 0,455) = 0,455" in text


def test_labels_and_words_stay_as_they_are() -> None:
    """A word that looks like a number is no number."""
    scenario = "title: T\nlanguage: de\ntokens: ['3.5', b]\nembeddings: [[0.5, 1], [2, 0.25]]\n"
    scenario += "attention: {w_q: [[1], [0.5]], w_k: [[1], [1]], w_v: [[1], [1]]}\n"
    text = run("run", "-", "--step", "scores", "--work", "all", stdin=scenario).stdout
    assert "S[b, 3.5] = " in text
    assert "3,5]" not in text


@pytest.mark.parametrize(
    "arguments", [("export", "chai"), ("explain", "chai", "weights[chai, is]"), ("explain", "chai", "scores")]
)
def test_json_does_not_change_with_the_language(arguments: tuple[str, ...]) -> None:
    assert said(*arguments, "--format", "json") == said(*arguments, "--format", "json", "--language", "de")
