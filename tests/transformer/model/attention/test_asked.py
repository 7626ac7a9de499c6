"""Fewer queries than keys: the rows that ask come out as they do among all of them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_positions import HEADS, PARTS, RANDOM, WORDS, traced

JOINED = {name: RANDOM.normal(size=(4, 4)).round(2).tolist() for name in ("w_q", "w_k", "w_v", "w_o")}
ASKED = [4, 1]
ALL: list[dict[str, Any]] = [
    {"heads": HEADS},
    {"num_heads": 2, **JOINED},
    {"num_heads": 2, **JOINED, "query_norm": {}, "key_norm": {"over": "all"}, "rotary": {"base": 10}},
    {"heads": HEADS, "mask": "causal"},
    {"heads": HEADS, "mask": ["causal", "padding"], "window": 3},
    *({"heads": HEADS, **part} for part in PARTS),
]


@pytest.mark.parametrize("attention", ALL, ids=lambda one: "-".join(one))
def test_the_rows_that_ask_come_out_as_among_all(attention: dict[str, Any]) -> None:
    keys = {"tokens": WORDS[:-1], "padding_token": "c"}
    whole = traced({**keys, "attention": attention})
    some = traced({**keys, "attention": {**attention, "queries": ["e", 2]}})
    assert some["attention.output"].rows == ("e", "b")
    for path, value in some.items():
        rows = len(whole[path].array) if path in whole else 0
        if path in whole and value.shape[0] == len(ASKED) < rows:
            np.testing.assert_allclose(value.array, whole[path].array[ASKED], rtol=1e-12, err_msg=path)
        elif path in whole:
            np.testing.assert_array_equal(value.array, whole[path].array, err_msg=path)
    added = {path for path, _ in some.items()} - {path for path, _ in whole.items()}
    assert added <= {"attention.query_input", "attention.rotary.query_angle"}


def test_given_numbers_have_as_many_rows_as_ask() -> None:
    head = {"q": [[1, 2]], "k": [[1, 0], [0, 1], [1, 1]], "v": [[1], [2], [3]], "scale": "none"}
    for keys in ({"tokens": ["x", "y", "z"], "queries": ["y"]}, {"queries": [2]}):
        attention = {"heads": [head], "mask": "causal", "queries": keys.pop("queries")}
        trace = wt.trace(wt.parse_scenario(json.dumps({"title": "t", **keys, "attention": attention})))
        np.testing.assert_array_equal(trace["attention.head.1.masked_scores"].array, [[1, 2, -np.inf]])
        assert "attention.query_input" not in trace


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"queries": ["h"]}, "'h' is none of the tokens"),
        ({"queries": ["a"]}, "it stands more than once: a@1, a@3"),
        ({"queries": [4]}, "'4' is none of the tokens"),
        ({"queries": ["b", 2]}, "'2' is asked twice"),
        ({"queries": ["b"], "heads": [{"scores": [[1, 2, 3], [1, 2, 3]], "scale": "none"}]}, "scores is 2×3, expected"),
        ({"queries": ["b"], "mask": [[1, 1, 1], [1, 1, 1]]}, "mask is 2×3, expected n×m = 1×3"),
        ({"queries": ["b"], "mask": [[0, 0, 0]]}, "the mask hides every column from 'b'"),
    ],
)
def test_rows_that_are_none_are_refused(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said):
        traced({"tokens": ["a", "b", "a"], "attention": {"heads": HEADS, **keys}})


HEAD = {"w": np.eye(4).tolist(), "vocabulary": WORDS[:4]}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"generate": {"max_tokens": 1}}, "queries cannot be combined with generate"),
        ({"training": {"targets": ["a", "b"]}}, "queries cannot be combined with training"),
    ],
)
def test_nothing_goes_on_from_some_rows(keys: dict[str, Any], said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said):
        traced({"tokens": ["a", "b"], "attention": {"heads": HEADS, "queries": ["b"]}, "output_head": HEAD, **keys})


def test_in_a_layer_all_rows_ask() -> None:
    with pytest.raises(wt.ScenarioError, match="queries is for an attention by itself"):
        traced({"tokens": ["a", "b"], "encoder": {"layers": [{"attention": {"heads": HEADS, "queries": ["b"]}}]}})


def test_an_output_head_predicts_for_the_rows_that_ask() -> None:
    attention = {"num_heads": 2, **JOINED, "queries": ["b"]}
    trace = traced({"tokens": ["a", "b"], "attention": attention, "output_head": HEAD})
    assert (trace["output_head.prediction"].rows, trace["output_head.prediction"].shape) == (("b",), (1, 2))
