"""Layers of several kinds in one repeat: what a kind changes, what it takes away, and what does not fit."""

from __future__ import annotations

import json
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.scenario.yaml.problems import ScenarioError

EYE = [[1, 0], [0, 1]]
LAYER = {
    "attention": {"num_heads": 1, "w_q": EYE, "w_k": EYE, "w_v": EYE, "rotary": {"base": 100, "layout": "interleaved"}},
    "feed_forward": {"w_gate": EYE, "b_gate": [1, 2], "w_1": EYE, "w_2": EYE, "activation": "silu"},
}


def scenario(repeat: int = 3, layer: Any = LAYER, **keys: Any) -> wt.Scenario:
    layers = {"repeat": repeat, "layer": layer, **keys}
    stack = {"norm_order": "none", "layers": layers}
    return wt.parse_scenario(
        json.dumps({"title": "t", "tokens": ["a", "b"], "embeddings": [[1, 2], [3, 1]], "decoder": stack}, indent=1)
    )


def layers(**keys: Any) -> list[Any]:
    decoder = scenario(**keys).spec.decoder
    assert decoder is not None
    return list(decoder.layers or [])


def refused(**keys: Any) -> str:
    with pytest.raises(ScenarioError) as caught:
        scenario(**keys)
    return str(caught.value)


def test_the_pattern_begins_again_where_it_ends() -> None:
    kinds = {"local": {"attention": {"window": 1}}, "global": {}}
    found = layers(repeat=5, pattern=["local", "local", "global"], kinds=kinds)
    assert [layer.attention.window for layer in found] == [1, 1, None, 1, 1]


def test_first_does_not_move_the_pattern() -> None:
    kinds = {"local": {"attention": {"window": 1}}, "global": {}}
    found = layers(repeat=3, first=1, pattern=["local", "global"], kinds=kinds)
    assert [layer.attention.window for layer in found] == [1, None, 1]


def test_mappings_are_merged_and_all_else_is_replaced() -> None:
    kinds = {"other": {"self_attention": {"rotary": {"base": 7, "scaling": {"linear": 2}}, "w_v": {"init": "zeros"}}}}
    layer = {
        **LAYER,
        "attention": {**LAYER["attention"], "rotary": {"layout": "interleaved", "scaling": {"linear": 4}}},
    }
    (attention,) = (one.attention for one in layers(repeat=1, layer=layer, pattern=["other"], kinds=kinds))
    assert (attention.rotary.base, attention.rotary.layout, attention.rotary.scaling.linear) == (7, "interleaved", 2)
    assert attention.w_v.init.init == "zeros"
    assert attention.w_q.numbers == EYE


def test_a_choice_is_replaced_however_it_is_written() -> None:
    layer = {**LAYER, "attention": {**LAYER["attention"], "scale": {"sqrt": 9}}}
    kinds = {"a": {"attention": {"scale": 2}}, "b": {"attention": {"scale": {"sqrt": 5}}}, "c": {}}
    first, second, third = (one.attention.scale for one in layers(layer=layer, pattern=["a", "b", "c"], kinds=kinds))
    assert (first, second.sqrt, third.sqrt) == (2, 5, 9)


def test_none_takes_away() -> None:
    layer = {**LAYER, "attention": {**LAYER["attention"], "window": 1}}
    kinds = {"bare": {"attention": {"rotary": "none", "window": "none"}, "feed_forward": {"w_gate": "none"}}}
    (bare,) = layers(repeat=1, layer=layer, pattern=["bare"], kinds=kinds)
    assert (bare.attention.rotary, bare.attention.window) == (None, None)
    assert (bare.feed_forward.w_gate, bare.feed_forward.b_gate, bare.feed_forward.activation) == (None, None, "silu")


def test_the_numbers_are_those_of_layers_written_out() -> None:
    kinds = {"local": {"attention": {"window": 1}}, "global": {"attention": {"rotary": "none"}}}
    found = wt.trace(scenario(repeat=2, pattern=["local", "global"], kinds=kinds))
    assert "decoder.1.self_attention.rotary.angle" in found
    assert "decoder.2.self_attention.rotary.angle" not in found
    assert found["decoder.1.self_attention.head.1.weights"].array.tolist() == EYE


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"pattern": ["a"], "kinds": {"a": {}, "b": {}}}, "'b' has no place in pattern"),
        ({"pattern": ["a", "b"], "kinds": {"a": {}}}, "'b' has no entry in kinds"),
        ({"repeat": 1, "pattern": ["a", "b"], "kinds": {"a": {}, "b": {}}}, "pattern has 2 places, but"),
        ({"pattern": ["a"]}, "pattern is given without kinds"),
        ({"kinds": {"a": {}}}, "kinds is given without a pattern"),
        ({"pattern": ["a"], "kinds": {"a": 3}}, "expected a mapping, found the number 3"),
        ({"pattern": ["a"], "kinds": {"a": {"attentoin": {}}}}, "unknown key 'attentoin'"),
        ({"pattern": ["a"], "kinds": {"a": {"attention": {"score_cap": 0}}}}, "expected a number above 0"),
    ],
)
def test_what_does_not_fit_has_a_place_in_the_file(keys: dict[str, Any], said: str) -> None:
    message = refused(**keys)
    assert said in message
    assert message.startswith("<text>:")
    assert "decoder.layers" in message
