"""Tokens at positions of their own: each calculation gives what it gives them within a longer sentence."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.draws import generator
from walkthrough.recording.trace import Trace

WORDS = ["a", "b", "c", "d", "e", "f", "g"]
CHOSEN = [2, 3, 6]
RANDOM = generator(7)
VECTORS = {word: RANDOM.normal(size=4).round(2).tolist() for word in WORDS}
HEADS = [{name: RANDOM.normal(size=(4, 4)).round(2).tolist() for name in ("w_q", "w_k", "w_v")} for _ in range(2)]
MASK = [[int(column in CHOSEN) for column in range(7)] for _ in range(7)]
"""Within the longer sentence, only the chosen tokens can be seen."""


def traced(keys: dict[str, Any]) -> Trace:
    return wt.trace(wt.parse_scenario(json.dumps({"title": "t", "embeddings": VECTORS, **keys})))


def both(attention: dict[str, Any], **keys: Any) -> tuple[Trace, Trace]:
    """The chosen tokens at their positions, and the whole sentence."""
    few = {"tokens": [WORDS[at] for at in CHOSEN], "positions": CHOSEN, "attention": {"heads": HEADS, **attention}}
    whole = {"tokens": WORDS, "attention": {"heads": HEADS, **attention, "mask": MASK}}
    return traced({**few, **keys}), traced({**whole, **keys})


@pytest.mark.parametrize("positional", ["sinusoidal", RANDOM.normal(size=(9, 4)).round(2).tolist()])
def test_the_encoding_is_that_of_the_positions(positional: Any) -> None:
    few, whole = both({}, positional_encoding=positional)
    np.testing.assert_array_equal(few["positional_encoding"].array, whole["positional_encoding"].array[CHOSEN])


TABLE = RANDOM.normal(size=(8, 2)).round(2).tolist()
PARTS: list[dict[str, Any]] = [
    {"rotary": {"base": 100}},
    {"rotary": {"scaling": {"yarn": {"factor": 4, "original_max_position_embeddings": 16}}}},
    {"alibi": True},
    {"window": 3},
    {"window": 3, "alibi": [0.5, 0.25]},
    {"relative_bias": {"buckets": 8, "max_distance": 16, "table": TABLE}},
]


@pytest.mark.parametrize("part", PARTS, ids=lambda part: "-".join(part))
def test_attention_goes_by_the_positions(part: dict[str, Any]) -> None:
    few, whole = both(part)
    np.testing.assert_allclose(few["attention.output"].array, whole["attention.output"].array[CHOSEN], rtol=1e-12)
    for head in (1, 2):
        weights = f"attention.head.{head}.weights"
        np.testing.assert_allclose(few[weights].array, whole[weights].array[np.ix_(CHOSEN, CHOSEN)], rtol=1e-12)


def test_a_causal_mask_goes_by_the_order_of_the_tokens() -> None:
    trace = traced({"tokens": ["a", "b"], "positions": [5, 2], "attention": {"heads": HEADS, "mask": "causal"}})
    np.testing.assert_array_equal(trace["attention.mask"].array, [[1, 0], [1, 1]])


@pytest.mark.parametrize("cache", [False, True])
def test_a_generation_goes_on_from_the_last_position(cache: bool) -> None:
    weights = dict.fromkeys((), VECTORS["a"])
    joined = {name: RANDOM.normal(size=(4, 4)).round(2).tolist() for name in ("w_q", "w_k", "w_v")}
    attention = {"num_heads": 2, **joined, "rotary": {"base": 10}, **weights}
    keys = {
        "positions": [3, 9],
        "tokens": ["a", "b"],
        "positional_encoding": "sinusoidal",
        "decoder": {"layers": [{"self_attention": attention}]},
        "output_head": {"w": RANDOM.normal(size=(4, 7)).round(2).tolist(), "vocabulary": WORDS},
        "generate": {"max_tokens": 3, "cache": cache},
    }
    trace = traced(keys)
    angle = trace["generate.3.decoder.1.self_attention.rotary.angle"].array[:, 0]
    assert angle.tolist() == ([11.0] if cache else [3.0, 9.0, 10.0, 11.0])
    np.testing.assert_allclose(trace["generate.2.positional_encoding"].array[-1, :2], [np.sin(10), np.cos(10)])


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"positions": [1]}, "positions has 1 entry, expected 2: one for each token"),
        ({"positions": [1, 2, 3]}, "positions has 3 entries, expected 2"),
        ({"positions": [1, -2]}, "expected a whole number from 0"),
        ({"positions": [0, 4], "positional_encoding": [[1, 2, 3, 4]] * 4}, "4 rows, expected at least 5"),
    ],
)
def test_positions_that_fit_nothing_are_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said):
        traced({"tokens": ["a", "b"], "attention": {"heads": HEADS}, **keys})


def test_positions_that_nothing_goes_by_are_told() -> None:
    text = "{title: t, tokens: [a], positions: [3], embeddings: [[1, 2]], encoder: {layers: [{}]}}"
    messages = [one.message for one in wt.parse_scenario(text).warnings]
    assert "positions has no effect: no part of the model goes by them" in messages
