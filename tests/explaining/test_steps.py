"""Steps explained: every computed one says what it is for, why it is there and who introduced it; alike ones once."""

from __future__ import annotations

import re
from functools import cache

import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from walkthrough.explaining.steps import explain_steps
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.library import calculate
from walkthrough.recording.selectors import within_pass
from walkthrough.recording.trace import Trace
from walkthrough.scenario.sources import bundled_scenarios

LARGE = {"specialise", "transformer-base"}
BUNDLED = sorted(bundled_scenarios().keys() - LARGE)
SOURCE = re.compile(r"[A-Z][^()§]+ \((19|20)\d\d\)(, §([IVX]+\.)?\d+(\.\d+)*)?")


@cache
def trace(name: str) -> Trace:
    scenario = wt.load_scenario(name)
    return calculate(scenario, most_steps=2 if scenario.spec.training is not None else None)


@pytest.mark.parametrize("name", all_in_a_thorough_run([*BUNDLED, "specialise"]))
def test_every_computed_step_has_a_purpose_a_reason_and_a_source(name: str) -> None:
    for value in trace(name):
        purpose, why, source = (say(value.kind) for say in (ENGLISH.purpose, ENGLISH.why, ENGLISH.source))
        assert purpose, value.path
        if value.operation is not None:
            sentences = re.findall(r"[.!?](?= [A-ZÀ-Þa-z−]|$)", why)
            assert 2 <= len(sentences) <= 3, (value.path, why)
            assert SOURCE.fullmatch(source), (value.path, source)
            assert why != purpose


@pytest.mark.parametrize("name", all_in_a_thorough_run(BUNDLED))
def test_steps_that_are_alike_are_explained_once_and_none_is_left_out(name: str) -> None:
    found = explain_steps(trace(name), list(trace(name)))
    named = [path for step in found for path in (step.value.path, *step.like)]
    assert sorted(named) == sorted(trace(name).values)
    for step in found:
        assert {re.sub(r"\d+", "", within_pass(path)) for path in step.like} <= {
            re.sub(r"\d+", "", within_pass(step.value.path))
        }
    order = [step.value.path for step in found]
    assert order == [path for path in trace(name).values if path in order]


def test_heads_layers_and_passes_are_alike_and_the_weights_of_a_network_are_not() -> None:
    of_gpt = {step.value.path: step.like for step in explain_steps(trace("tea-gpt"), trace("tea-gpt").select("scores"))}
    assert len(of_gpt) == 1
    ((first, others),) = of_gpt.items()
    assert first == "decoder.1.self_attention.head.1.scores"
    assert {"decoder.1.self_attention.head.2.scores", "generate.2.decoder.1.self_attention.head.1.scores"} <= {*others}
    chai = trace("chai")
    weights = explain_steps(chai, chai.select("w_1", "w_2"))
    assert [step.value.path.rpartition(".")[2] for step in weights] == ["w_1", "w_2"]


@pytest.mark.parametrize("name", all_in_a_thorough_run(BUNDLED))
def test_users_are_the_steps_that_have_it_as_an_input(name: str) -> None:
    for step in explain_steps(trace(name), list(trace(name))):
        expected = [value.path for value in trace(name) if any(one.path == step.value.path for one in value.inputs)]
        assert list(step.users) == expected


@pytest.mark.parametrize(
    ("path", "within"),
    [
        ("train.3.encoder.1.norm_1.mean", "encoder.1.norm_1.mean"),
        ("example.2.train.1.input", "input"),
        ("trained.generate.2.input", "input"),
        ("beam.4.scores", "scores"),
        ("training", "training"),
        ("generate.K.input", "generate.K.input"),
    ],
)
def test_the_prefix_of_a_pass_is_no_part_of_what_a_step_is(path: str, within: str) -> None:
    assert within_pass(path) == within


def test_the_reason_of_a_gradient_is_that_of_the_operation_on_the_way_back() -> None:
    gradients = [value for value in trace("cooking-training") if value.path.startswith("gradient.")]
    whys = {
        value.operation.name: ENGLISH.why(value.kind)
        for value in gradients
        if value.operation and ".through." not in value.path
    }
    assert len(set(whys.values())) >= 9
    assert "shares of one whole" in whys["softmax_gradient"]
    assert "added to every row" in whys["column_sum"]
    assert whys["matrix_product"] == whys["product_transposed"] != whys["transposed_product"]


def test_an_activation_has_the_source_of_its_own_curve() -> None:
    def source(name: str) -> str:
        found = (value for value in trace(name) if value.path.endswith("feed_forward.activation"))
        return ENGLISH.source(next(found).kind)

    assert source("one-block") == "Vaswani et al. (2017), §3.3"
    assert source("tea-gpt") == "Hendrycks and Gimpel (2016), §2"


def test_a_learning_rate_has_the_source_of_its_schedule() -> None:
    def source(name: str) -> str:
        return next(ENGLISH.source(value.kind) for value in trace(name) if value.path.endswith("learning_rate"))

    assert source("warmup") == "Vaswani et al. (2017), §5.3"
    assert source("microgpt") == "Devlin et al. (2019)"
