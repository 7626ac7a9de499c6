"""Norms by name, and where they stand in a layer, against arithmetic of its own."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import X, drawn, refused, same, traced
from walkthrough.scenario.schema.keys import NORM_ORDERS, NORMS
from walkthrough.transformer.model import norms, stack

GAMMA, BRANCH_GAMMA = np.array(drawn(6)), np.array(drawn(6))
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


def test_without_a_gamma_nothing_is_scaled() -> None:
    trace = traced(encoder=encoder("post", "rms_plus_one"))
    same(trace["encoder.1.norm_2.output"].array, rms(X + X @ W_1 @ W_2, 1))
    assert "encoder.1.norm_2.normalized" not in dict(trace.items())


def test_a_branch_norm_stands_between_part_and_residual() -> None:
    """OLMo 2: x + norm(part(x)); the last residuals are normed once more."""
    trace = traced(encoder=encoder("branch", branch_norm_2={"gamma": BRANCH_GAMMA.tolist()}))
    made = rms(X @ W_1 @ W_2, BRANCH_GAMMA)
    same(trace["encoder.1.branch_norm_2.output"].array, made)
    same(trace["encoder.1.residual_2"].array, X + made)
    same(trace["encoder.output"].array, rms(X + made, 1))
    assert not any(".norm_2." in path for path, _ in trace.items())


def test_a_sandwich_has_a_norm_on_both_sides() -> None:
    """Gemma 2: x + norm(part(norm(x)))."""
    both = {"norm_2": {"gamma": GAMMA.tolist()}, "branch_norm_2": {"gamma": BRANCH_GAMMA.tolist()}}
    trace = traced(encoder=encoder("sandwich", **both))
    made = rms(rms(X, GAMMA) @ W_1 @ W_2, BRANCH_GAMMA)
    same(trace["encoder.1.residual_2"].array, X + made)
    same(trace["encoder.output"].array, rms(X + made, 1))


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
