"""Sampling: what may be drawn, what is drawn, and what follows; the draws are the file's, or numpy's."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.scenario.yaml.problems import ScenarioError

WORDS = ["a", "b", "c", "d"]
LOGITS = np.array([0.0, 2.0, 1.0, -1.0])


def traced(sample: dict[str, Any], temperature: float = 1.0, max_tokens: int = 1, **how: Any) -> wt.Trace:
    """Every position has the same logits."""
    keys = {
        "title": "t",
        "tokens": ["a"],
        "vocabulary": WORDS,
        "embeddings": [[1.0]] * 4,
        "output_head": {"w": [LOGITS.tolist()], "temperature": temperature},
        "generate": {"max_tokens": max_tokens, "sample": sample},
    }
    return wt.trace(wt.parse_scenario(json.dumps(keys)), **how)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(x) / np.exp(x).sum())


def kept(sample: dict[str, Any], **keys: Any) -> list[str]:
    value = traced({"draws": [0.5], **sample}, **keys)["generate.1.sample.kept_logits"]
    return [word for word, number in zip(value.columns, value.array[0], strict=True) if number > -np.inf]


@pytest.mark.parametrize(
    ("sample", "words"),
    [
        ({}, WORDS),
        ({"top_k": 1}, ["b"]),
        ({"top_k": 3}, ["a", "b", "c"]),
        ({"top_k": 9}, WORDS),
        ({"top_p": 0.6}, ["b"]),  # 0.644 by itself
        ({"top_p": 0.7}, ["b", "c"]),  # 0.644 + 0.237
        ({"top_p": 1}, WORDS),
        ({"top_k": 2, "top_p": 0.7}, ["b"]),  # of two 0.731
        ({"top_k": 2, "top_p": 0.8}, ["b", "c"]),
    ],
)
def test_what_may_be_drawn(sample: dict, words: list[str]) -> None:
    assert kept(sample) == words


def test_the_temperature_comes_first() -> None:
    assert kept({"top_p": 0.6}, temperature=4) == ["b", "c"]  # 0.353 + 0.275


def test_the_first_word_whose_sum_exceeds_the_draw() -> None:
    sums = np.cumsum(softmax(LOGITS))
    for draw in (0.0, 0.05, 0.3, 0.72, 0.9, 0.98, 0.999999):
        trace = traced({"draws": [draw]})
        np.testing.assert_allclose(trace["generate.1.sample.cumulative"].array[0], sums, rtol=1e-12)
        word = int((sums > draw).argmax())
        assert trace["generate.1.sample.choice"].array.tolist() == [[word, softmax(LOGITS)[word]]]
        assert trace["generated"].names is not None
        assert trace["generate.1.sample.draw"].array.tolist() == [[draw]]


def test_words_that_were_drawn_are_read_again() -> None:
    trace = traced({"draws": [0.05, 0.3, 0.9]}, max_tokens=3)
    assert trace["generated"].array[:, 0].tolist() == [0, 1, 2]
    assert trace["generate.3.token_ids"].array[:, 0].tolist() == [0, 0, 1]
    assert trace["generate.3.sample.choice"].rows == ("1",)


def test_a_seed_draws_as_numpy_does() -> None:
    trace = traced({"seed": 7}, max_tokens=3)
    draws = [trace[f"generate.{number}.sample.draw"].array[0, 0] for number in (1, 2, 3)]
    assert draws == np.random.default_rng(7).random(3).tolist()


def test_by_hand_a_word_is_drawn_even_where_rounded_sums_stay_below_the_draw() -> None:
    trace = traced({"top_k": 3, "draws": [0.99]}, arithmetic="by-hand", decimals=1)
    assert trace["generate.1.sample.cumulative"].array[0, -1] <= 1
    assert trace["generate.1.sample.choice"].array[0, 0] in (0, 1, 2)


def test_words_that_are_as_likely_as_the_last_stay() -> None:
    keys = {
        "title": "t",
        "tokens": ["a"],
        "embeddings": [[1.0]],
        "output_head": {"w": [[1.0, 1.0, 1.0, 0.0]], "vocabulary": WORDS},
        "generate": {"max_tokens": 1, "sample": {"top_k": 2, "draws": [0.5]}},
    }
    trace = wt.trace(wt.parse_scenario(json.dumps(keys)))
    assert trace["generate.1.sample.probabilities"].array[0].round(3).tolist() == [0.333, 0.333, 0.333, 0]


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        ({"top_k": 2}, "sample needs either seed or draws, but none is given"),
        ({"seed": 1, "draws": [0.1]}, "sample needs either seed or draws, but seed and draws are given"),
        ({"draws": [1.0]}, "expected a number of at least 0 and below 1"),
        ({"top_k": 0, "seed": 1}, "expected a whole number from 1"),
        ({"top_p": 1.5, "seed": 1}, "expected a number of at most 1, found the number 1.5"),
    ],
)
def test_what_is_refused(sample: dict, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        traced(sample)


def test_too_few_draws() -> None:
    with pytest.raises(ScenarioError, match="draws has 1 number, expected one for each of 3 tokens"):
        traced({"draws": [0.1]}, max_tokens=3)
