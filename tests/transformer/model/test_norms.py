"""Norms by name, and where they stand in a layer, against arithmetic of its own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import D, X, drawn, refused, same, traced
from walkthrough.scenario.schema.keys import NORM_ORDERS, NORMS
from walkthrough.transformer.model import norms, stack

GAMMA = np.array(drawn(6))
W_1, W_2 = np.array(drawn(6, 5)), np.array(drawn(5, 6))
PART = {"w_1": W_1.tolist(), "w_2": W_2.tolist(), "activation": "none"}
EPSILON = 0.01


def rms(x: np.ndarray, scale: Any) -> np.ndarray:
    found: np.ndarray = x / np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON) * scale
    return found


def encoder(norm_order: str, norm: str = "rms", **norms: Any) -> dict[str, Any]:
    return {
        "norm_order": norm_order,
        "norm": norm,
        "layer_norm": {"epsilon": EPSILON},
        "layers": [{"feed_forward": PART, **norms}],
    }


def test_gamma_is_counted_from_one() -> None:
    trace = traced(encoder=encoder("post", "rms_plus_one", norm_2={"gamma": GAMMA.tolist()}))
    x = X + X @ W_1 @ W_2
    same(trace["encoder.1.norm_2.rms"].array, np.sqrt((x * x).mean(axis=1, keepdims=True) + EPSILON))
    same(trace["encoder.1.norm_2.output"].array, rms(x, 1 + GAMMA))
    assert [value.path for value in trace if "norm_2" in value.path] == [
        f"encoder.1.norm_2.{name}" for name in ("gamma", "mean_square", "rms", "normalized", "output")
    ]


def test_a_norm_where_its_order_has_none_has_no_effect() -> None:
    text = json.dumps(
        {"title": "t", "tokens": list("abcd"), "embeddings": X.tolist(), "encoder": encoder("pre", branch_norm_2={})}
    )
    warned = [warning.message for warning in wt.parse_scenario(text).warnings]
    assert warned == ["branch_norm_2 has no effect: norm_order: pre has no branch_norm_2"]


def test_each_norm_has_its_own_keys() -> None:
    said = refused(encoder=encoder("post", "rms_plus_one", norm_2={"beta": [0] * 6}))
    assert "norm: rms_plus_one has no beta; it has gamma, epsilon" in said


def test_the_file_and_the_program_know_the_same_norms_and_orders() -> None:
    assert norms.NORMS.keys() == NORMS.keys()
    assert stack.NORM_PLACEMENT.keys() == set(NORM_ORDERS)


@pytest.mark.parametrize("norm_order", ["pre", "branch", "sandwich"])
def test_without_a_final_norm_the_output_is_the_last_residual(norm_order: str) -> None:
    normed, plain = (traced(encoder=encoder(norm_order) | more) for more in ({}, {"final_norm": "none"}))
    same(normed["encoder.final_norm.output"].array, rms(normed["encoder.1.residual_2"].array, 1))
    assert plain["encoder.output"] is plain["encoder.1.residual_2"]
    assert not any("final_norm" in value.path for value in plain)


def test_post_has_no_final_norm_to_take_away() -> None:
    assert traced(encoder=encoder("post") | {"final_norm": "none"})["encoder.output"].path == "encoder.1.norm_2.output"


def test_a_final_norm_is_none_or_has_options() -> None:
    assert "expected none or a mapping of its options" in refused(encoder=encoder("pre") | {"final_norm": "nome"})


GROUPED = {
    "num_heads": 4,
    "num_kv_heads": 2,
    "w_q": drawn(D, 8),
    "w_k": drawn(D, 4),
    "w_v": drawn(D, 4),
    "w_o": drawn(8, D),
}


def test_gamma_is_as_long_as_all_heads_together() -> None:
    said = refused(attention={**GROUPED, "query_norm": {"over": "all", "gamma": drawn(2)}})
    assert "gamma has 2 numbers, expected (heads·d_k) = 8" in said


@pytest.mark.parametrize("norm", ["layer", "rms_plus_one", "dyt"])
@pytest.mark.parametrize("over", ["head", "all"])
def test_any_norm_is_over_each_head_or_over_all(norm: str, over: str) -> None:
    width = 2 if over == "head" else 8
    trace = traced(attention={**GROUPED, "query_norm": {"norm": norm, "over": over, "gamma": drawn(width)}})
    assert trace["attention.head.3.query_norm.output"].shape == (4, 2)
    assert trace["attention.query_norm.gamma"].shape == (1, width)
    assert ("attention.query_norm.output" in trace) == (over == "all")


@pytest.mark.parametrize(("norm", "epsilon"), [(None, 1e-12), ("layer", 1e-12), ("rms", 1e-5), ("rms_plus_one", 1e-5)])
def test_the_epsilon_of_an_embedding_norm_goes_by_its_name(norm: str | None, epsilon: float) -> None:
    trace = traced(embeddings=[[1e-3] * 6] * 4, embedding_norm={"norm": norm} if norm else {})
    root = trace["embedding_norm.std" if norm in (None, "layer") else "embedding_norm.rms"].array
    square = 0 if norm in (None, "layer") else 1e-6
    np.testing.assert_allclose(root, np.sqrt(square + epsilon))


@pytest.mark.parametrize(
    ("norm", "key"),
    [
        ({"norm": "dyt", "epsilon": 1e-5}, "epsilon"),
        ({"norm": "rms", "beta": drawn(D)}, "beta"),
        ({"norm": "layer", "alpha": 1}, "alpha"),
    ],
)
@pytest.mark.parametrize("place", ["embedding_norm", "norm_2", "final_norm", "query_norm"])
def test_a_norm_has_the_keys_of_its_name(norm: dict[str, Any], key: str, place: str) -> None:
    if place == "embedding_norm":
        said = refused(embedding_norm=norm)
    elif place == "query_norm":
        heads = [{f"w_{letter}": drawn(D, D) for letter in "qkv"}]
        said = refused(attention={"heads": heads, "query_norm": norm})
    else:
        inside = {"norm_2": norm} if place == "norm_2" else {}
        after = {"final_norm": norm} if place == "final_norm" else {}
        said = refused(encoder={"layers": [{"feed_forward": PART, **inside}], **after})
    assert f"norm: {norm['norm']} has no {key}" in said
    assert said.startswith("<text>:1:")
