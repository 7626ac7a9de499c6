"""One norm over the queries, or keys, of all heads side by side."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transformer.model.test_modern import refused, same, traced
from tests.transformer.model.torched import D, drawn, hide_later, leaves, loss_of, rms, same_gradients, torch, trained

pytestmark = pytest.mark.torch

GROUPED = {
    "num_heads": 4,
    "num_kv_heads": 2,
    "w_q": drawn(D, 8),
    "w_k": drawn(D, 4),
    "w_v": drawn(D, 4),
    "w_o": drawn(8, D),
}


@pytest.mark.parametrize("norm", ["rms", "rms_plus_one"])
@pytest.mark.parametrize("has_gamma", [True, False])
def test_numbers_and_gradients_are_those_of_pytorch(norm: str, has_gamma: bool) -> None:
    gammas = [{"gamma": drawn(8)}, {"gamma": drawn(4)}] if has_gamma else [{}, {}]
    norms = {
        name: {"over": "all", "norm": norm, "epsilon": 0.01, **gamma}
        for name, gamma in zip(("query_norm", "key_norm"), gammas, strict=True)
    }
    layer = {"attention": {**GROUPED, **norms}}
    trace = trained(decoder={"norm_order": "none", "layers": [layer]})
    given = leaves(trace)
    at = "decoder.1.self_attention."
    x = given["token_embedding"]

    def normed(letter: str, name: str, heads: range) -> Any:
        joined = torch.cat([x @ given[f"{at}head.{head}.w_{letter}"] for head in heads], dim=-1)
        gamma = given.get(f"{at}{name}.gamma")
        return rms(joined, gamma, 0.01, norm == "rms_plus_one").split(2, dim=-1)

    queries, keys = normed("q", "query_norm", range(1, 5)), normed("k", "key_norm", range(1, 5, 2))
    outputs = []
    for head in range(4):
        v = x @ given[f"{at}head.{head + 1}.w_v"]
        outputs.append(hide_later(queries[head] @ keys[head // 2].T / 2**0.5).softmax(-1) @ v)
        same(trace[f"{at}head.{head + 1}.query_norm.output"].array, queries[head].detach().numpy())
    assert (f"{at}head.1.query_norm.normalized" in trace) == has_gamma
    assert trace[f"{at}query_norm.rms"].shape == (4, 1)
    assert trace[f"{at}query_norm.output"].shape == (4, 8)
    x = x + torch.cat(outputs, dim=-1) @ given[f"{at}w_o"]
    same_gradients(trace, given, loss_of(x @ given["output_head.w"]))


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
