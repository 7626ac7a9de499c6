"""Logits or probabilities in the place of a model: what follows from them, and what cannot."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_given import softmax, traced

LOGITS = [[1.0, 2.0, 0.5, 0.0], [0.1, 0.2, 3.0, 1.0]]
WORDS = ["the", "cat", "sat", "mat"]
CELLS = {"embeddings": {"a": [1, 0], "b": [0, 1]}}


def test_given_logits_need_neither_embeddings_nor_a_model() -> None:
    trace = traced(output_head={"logits": LOGITS, "vocabulary": WORDS})
    np.testing.assert_allclose(trace["output_head.probabilities"].array, softmax(np.array(LOGITS)))
    assert trace["output_head.prediction"].rows == ("a", "b")
    assert [value.path for value in trace] == [
        f"output_head.{name}" for name in ("logits", "softmax.exp", "softmax.sum", "probabilities", "prediction")
    ]


def test_given_logits_are_capped_and_divided_by_the_temperature() -> None:
    trace = traced(output_head={"logits": LOGITS, "logit_cap": 2, "temperature": 0.5})
    expected = softmax(2 * np.tanh(np.array(LOGITS) / 2) / 0.5)
    np.testing.assert_allclose(trace["output_head.probabilities"].array, expected)


def test_without_tokens_there_are_as_many_rows_as_are_given() -> None:
    trace = wt.trace(wt.parse_scenario("{title: t, output_head: {probabilities: [[0.2, 0.8], [0.9, 0.1], [1, 0]]}}"))
    assert [value.path for value in trace] == ["output_head.probabilities", "output_head.prediction"]
    assert trace["output_head.prediction"].array.tolist() == [[1, 0.8], [0, 0.9], [0, 1]]


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_of_given_logits_there_is_a_loss_and_a_gradient_and_no_update(smoothing: float) -> None:
    head = {"logits": LOGITS, "vocabulary": WORDS}
    trace = traced(output_head=head, training={"targets": ["cat", "mat"], "label_smoothing": smoothing})
    logits = np.array(LOGITS)
    targets = np.eye(4)[[1, 3]] * (1 - smoothing) + smoothing / 4
    losses = -(targets * np.log(softmax(logits))).sum(axis=1)
    np.testing.assert_allclose(trace["loss.mean"].array, [[losses.mean()]])
    np.testing.assert_allclose(trace["gradient.output_head.logits"].array, (softmax(logits) - targets) / 2)
    assert not any(path.startswith(("update.", "trained.", "training")) for path, _ in trace.items())


def test_of_given_probabilities_there_is_a_loss_alone() -> None:
    head = {"probabilities": [[0.5, 0.5], [0.2, 0.8]], "vocabulary": ["x", "y"]}
    trace = traced(output_head=head, training={"targets": ["x", None], "reduction": "sum"})
    np.testing.assert_allclose(trace["loss.total"].array, [[np.log(2)]])
    assert not any("gradient" in path for path, _ in trace.items())


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"output_head": {"logits": [[1, 2]]}}, "logits is 1×2, expected n×vocabulary = 2×vocabulary"),
        ({"output_head": {"logits": [[1], [2]], "vocabulary": ["x", "y"]}}, "logits is 2×1, expected n×vocabulary"),
        ({"generate": {"max_tokens": 2}}, "max_tokens is 2, expected 1: the logits are given, and not those of later"),
        ({"generate": {"max_tokens": 1, "end_token": "z"}}, "the end token 'z' is not in the output vocabulary"),
        ({"training": {"targets": ["x", "y"], "steps": 2}}, "steps has no effect: the logits are given"),
        ({"training": {"targets": ["x", "z"]}}, "the target .z. is not in the output vocabulary"),
    ],
)
def test_what_given_logits_exclude_is_said(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said):
        traced(**{"output_head": {"logits": [[1, 2], [3, 4]], "vocabulary": ["x", "y"]}, **keys})


def chosen(head: dict[str, Any], **generate: Any) -> wt.Trace:
    keys = {"title": "t", "output_head": head, "generate": {"max_tokens": 1, **generate}}
    return wt.trace(wt.parse_scenario(json.dumps(keys)))


SHARES = [0.5, 0.25, 0.15, 0.1]


@pytest.mark.parametrize(
    ("sample", "kept"),
    [
        ({}, SHARES),
        ({"top_k": 2}, [0.5, 0.25, 0, 0]),
        ({"top_p": 0.8}, [0.5, 0.25, 0.15, 0]),
        ({"top_k": 3, "top_p": 0.8}, [0.5, 0.25, 0, 0]),  # of the three largest, 0.556 + 0.278
    ],
)
def test_given_probabilities_are_cut_and_made_a_whole_again(sample: dict[str, Any], kept: list[float]) -> None:
    trace = chosen({"probabilities": [SHARES]}, sample={"draws": [0.6], **sample})
    assert trace["generate.1.sample.kept_shares"].array.tolist() == [kept]
    shares = np.array(kept) / sum(kept)
    np.testing.assert_allclose(trace["generate.1.sample.probabilities"].array, [shares], rtol=1e-15)
    token = int(np.argmax(np.cumsum(shares) > 0.6))
    assert trace["generated"].array.tolist() == [[token, shares[token]]]


@pytest.mark.parametrize("sample", [{}, {"top_k": 2}, {"top_p": 0.8}, {"top_k": 3, "top_p": 0.7}])
def test_what_is_drawn_from_probabilities_is_what_is_drawn_from_their_logits(sample: dict[str, Any]) -> None:
    draw = {"draws": [0.7], **sample}
    by_logits = chosen({"logits": [(np.log(SHARES) + 3).tolist()]}, sample=draw)
    by_shares = chosen({"probabilities": [SHARES]}, sample=draw)
    for path in ("generate.1.sample.probabilities", "generate.1.sample.cumulative", "generated"):
        np.testing.assert_allclose(by_shares[path].array, by_logits[path].array, rtol=1e-13)


def test_the_next_word_of_given_logits_is_the_likeliest_of_the_last_row() -> None:
    trace = chosen({"logits": LOGITS, "vocabulary": WORDS})
    assert trace["generated"].array[0].tolist() == [2, softmax(np.array(LOGITS))[1, 2]]
    assert trace["generated"].names[2] == "sat"


def test_beams_of_given_probabilities_are_the_likeliest_words() -> None:
    trace = chosen({"probabilities": [SHARES]}, beams=2, length_penalty=0)
    np.testing.assert_allclose(
        trace["generate.1.finished"].array, [[1, 1, 0, np.log(0.5)], [1, 1, 1, np.log(0.25)]], rtol=1e-15
    )
    assert trace["generated"].array.tolist() == [[0, 0.5]]


@pytest.mark.parametrize("number", [-0.25, 1.5])
def test_what_is_no_probability_is_refused_where_it_stands(number: float) -> None:
    """A sign or a point too much went through the choice as it was, or became a missing next token."""
    with pytest.raises(wt.ScenarioError, match="a probability is a number from 0 to 1") as said:
        chosen({"vocabulary": ["a", "b"], "probabilities": [[0.5, number]]})
    assert said.value.problems[0].key == "output_head.probabilities"


def test_a_model_before_given_logits_is_not_computed_and_that_is_said() -> None:
    text = """title: t
tokens: [a, b]
embeddings: {a: [1, 0], b: [0, 1]}
encoder: {layers: [{feed_forward: {w_1: {init: normal}, w_2: {init: normal}}}]}
output_head: {logits: [[1, 2], [2, 1]]}
"""
    scenario = wt.parse_scenario(text)
    assert [str(one.message).split(":")[0] for one in scenario.warnings] == [
        "embeddings has no effect",
        "encoder has no effect",
    ]
    assert "encoder.output" not in wt.trace(scenario)
    is_beside = wt.trace(
        wt.parse_scenario(text.replace("{logits", "{w: null, logits").replace("{init: normal}", "[[1, 0], [0, 1]]"))
    )
    assert "encoder.output" in is_beside
    assert is_beside["output_head.logits"].operation is None
