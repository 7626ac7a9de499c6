"""Generation with a cache: a row a pass, and the numbers that come out without it."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

import walkthrough as wt
from tests.examples import slow
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.sizes.components import sizes
from walkthrough.sizes.parts import multiplications
from walkthrough.views.report.outline import outline

SCENARIOS = Path(__file__).parents[3] / "scenarios"
NAMES = ("key-cache", "tea-gpt", "tiny-llama", "not-on-your-life")
PASSES = ("generate.2.", "generate.3.")
Data = dict[str, Any]


def bundled(name: str) -> Data:
    loaded: Data = yaml.safe_load((SCENARIOS / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


def with_cache(scenario: Data, with_it: bool = True) -> Data:
    return {**copy.deepcopy(scenario), "generate": {**scenario["generate"], "cache": with_it}}


def traced(scenario: Data, **options: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps(scenario)), **options)


@cache
def bundled_trace(name: str, with_it: bool = True) -> wt.Trace:
    return traced(with_cache(bundled(name), with_it))


def same_numbers(scenario: Data, **options: Any) -> wt.Trace:
    """The trace with a cache, after each of its numbers has been found in the one without."""
    whole = traced(with_cache(scenario, with_it=False), **options)
    return compared(traced(with_cache(scenario), **options), whole)


def compared(found: wt.Trace, whole: wt.Trace) -> wt.Trace:
    for path, value in found.items():
        if path.endswith(("_cache", ".window")):
            continue
        expected = whole[path]
        rows = value.shape[0] if "generate.1." not in path and path.startswith("generate.") else expected.shape[0]
        assert value.rows == expected.rows[-rows:], path
        np.testing.assert_allclose(value.array, expected.array[-rows:], rtol=1e-12, atol=1e-12, err_msg=path)
    left = {path for path, _ in whole.items()} - {path for path, _ in found.items()}
    assert all(path.startswith("generate.") for path in left)  # of tokens of earlier passes, and of the encoder's
    assert all(".cross_attention." in path or ".token." in path for path in left)
    return found


def attention(wide: int = 4, heads: int = 2, **keys: Any) -> Data:
    joined = {name: {"init": "normal", "std": 0.7, "seed": seed} for seed, name in enumerate(("w_q", "w_k", "w_v"), 1)}
    return {"num_heads": heads, **joined, "w_o": {"init": "normal", "std": 0.7, "seed": 9}, **keys}


def model(self_attention: Data, **keys: Any) -> Data:
    return {
        "title": "drawn",
        "tokens": ["a", "b", "a"],
        "vocabulary": ["a", "b", "c", "d"],
        "embeddings": {"init": "normal", "std": 1, "seed": 5},
        "positional_encoding": "sinusoidal",
        "dimensions": {"d_model": 4, "d_ff": 6},
        "decoder": {"norm_order": "pre", "layers": [{"self_attention": self_attention}]},
        "output_head": {"tied": True},
        "generate": {"max_tokens": 3},
        **keys,
    }


def clean(scenario: Data) -> Data:
    return {key: value for key, value in scenario.items() if value is not None}


def linear(**keys: Any) -> Data:
    """A linear attention with all that it may have."""
    names = ("w_q", "w_k", "w_v", "w_beta", "w_alpha", "w_gate", "w_o")
    made = {name: {"init": "normal", "std": 0.7, "seed": seed} for seed, name in enumerate(names, 1)}
    convolutions = {f"conv_{letter}": [[0.5, -1, 0.3, 1], [1, 0.5, 2, -1], [1, 1, -0.5, 1]] for letter in "qkv"}
    part = clean({"num_heads": 2, **made, **convolutions, "a_log": [0.1, -1], "output_norm": {}, **keys})
    return model({}, decoder={"norm_order": "pre", "layers": [{"linear_attention": part}]})


DRAWN: dict[str, Data] = {
    "two layers": model({}, decoder={"norm_order": "pre", "layers": [{"self_attention": attention()}] * 2}),
    "a prompt of one token": model(attention(), tokens=["a"]),
    "rms norm": model(attention(), decoder={"norm_order": "pre", "norm": "rms", "layers": [
        {"self_attention": attention(), "feed_forward": {"w_1": {"init": "normal"}, "w_2": {"init": "normal"}}}]}),
    "rotary": model(attention(rotary={"layout": "interleaved"}), positional_encoding="none"),
    "shared keys": model(attention(num_kv_heads=1, rotary={})),
    "key norm": model(attention(query_norm={}, key_norm={})),
    "window": model(attention(window=2)),
    "alibi": model(attention(alibi=True)),
    "no scale": model(attention(scale="none", mask_value=-1e9)),
    "mask first": model(attention(mask_first=True, mask_value=-1e4)),
    "padding": model(attention(mask=["causal", "padding"]), tokens=["a", "b", "<pad>", "a"],
                     vocabulary=["a", "b", "c", "d", "<pad>"], padding_token="<pad>"),
    "learned positions": model(attention(), positional_encoding=[[0.1 * row, 0, -0.2, 0.3] for row in range(5)]),
    "segments": model(attention(), segment_embedding=[0.5, 0, 0, -1]),
    "an embedding norm": model(attention(), embedding_norm={"epsilon": 1e-5}, embedding_scale="sqrt_d_model"),
    "a stack of encoder layers": {**model({}), "decoder": None, "encoder": {
        "layers": [{"attention": attention(mask="causal")}] * 2}},
    "an attention by itself": {**model({}), "decoder": None, "attention": attention(mask="causal")},
    "drawn words": model(attention(), generate={"max_tokens": 3, "sample": {"top_k": 3, "top_p": 0.9, "seed": 2}}),
    "an encoder": model({}, encoder={"layers": [{"attention": attention()}]}, decoder={
        "tokens": ["c"], "norm_order": "pre",
        "layers": [{"self_attention": attention(), "cross_attention": attention(mask="padding", key_norm={})}]}),
    "column weights": model(attention(), matrix_convention="column"),
    "linear attention": linear(),
    "linear attention to a prompt of one token": {**linear(), "tokens": ["a"]},
    "shared keys of a linear attention": linear(
        num_key_heads=1, w_alpha=None, a_log=None, conv_q=None, conv_k=None),
    "shifted softmax": model(attention(), softmax="shifted"),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_bundled_scenarios_have_the_same_numbers_with_a_cache(name: str) -> None:
    compared(bundled_trace(name), bundled_trace(name, with_it=False))


@pytest.mark.parametrize("name", ["key-cache", slow("not-on-your-life")])
def test_they_have_the_same_numbers_by_hand(name: str) -> None:
    same_numbers(bundled(name), arithmetic="by-hand", decimals=2)


@pytest.mark.parametrize("scenario", DRAWN.values(), ids=DRAWN)
def test_drawn_models_have_the_same_numbers_with_a_cache(scenario: Data) -> None:
    found = same_numbers(clean(scenario))
    assert found["generated"].shape[0] == 3


@pytest.mark.parametrize("name", NAMES)
def test_a_pass_records_the_row_of_its_new_token_alone(name: str) -> None:
    trace = bundled_trace(name)
    before = trace["output_head.logits"].shape[0]
    for number, prefix in enumerate(PASSES, 2):
        for path, value in trace.values.items():
            if path.startswith(prefix) and not path.endswith("_cache"):
                assert value.shape[0] == 1, path
        cache = trace[f"{prefix}decoder.1.self_attention.head.1.key_cache"]
        assert cache.shape[0] == before + number - 1
        assert cache.rows == trace[f"{prefix}decoder.1.self_attention.head.1.scores"].columns


def test_the_caches_are_the_keys_and_values_of_a_pass_without() -> None:
    """Keys are kept as the scores want them: turned, and with their norm."""
    found, whole = bundled_trace("tiny-llama"), bundled_trace("tiny-llama", with_it=False)
    for path, value in found.values.items():
        for name, kept in (("key_cache", "key_rotated"), ("value_cache", "value")):
            if path.endswith(name):
                np.testing.assert_allclose(value.array, whole[path.replace(name, kept)].array, rtol=1e-12)


def test_in_the_first_pass_the_caches_are_the_keys_and_values_themselves() -> None:
    trace = bundled_trace("key-cache")
    head = "decoder.1.self_attention.head.1"
    assert trace[f"{head}.key_cache"] is trace[f"{head}.key"] is trace[f"generate.1.{head}.key_cache"]
    assert trace[f"{head}.value_cache"] is trace[f"{head}.value"]


def test_a_cache_is_shared_as_its_keys_are() -> None:
    trace = bundled_trace("tiny-llama")
    head = "generate.2.decoder.1.self_attention.head"
    assert trace[f"{head}.1.key_cache"] is trace[f"{head}.2.key_cache"]


def test_keys_of_a_cross_attention_are_computed_once() -> None:
    trace = bundled_trace("not-on-your-life")
    head = "decoder.1.cross_attention.head.1"
    assert f"generate.2.{head}.key" not in trace
    assert trace[f"generate.3.{head}.scores"].inputs[1] is trace[f"{head}.key"]
    assert trace[f"generate.3.{head}.output"].inputs[1] is trace[f"{head}.value"]


def test_the_encoder_of_an_encoder_and_decoder_keeps_nothing() -> None:
    trace = bundled_trace("not-on-your-life")
    assert not [path for path, _ in trace.items() if "encoder." in path and path.endswith("_cache")]


def test_a_cache_says_where_its_rows_come_from() -> None:
    trace = bundled_trace("key-cache")
    explained = trace.explain("generate.3.key_cache[is, 2]", depth=2)
    assert explained.formula == "K_c(3) = K_c(2) with K below"
    assert str(explained.operands[0].line) == "K_c(2)[is, 2] = K_2[2] = 1"


def test_a_cache_keeps_the_digits_that_its_keys_were_rounded_to() -> None:
    scenario = {**bundled("key-cache"), "rounding": {"decimals": 2, "steps": {"key": 4, "value": 1}}}
    trace = same_numbers(scenario, arithmetic="by-hand")
    kept, key = (trace[f"generate.3.decoder.1.self_attention.head.1.{name}"] for name in ("key_cache", "key"))
    np.testing.assert_array_equal(kept.array[-1:], key.array)


def test_a_cache_may_be_rounded_by_name() -> None:
    scenario = {**bundled("key-cache"), "rounding": {"decimals": 3, "steps": {"value_cache": 1}}}
    trace = traced(with_cache(scenario), arithmetic="by-hand")
    kept = trace["generate.3.decoder.1.self_attention.head.1.value_cache"].array
    np.testing.assert_allclose(kept, kept.round(1), atol=1e-12)


@pytest.mark.parametrize(
    ("scenario", "where"),
    [
        (model(attention(mask="none")), "decoder.layers.1.self_attention"),
        (model(attention(mask="padding", window=2)), "decoder.layers.1.self_attention"),
        ({**model({}), "decoder": None, "attention": attention()}, "attention"),
        (
            {**model({}), "decoder": None, "encoder": {"layers": [{"attention": attention()}]}},
            "encoder.layers.1.attention",
        ),
    ],
)
def test_without_a_causal_mask_nothing_can_be_kept(scenario: Data, where: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        wt.parse_scenario(json.dumps(with_cache(clean(scenario))))
    (problem,) = caught.value.problems
    assert problem.key == "generate.cache"
    assert f"{where} has no causal mask, so each new token changes the rows before it" in problem.message
    assert caught.value.text[problem.column - 1 :].startswith("true")


@pytest.mark.parametrize("mask_first", [False, True])
def test_where_hidden_tokens_keep_a_weight_nothing_can_be_kept(mask_first: bool) -> None:
    scenario = model(attention(mask_value=-1, mask_first=mask_first))
    with pytest.raises(ScenarioError) as caught:
        wt.parse_scenario(json.dumps(with_cache(clean(scenario))))
    (problem,) = caught.value.problems
    assert "decoder.layers.1.self_attention has mask_value -1, which hides no later token" in problem.message
    assert "mask_value: -1e9" in str(problem.help)


@pytest.mark.parametrize("name", ["key-cache", "tea-gpt", slow("tiny-llama"), slow("not-on-your-life")])
def test_shapes_counts_what_each_pass_multiplies(name: str) -> None:
    counted = sizes(wt.parse_scenario(json.dumps(with_cache(bundled(name))))).passes
    for with_it, attribute in ((True, "multiplications"), (False, "without")):
        trace = bundled_trace(name, with_it)
        for size in counted[1 : trace["generated"].shape[0]]:
            prefix = f"generate.{size.number}."
            values = [value for path, value in trace.values.items() if path.startswith(prefix)]
            assert getattr(size, attribute) == multiplications(values), (with_it, size)
        first = [value for path, value in trace.values.items() if not path.startswith("generate.")]
        assert getattr(counted[0], attribute) == multiplications(first)


def test_of_a_long_generation_later_passes_are_reckoned() -> None:
    scenario = model(attention(), generate={"max_tokens": 6, "cache": True})
    counted, trace = sizes(wt.parse_scenario(json.dumps(scenario))).passes, traced(scenario)
    last = [value for path, value in trace.values.items() if path.startswith("generate.6.")]
    assert (counted[-1].number, counted[-1].multiplications) == (6, multiplications(last))


def test_the_map_says_what_is_saved() -> None:
    trace = bundled_trace("key-cache")
    (branch,) = [branch for branch in outline(trace).branches if branch.text.startswith("Multiplications")]
    assert branch.items == ("Pass 1 60 (60),", "Pass 2 34 (102),", "Pass 3 38 (152),", "together 132 (314)")


def test_a_model_without_a_cache_says_nothing_of_passes() -> None:
    assert sizes(wt.load_scenario("tea-gpt")).passes == ()


def test_parameters_are_not_counted_twice() -> None:
    with_it, without = (
        sizes(wt.parse_scenario(json.dumps(with_cache(bundled("tiny-llama"), with_it)))).components
        for with_it in (True, False)
    )
    assert with_it == without
