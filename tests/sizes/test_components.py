"""Sizes: the parameters that the sources print, those that a trace records, and those of PyTorch's modules."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import walkthrough as wt
from tests.examples import all_in_a_thorough_run
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.sources import ScenarioSource, bundled_scenarios
from walkthrough.sizes.components import Component, Sizes, sizes
from walkthrough.transformer.loading.load import read_scenario, walked_scenario

ROOT = Path(__file__).parents[2]
SCENARIOS = [
    *all_in_a_thorough_run(bundled_scenarios()),
    *(pytest.param(path, id=path.stem) for path in sorted((ROOT / "tests/oracle/stored").glob("*.yaml"))[::2]),
]
PARAMETERS = {
    *("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o", "w_1", "b_1", "w_2", "b_2", "gamma", "beta", "w", "b"),
    *("w_gate", "b_gate", "sink", "table", "alpha", "choice_bias", "w_shared_gate"),
    *("w_beta", "w_alpha", "b_alpha", "a_log", "conv_q", "conv_k", "conv_v"),
    *("w_dq", "w_dkv", "w_uq", "w_uk", "w_uv", "w_qr", "w_kr"),
    *("embeddings", "position_table", "positional_encoding", "segment", "segment_embedding"),
}


def encoder(d_model: int, d_ff: int, heads: int, layers: int) -> str:
    """A scenario: projections without biases, feed-forward parts and layer norms with them."""
    weights = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_q", "w_k", "w_v", "w_o"))
    forward = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_1", "b_1", "w_2", "b_2"))
    norm = "{gamma: {init: ones}, beta: {init: zeros}}"
    return f"""\
title: An encoder
tokens: [t]
embeddings: {{init: zeros}}
dimensions: {{d_model: {d_model}, d_ff: {d_ff}}}
encoder:
  layers:
    repeat: {layers}
    layer:
      attention: {{num_heads: {heads}, {weights}}}
      norm_1: {norm}
      feed_forward: {{{forward}}}
      norm_2: {norm}
"""


def encoder_of(*sizes: int) -> Scenario:
    """An encoder of any size, which may be larger than what can be traced."""
    return walked_scenario(ScenarioSource("<sizes>", encoder(*sizes), Path()), math.inf)[0]


BASE = encoder_of(512, 2048, 8, 6)


def part(found: Sizes, path: str) -> Component:
    (component,) = [component for component in found.components if component.path == path]
    return component


def parameters(found: Sizes, prefix: str = "") -> int:
    return sum(component.parameters for component in found.components if component.path.startswith(prefix))


CACHED = """
title: A cache
tokens: [a]
vocabulary: [a, b]
embeddings: [[1, 0], [0, 1]]
generate: {max_tokens: 6, cache: true}
output_head: {tied: true}
decoder:
  norm: rms
  norm_order: pre
  layers: [{self_attention: {heads: [{w_q: [[1], [0]], w_k: [[1], [1]], w_v: [[1, 0], [0, 1]]}]}}]
"""


def test_the_layer_of_the_sources() -> None:
    """002: 4·512² = 1,048,576 in the attention, 2·2·512 in the norms, 2,099,712 in the feed-forward network."""
    found = sizes(BASE)
    expected = {
        "attention": (1_048_576, "4·D²"),
        "norm_1": (1024, "2·D"),
        "feed_forward": (2_099_712, "2·D·d_ff + D + d_ff"),
        "norm_2": (1024, "2·D"),
    }
    layer = {c.path.removeprefix("encoder.1."): (c.parameters, c.formula) for c in found.components if ".1." in c.path}
    assert layer == expected
    assert parameters(found, "encoder.1.") == 3_150_336


def test_six_layers() -> None:
    """Exercise 7 of 002."""
    assert parameters(sizes(BASE)) == 18_902_016


def test_the_scores_of_a_head() -> None:
    """Exercise 6 of 002: 32·100·100 numbers, 1.28 MB in float32."""
    attention = part(sizes(BASE, batch=32, tokens=100), "encoder.1.attention")
    assert attention.scores == 32 * 100 * 100
    assert attention.scores * 4 == 1_280_000
    assert attention.heads == 8


def test_multiplications() -> None:
    found = sizes(BASE, batch=32, tokens=100)
    rows = 32 * 100
    assert part(found, "encoder.3.attention").multiplications == rows * 4 * 512**2 + 2 * rows * 100 * 512
    assert part(found, "encoder.3.feed_forward").multiplications == rows * 2 * 512 * 2048


def test_a_model_larger_than_can_be_traced() -> None:
    assert parameters(sizes(encoder_of(12288, 4 * 12288, 12, 24))) == 43_489_198_080


@pytest.mark.parametrize("source", SCENARIOS)
def test_the_parameters_are_the_numbers_that_a_trace_records(source: str | Path) -> None:
    """Part by part; a table of learned positions as a whole, however many are used."""
    scenario = wt.load_scenario(source)
    given = {value.path.removeprefix("train.1."): value for value in wt.trace(scenario) if value.operation is None}
    counts = {name: value.array.size for name, value in given.items() if name.rpartition(".")[2] in PARAMETERS}
    for component in sizes(scenario).components:
        owner = component.path
        if component.path.endswith("token_embedding"):
            owner = component.path.replace("token_embedding", "embeddings")
        own = [name for name in counts if name == owner or name.startswith(f"{owner}.")]
        if component.path.endswith("positional_encoding"):
            own += [name for name in counts if name == component.path.replace("positional_encoding", "position_table")]
        if component.path.endswith("segment_embedding"):
            own += [name for name in counts if name == component.path.replace("segment_embedding", "segment")]
        assert component.parameters == sum(counts.pop(name) for name in own), component.path
    assert not counts


def of(text: str) -> Sizes:
    return sizes(wt.parse_scenario(f"title: t\ntokens: [a, b, c]\n{text}"))


def test_heads_of_different_widths_and_unusual_parts() -> None:
    heads = "{w_q: [[1, 2], [3, 4]], w_k: [[1, 2], [3, 4]], w_v: [[1], [2]]}, "
    heads += "{w_q: [[1], [2]], w_k: [[1], [2]], w_v: [[1, 2, 3], [4, 5, 6]]}"
    (_, attention) = of(f"embeddings: [[1, 2], [3, 4], [5, 6]]\nattention: {{heads: [{heads}]}}").components
    assert attention.parameters == 4 + 4 + 2 + 2 + 2 + 6
    assert attention.formula == "2·D·3 + D·4"
    assert (attention.input, attention.output) == ("[B, S, D]", "[B, S, 4]")
    assert attention.multiplications == 3 * 20 + 9 * (3 + 4)


def test_given_scores_have_no_parameters() -> None:
    (attention,) = of("attention: {heads: [{scores: [[1, 2, 3], [1, 2, 3], [1, 2, 3]], d_k: 4}]}").components
    assert (attention.parameters, attention.formula, attention.multiplications) == (0, "given as numbers", 0)
    assert (attention.input, attention.output, attention.scores) == ("given", "[B, h, S, S]", 9)


def test_layers_of_different_widths_are_told_apart() -> None:
    parts = [f"{{feed_forward: {{w_1: {{init: ones}}, w_2: [{', '.join(['[1, 2]'] * inner)}]}}}}" for inner in (3, 5)]
    found = of(f"embeddings: [[1, 2], [3, 4], [5, 6]]\nencoder: {{layers: [{', '.join(parts)}]}}")
    assert [component.formula for component in found.components[1:]] == ["2·D·d_ff", "2·D·5"]
    assert [component.parameters for component in found.components[1:]] == [12, 20]
    assert found.symbols["d_ff"] == 3


def test_an_encoder_and_a_decoder_share_a_table() -> None:
    found = sizes(read_scenario("transformer-base"), batch=2, tokens=100)
    assert part(found, "token_embedding").formula == "D·V"
    assert part(found, "decoder.token_embedding").parameters == 0
    assert part(found, "output_head").parameters == 0
    assert parameters(found, "decoder.1.") - parameters(found, "encoder.1.") == 4 * 512**2 + 2 * 512
    assert part(found, "decoder.1.cross_attention").scores == 2 * 100 * 100
    assert parameters(found, "encoder.") == 18_902_016


@pytest.mark.parametrize(
    ("how", "formula", "numbers"),
    [("quantize: absmax", "D·V", 6), ("a: [[1], [2], [0]], b: [[1, 1]], alpha: 1", "D·V + V·r + D·r", 6 + 3 + 2)],
)
def test_a_table_that_stands_for_another_is_counted_once_and_shared(how: str, formula: str, numbers: int) -> None:
    name = "values" if how.startswith("quantize") else "base"
    table = f"{{{name}: [[1, 2], [3, 4], [5, 6]], {how}}}"
    positions = "positional_encoding: {values: [[1, 2], [3, 4], [5, 6]], quantize: absmax}"
    found = of(f"vocabulary: [a, b, c]\nembeddings: {table}\n{positions}\noutput_head: {{tied: true}}")
    assert [(one.path, one.input, one.formula, one.parameters) for one in found.components] == [
        ("token_embedding", "[B, S]", formula, numbers),
        ("positional_encoding", "[B, S]", "3·D", 6),
        ("output_head", "[B, S, D]", "shared with the embeddings", 0),
    ]


@pytest.mark.parametrize("source", SCENARIOS)
def test_every_formula_gives_its_number_of_parameters(source: str | Path) -> None:
    found = sizes(wt.load_scenario(source))
    for component in found.components:
        if component.parameters:
            python = component.formula.replace("·", "*").replace("²", "**2").replace("shared with the embeddings", "0")
            assert eval(python, {}, dict(found.symbols)) == component.parameters, (component.path, component.formula)


def test_what_looks_inside_is_no_part_of_the_model() -> None:
    scenario = wt.parse_scenario("inspect: [lens, attribution]\n" + CACHED)
    assert sizes(scenario) == sizes(wt.parse_scenario(CACHED))


def test_queries_in_few_bits_are_no_parameters() -> None:
    text = """title: t
tokens: [a, b]
attention: {heads: [{q: {values: [[1, 0.5], [0.3, 1]], quantize: absmax}, k: [[1, 0], [0, 1]]}]}
"""
    assert parameters(sizes(wt.parse_scenario(text))) == 0
