"""Titles that tell the matrices of a sheet apart."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.examples import all_in_a_thorough_run
from tests.oracle.scenarios import KINDS, as_yaml, seeded_scenario
from tests.teaching.students import handed_out
from walkthrough.languages.catalogue import catalogue
from walkthrough.recording.parts import parts_of
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.teaching.sheets.titles import Titles
from walkthrough.transformer.loading.load import parse_scenario
from walkthrough.transformer.runs.run import trace


def titles(name: str, language: str = "en") -> dict[str, str]:
    one = handed_out(name)
    told = Titles.of(one, catalogue(language))
    return {value.path: told.title(value) for value in [*one.given, *(step.value for step in one.steps)]}


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("name", all_in_a_thorough_run(sorted(bundled_scenarios().keys() - {"transformer-base"})))
def test_no_two_matrices_of_a_sheet_have_one_title(name: str, language: str) -> None:
    assert [title for title, count in Counter(titles(name, language).values()).items() if count > 1] == []


def test_heads_norms_residuals_and_layers_are_told_apart_where_there_are_several() -> None:
    two_heads, two_layers = titles("cooking-multihead"), titles("fuchs")
    assert two_heads["encoder.1.attention.head.1.w_q"] == "Weights W_Q, head 1"
    assert two_heads["encoder.1.attention.head.1.scaled_scores"] == "Scaled scores, head 1"
    assert two_heads["encoder.1.norm_2.centered"] == "Centered, norm 2"
    assert two_heads["encoder.1.residual_2"] == "Residual 2"
    assert two_heads["output_head.softmax.sum"] == "Row sum, output head"
    assert two_heads["encoder.1.attention.output"] == "Attention output"
    assert two_layers["encoder.2.norm_1.centered"] == "Centered, norm 1, layer 2"
    assert two_layers["encoder.final_norm.output"] == "Layer norm, final norm"
    assert titles("chai")["encoder.1.attention.head.1.query"] == "Queries"


def test_encoder_and_decoder_and_their_attentions_are_told_apart() -> None:
    found = titles("not-on-your-life")
    assert found["encoder.1.attention.head.2.query"] == "Queries, head 2, attention"
    assert found["decoder.1.cross_attention.head.2.query"] == "Queries, head 2, cross-attention"
    assert found["decoder.1.residual_1"] == "Residual 1, decoder"


def test_titles_in_german() -> None:
    found = titles("cooking-multihead", "de")
    assert found["encoder.1.attention.head.2.w_q"] == "Gewichte W_Q, Kopf 2"
    assert found["encoder.1.residual_2"] == "Residuum 2"


def test_a_symbol_stands_behind_the_title_itself() -> None:
    one = handed_out("masked-scores")
    (scores,) = (value for value in one.given if value.path.endswith("scores"))
    assert Titles.of(one).with_symbol(scores) == "Scores S"
    two = handed_out("cooking-multihead")
    by_path = {value.path: value for value in [*two.given, *(step.value for step in two.steps)]}
    told = Titles.of(two)
    assert told.with_symbol(by_path["encoder.1.attention.head.2.w_q"]) == "Weights W_Q, head 2"
    assert told.with_symbol(by_path["encoder.1.attention.head.2.scores"]) == "Scores S, head 2"


@pytest.mark.parametrize("language", ["en", "de"])
def test_every_part_has_a_name_in_every_language(language: str) -> None:
    names = {
        part.word
        for seed, kind in enumerate(KINDS)
        for value in trace(parse_scenario(as_yaml(seeded_scenario(kind, seed))))
        for part in parts_of(value.path)
    }
    assert len(names) > 8
    assert sorted(names - catalogue(language).words["parts"].keys()) == []
