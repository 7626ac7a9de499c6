"""Greedy generation: each pass is the calculation of a longer prompt."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.transformer.runs.test_cache import Data, bundled, traced
from tests.views.samples import bundled_trace
from walkthrough.transformer.runs.generation import GenerationError

SENTENCES = {
    "not-on-your-life": ["Not", "on", "your", "life", "!", "<end>"],
    "tea-gpt": ["is", "not", "cold", "tea", "<end>"],
}


def continued(scenario: Data, words: list[str]) -> Data:
    """The scenario with these words behind its tokens, and no generation."""
    longer = copy.deepcopy(scenario)
    del longer["generate"]
    owner = longer["decoder"] if "encoder" in longer else longer
    owner["tokens"] = owner["tokens"] + words
    return longer


def written(trace: wt.Trace) -> list[str]:
    value = trace["generated"]
    assert value.names is not None
    return [value.names[int(number)] for number in value.array[:, 0]]


def passes(trace: wt.Trace) -> set[str]:
    return {path.split(".")[1] for path, _ in trace.items() if path.startswith("generate.")}


@pytest.mark.parametrize("name", SENTENCES)
def test_bundled_scenarios_write_their_sentence(name: str) -> None:
    trace = bundled_trace(name)
    assert written(trace) == SENTENCES[name]
    assert passes(trace) == {str(number) for number in range(1, len(SENTENCES[name]) + 1)}


@pytest.mark.parametrize("name", [slow("not-on-your-life"), "tea-gpt"])
def test_each_pass_is_the_trace_of_the_longer_prompt(name: str) -> None:
    """Every path of the fresh trace, and no other; given matrices and the encoder keep the path they have."""
    scenario, trace = bundled(name), bundled_trace(name)
    everything = dict(trace.items())
    for number in range(1, len(SENTENCES[name]) + 1):
        prefix = f"generate.{number}."
        fresh = dict(traced(continued(scenario, SENTENCES[name][: number - 1])).items())
        own = {path.removeprefix(prefix): value for path, value in everything.items() if path.startswith(prefix)}
        assert own.keys() <= fresh.keys()
        for path, value in fresh.items():
            found = own.get(path) or trace[path]
            np.testing.assert_array_equal(found.array, value.array, err_msg=prefix + path)
            assert (found.rows, found.columns) == (value.rows, value.columns)
            if path not in own:
                assert value.operation is None or path.startswith("encoder.") or "encoder" in scenario, path
        computed = {path for path, value in fresh.items() if value.operation is not None}
        assert {path for path in computed if path.startswith(("decoder.", "output_head."))} <= own.keys()


@pytest.mark.parametrize("name", SENTENCES)
def test_the_first_pass_is_that_of_the_prompt(name: str) -> None:
    trace = bundled_trace(name)
    assert trace["generate.1.output_head.logits"] is trace["output_head.logits"]
    assert trace["generate.1.decoder.1.self_attention.head.1.scores"] is trace["decoder.1.self_attention.head.1.scores"]
    assert not any(path.startswith("generate.1.") for path in trace.values)


def test_the_encoder_runs_once() -> None:
    trace = bundled_trace("not-on-your-life")
    assert "encoder.output" in trace
    assert not [path for path, _ in trace.items() if path.startswith("generate.") and ".encoder." in path]
    assert not [path for path in trace.values if path.startswith("generate.") and ".w_" in path]


@pytest.mark.parametrize("name", SENTENCES)
def test_a_pass_knows_the_pass_before_it_and_repeats_its_rows(name: str) -> None:
    """The causal mask lets no word see a later one."""
    trace = bundled_trace(name)
    for path in ("decoder.1.self_attention.head.2.output", "decoder.output", "output_head.logits"):
        for number in range(2, len(SENTENCES[name]) + 1):
            value = trace[f"generate.{number}.{path}"]
            assert value.before is trace[f"generate.{number - 1}.{path}"]
            rows = value.before.shape[0]
            assert value.shape[0] == rows + 1
            np.testing.assert_allclose(value.array[:rows], value.before.array, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("most", [1, 2])
def test_max_tokens_stops(most: int) -> None:
    trace = traced(bundled("tea-gpt") | {"generate": {"max_tokens": most, "end_token": "<end>"}})
    assert written(trace) == SENTENCES["tea-gpt"][:most]
    assert len(passes(trace)) == most


def test_the_end_token_stops_and_counts() -> None:
    sentence = SENTENCES["tea-gpt"]
    trace = traced(bundled("tea-gpt") | {"generate": {"max_tokens": 30, "end_token": sentence[2]}})
    assert written(trace) == sentence[:3]


def test_a_prompt_of_several_words() -> None:
    scenario = bundled("tea-gpt") | {"tokens": ["hot", "tea", "is", "not"]}
    assert written(traced(scenario)) == ["cold", "tea", "<end>"]


def test_an_unknown_prediction_cannot_be_continued() -> None:
    scenario = bundled("not-on-your-life")
    cross = scenario["decoder"]["layers"][0]["cross_attention"]["heads"][0]
    del cross["w_k"]
    cross["k"] = [[1, None], [1, 0], [1, 0], [1, 0]]
    with pytest.raises(GenerationError, match=r"output_head\.prediction: the next token is unknown") as caught:
        traced(scenario)
    (problem,) = caught.value.problems
    assert problem.key == "generate"
    assert caught.value.text[problem.column - 1 :].startswith('"generate"')


@pytest.mark.parametrize("most", [1, 3])
def test_where_a_generation_leaves_the_numbers_is_said(most: int) -> None:
    scenario = bundled("tea-gpt")
    scenario["generate"]["max_tokens"] = most
    scenario["output_head"]["temperature"] = 1e-308
    with pytest.raises(GenerationError) as caught:
        traced(scenario)
    assert caught.value.problems[0].message == (
        "output_head.prediction: there is no next token; the first non-finite number is in output_head.scaled_logits"
    )
