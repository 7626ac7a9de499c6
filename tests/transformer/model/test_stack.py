"""What a stack does with its parts: beside one another, scaled before they are added, and what cannot be combined."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import D, X, drawn, refused, same, traced

ATTENTION = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D)}
PART = {"w_1": drawn(D, 5), "b_1": drawn(5), "w_2": drawn(5, D)}
LAYER = {"attention": ATTENTION, "feed_forward": PART}


@pytest.mark.parametrize("parallel", [True, "shared"])
@pytest.mark.parametrize("part", [{"attention": ATTENTION}, {"feed_forward": PART}], ids=["attention", "feed_forward"])
def test_a_layer_with_one_part_is_as_without_it(part: dict[str, Any], parallel: bool | str) -> None:
    with_it, without = (
        traced(embeddings=X.tolist(), encoder={"norm_order": "pre", "layers": [part], **keys})
        for keys in ({"parallel": parallel}, {})
    )
    assert list(with_it.values) == list(without.values)
    same(with_it["encoder.output"].array, without["encoder.output"].array)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"parallel": "shared", "norm_order": "none"}, "parallel: shared needs a norm_1"),
        ({"parallel": "shared", "norm_order": "branch"}, "parallel: shared needs a norm_1"),
        ({"parallel": "both", "norm_order": "pre"}, "expected true, false or shared"),
    ],
)
def test_what_cannot_be_parallel(keys: dict[str, Any], said: str) -> None:
    assert said in refused(encoder={"layers": [LAYER], **keys})


def test_cross_attention_cannot_be_parallel() -> None:
    layer = {"cross_attention": ATTENTION, "feed_forward": PART}
    decoder = {"norm_order": "pre", "parallel": True, "layers": [layer], "tokens": ["x"], "embeddings": drawn(1, D)}
    said = refused(encoder={"layers": [{"feed_forward": PART}]}, decoder=decoder)
    assert "parallel cannot be combined with cross-attention" in said


def scenario(**stack: Any) -> wt.Scenario:
    layer = {"attention": {"num_heads": 1, "w_q": [[1, 2], [0, 1]], "w_k": [[1, 0], [1, 1]], "w_v": [[2, 0], [0, 1]]}}
    layer["feed_forward"] = {"w_1": [[1, 1], [0, 2]], "w_2": [[1, 0], [1, 1]]}
    return wt.parse_scenario(
        json.dumps({
            "title": "t",
            "tokens": ["a", "b"],
            "embeddings": {"a": [1, 0.5], "b": [-1, 2]},
            "encoder": {"norm_order": "none", "layers": [layer], **stack},
        })
    )  # fmt: skip


@pytest.mark.parametrize("parallel", [False, True])
def test_each_part_is_scaled_before_it_is_added(parallel: bool) -> None:
    order = {"norm_order": "pre"} if parallel else {}
    trace = wt.trace(scenario(residual_scale=0.25, parallel=parallel, **order))
    made = [trace[f"encoder.1.{name}.output"].array for name in ("attention", "feed_forward")]
    for number, array in enumerate(made, 1):
        np.testing.assert_array_equal(trace[f"encoder.1.scaled_branch_{number}"].array, 0.25 * array)
    before = trace["input"] if parallel else trace["encoder.1.residual_1"]
    added = 0.25 * (made[0] + made[1]) if parallel else 0.25 * made[1]
    np.testing.assert_allclose(trace["encoder.1.residual_2"].array, before.array + added, rtol=1e-15)


def test_without_a_scale_nothing_more_is_recorded_and_without_a_residual_it_has_no_effect() -> None:
    assert not [path for path in wt.trace(scenario()).values if "scaled_branch" in path]
    found = scenario(residual_scale=0.25, residual=False)
    assert [one.message for one in found.warnings] == ["residual_scale has no effect: residual: false adds nothing"]
    assert not [path for path in wt.trace(found).values if "scaled_branch" in path]


def test_the_scale_of_a_residual_is_above_0() -> None:
    with pytest.raises(wt.ScenarioError, match="expected a number above 0"):
        scenario(residual_scale=0)
