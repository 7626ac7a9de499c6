"""A calculation in a number format: what is rounded, and to what."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import slow
from tests.test_number_formats import by_fractions
from walkthrough.errors import ArgumentError
from walkthrough.number_formats import FLOAT_NAMES, NumberFormat, number_format
from walkthrough.scenario.yaml.problems import ScenarioError

NAMES = (*FLOAT_NAMES, "int8")
LONGER = ("cooking", "first-step", "chai", "shared-keys")
PLAIN = "\ntokens: [a]\nembeddings: [[0.3]]\nattention: {heads: [{v: [[0.3]], weights: [[1]]}]}"


def in_format(name: str, arithmetic: str) -> tuple[wt.Trace, NumberFormat]:
    form = number_format(arithmetic)
    assert form is not None
    return wt.trace(wt.load_scenario(name), arithmetic=arithmetic), form


@pytest.mark.parametrize("arithmetic", NAMES)
@pytest.mark.parametrize("name", ["help-me", *(slow(name) for name in LONGER)])
def test_every_result_is_rounded_from_rounded_operands_and_every_given_number_too(name: str, arithmetic: str) -> None:
    trace, form = in_format(name, arithmetic)
    assert trace.exact is not None
    for value in trace:
        with np.errstate(all="ignore"):
            before = (
                trace.exact[value.path].array
                if value.operation is None
                else value.operation.forward(*(one.array for one in value.inputs), **value.settings)
            )
        ids = int(value.holds_ids)
        wanted = before if value.kind.fixed else np.hstack([before[:, :ids], form.round(before[:, ids:])])
        np.testing.assert_array_equal(value.array, wanted, err_msg=value.path)


def rounded(array: Any, name: str) -> Any:
    return np.vectorize(lambda x: by_fractions(float(x), name), otypes=[float])(array)


@pytest.mark.parametrize("name", FLOAT_NAMES)
def test_an_attention_is_bit_for_bit_what_an_independent_calculation_gives(name: str) -> None:
    random = np.random.default_rng(5)
    x, w_q, w_k, w_v = random.normal(size=(3, 2)), *random.normal(size=(3, 2, 2))
    head = {key: matrix.tolist() for key, matrix in (("w_q", w_q), ("w_k", w_k), ("w_v", w_v))}
    text = f"title: t\ntokens: [a, b, c]\nembeddings: {x.tolist()}\nattention: {{heads: [{head}], mask: causal}}"
    trace = wt.trace(wt.parse_scenario(text), arithmetic=name)
    x, w_q, w_k, w_v = (rounded(one, name) for one in (x, w_q, w_k, w_v))
    q, k, v = (rounded(x @ w, name) for w in (w_q, w_k, w_v))
    scaled = rounded(rounded(q @ k.T, name) / math.sqrt(2), name)
    masked = np.where(np.tri(3) == 1, scaled, -np.inf)
    exp = rounded(np.exp(masked), name)
    weights = rounded(exp / rounded(exp.sum(axis=1, keepdims=True), name), name)
    found = {path.removeprefix("attention.head.1."): value.array for path, value in trace.items()}
    wanted = {"masked_scores": masked, "softmax.exp": exp, "weights": weights, "output": rounded(weights @ v, name)}
    for path, array in wanted.items():
        np.testing.assert_array_equal(found[path], array, err_msg=path)


def test_ids_and_masks_are_not_rounded() -> None:
    text = """
title: t
tokens: [b, a]
vocabulary: {a: 300, b: 301}
embeddings: {a: [1], b: [2]}
attention: {heads: [{w_q: [[1]], w_k: [[1]], w_v: [[1]]}], mask: causal}
output_head: {w: [[1, 2]], vocabulary: [a, b]}
"""
    trace = wt.trace(wt.parse_scenario(text), arithmetic="float8_e5m2")
    assert trace["token_ids"].array.tolist() == [[301], [300]]
    assert trace["attention.head.1.masked_scores"].array[0].tolist() == [4, -math.inf]
    trace = wt.trace(wt.parse_scenario(text), arithmetic="int4")
    assert trace["token_ids"].array.tolist() == [[301], [300]]
    assert trace["output_head.prediction"].array[:, 0].tolist() == [1, 1]
    mask = next(value for value in trace if value.kind.fixed and value.path.endswith("mask"))
    assert mask.array.tolist() == [[1, 0], [1, 1]]


def test_an_unknown_number_stays_unknown_and_one_that_is_too_large_is_none() -> None:
    text = "title: t\ntokens: [a]\nembeddings: [[1]]\nattention: {{heads: [{{scores: [[{}]], v: [[1]]}}], scale: none}}"
    unknown = wt.trace(wt.parse_scenario(text.format("null")), arithmetic="float8_e4m3fn")
    too_large = wt.trace(wt.parse_scenario(text.format("500")), arithmetic="float8_e4m3fn")
    for path in ("attention.head.1.scores", "attention.head.1.weights"):
        assert unknown[path].unknown
        assert np.isnan(too_large[path].array).all()
        assert not too_large[path].unknown
    assert too_large.first_broken() == "attention.head.1.scores"


def test_the_rounding_of_a_scenario_may_be_a_format_which_one_call_may_replace() -> None:
    text = "title: t\nrounding: {format: FORMAT}" + PLAIN
    scenario = wt.parse_scenario(text.replace("FORMAT", "bfloat16"))
    found = {
        how: (trace.arithmetic, float(trace["attention.head.1.output"].array[0, 0]))
        for how, trace in {
            "not asked for": wt.trace(scenario),
            "exact": wt.trace(scenario, arithmetic="exact"),
            "by-hand": wt.trace(scenario, arithmetic="by-hand", decimals=1),
            "float8_e5m2": wt.trace(scenario, arithmetic="float8_e5m2"),
            "int": wt.trace(wt.parse_scenario(text.replace("FORMAT", "{int: 2}")), arithmetic="by-hand"),
        }.items()
    }
    assert found == {
        "not asked for": ("exact", 0.3),
        "exact": ("exact", 0.3),
        "by-hand": ("bfloat16", 0.30078125),
        "float8_e5m2": ("float8_e5m2", 0.3125),
        "int": ("int2", 0.3),
    }


def test_arithmetic_that_cannot_be_is_refused() -> None:
    scenario = wt.load_scenario("help-me")
    for arguments in ({"arithmetic": "float9"}, {"arithmetic": "int1"}, {"arithmetic": "int17"}, {"arithmetic": 8}):
        with pytest.raises(ArgumentError, match=r"arithmetic: expected one of exact, by-hand, float32, .*int2 … int16"):
            wt.trace(scenario, **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rounding", "place", "message"),
    [
        (
            "{format: float33}",
            "2:20",
            "expected float32 or float16 or bfloat16 or float8_e4m3fn or float8_e5m2 or {int: 8}",
        ),
        ("{format: {int: 1}}", "2:26", "expected a whole number from 2 to 16, found the number 1"),
        ("{format: {int: 17}}", "2:26", "expected a whole number from 2 to 16, found the number 17"),
        ("{format: {int: 2.5}}", "2:26", "expected a whole number from 2 to 16"),
        ("{format: {}}", "2:12", "int is missing"),
        ("{format: {float: 8}}", "2:21", "known: int"),
        ("{format: bfloat16, decimals: 2}", "2:40", "both format and decimals are given"),
        ("{format: bfloat16, steps: {scores: 2}}", "2:37", "both format and steps are given"),
    ],
)
def test_a_format_that_cannot_be_is_an_error_with_its_place(rounding: str, place: str, message: str) -> None:
    text = f"title: t\nrounding: {rounding}" + PLAIN
    with pytest.raises(ScenarioError) as error:
        wt.parse_scenario(text)
    assert f":{place}: " in str(error.value)
    assert message in str(error.value)
