"""Formulas on a sheet: what their names stand for stands beside them, and their words are of the sheet's language."""

from __future__ import annotations

import re

import pytest

from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.teaching.students import handed_out, maker
from walkthrough.explaining.formulas import formula_text
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.write.texts import Cells, say_shape, stands_for
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace

ENGLISH, GERMAN = catalogue("en"), catalogue("de")
MEANT = {"pos", "sin", "cos", "max", "min", "ln", "abs", "erf", "argmax", "step", "out", "model", "softmax"}
"""Names of mathematics, and of the paper."""
WORD = r"(?<![_\w])[A-Za-z]{2,}"


def step(name: str, path: str) -> Value:
    found = maker(name).hand.get(path)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "path", "said"),
    [
        ("help-me", "attention.head.1.scaled_scores", "d_k = 16"),
        ("chai", "encoder.1.norm_1.std", "ε = 0.00001"),
        ("chai", "encoder.1.norm_1.variance", "d = 4"),
        ("chai", "positional_encoding", "d_model = 4; pos and i from 0; odd columns sin, even columns cos"),
        ("rotary", "attention.rotary.angle", "r = 4; pos and i from 0"),
        ("chai", "encoder.1.attention.head.1.scores", ""),
        ("cooking", "encoder.1.norm_1.std", ""),
    ],
)
def test_what_a_student_cannot_know_stands_beside_the_formula(name: str, path: str, said: str) -> None:
    assert stands_for(step(name, path), ENGLISH) == said


def test_the_targets_stand_beside_the_loss() -> None:
    loss = next(one for one in maker("cooking-training").hand if one.path == "loss.per_token")
    assert stands_for(loss, ENGLISH) == "targets: I → learned, learned → cooking, cooking → ."


def test_in_german_with_a_comma() -> None:
    assert stands_for(step("chai", "encoder.1.norm_1.std"), GERMAN) == "ε = 0,00001"
    assert formula_text(step("alibi", "attention.head.1.biased_scores"), GERMAN) == "S_B = S − 0,25×abs(i − j)"


def test_what_is_copied_from_given_numbers_is_written_like_these_unless_it_is_asked_for() -> None:
    embedding = step("one-head", "token_embedding")
    assert Cells(embedding, stand_there=True).rows()[0] == ["1", "0", "0", "1"]
    assert Cells(embedding).rows()[0] == ["1.000", "0.000", "0.000", "1.000"]


def test_whole_numbers_are_asked_for_as_such() -> None:
    steps = {one.value.path: one for one in handed_out("one-head").blank_steps}
    query, weights = (steps[f"attention.head.1.{name}"] for name in ("query", "weights"))
    assert say_shape(query.value, query, ENGLISH) == "4×4, whole numbers"
    assert say_shape(weights.value, weights, GERMAN) == "4×4, auf 3 Nachkommastellen"


@pytest.mark.parametrize("kind", KINDS)
def test_no_english_word_stands_in_a_german_formula(kind: str) -> None:
    """The words of a formula are those that differ from the English formula, or names of mathematics."""
    values = list(trace(parse_scenario(as_yaml(seeded_scenario(kind, 1)))))
    symbols = {word for value in values for word in re.findall(WORD, value.kind.symbol)}
    for value in values:
        english, german = formula_text(value, ENGLISH), formula_text(value, GERMAN)
        left = set(re.findall(WORD, german)) & set(re.findall(WORD, english)) - symbols
        assert left <= MEANT, german
