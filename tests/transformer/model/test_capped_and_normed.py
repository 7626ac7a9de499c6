"""Norms with 1 + gamma on both sides of a part, capped scores and capped logits: numbers and gradients of PyTorch."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.draws import generator

torch: Any = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

RNG = generator(11)
WORDS, D, D_K, D_FF, V = ["a", "b", "c"], 4, 3, 5, 4
SCORE_CAP, LOGIT_CAP, EPSILON = 1.5, 2.0, 0.01


def drawn(*shape: int) -> Any:
    return RNG.normal(size=shape).round(2)


X = drawn(3, D)
GIVEN: dict[str, Any] = {
    **{f"encoder.1.attention.head.1.w_{letter}": drawn(D, D_K) for letter in "qkv"},
    "encoder.1.attention.w_o": drawn(D_K, D),
    "encoder.1.feed_forward.w_1": drawn(D, D_FF),
    "encoder.1.feed_forward.w_2": drawn(D_FF, D),
    **{f"encoder.1.{norm}_{at}.gamma": drawn(1, D) for norm in ("norm", "branch_norm") for at in (1, 2)},
    "encoder.final_norm.gamma": drawn(1, D),
    "output_head.w": drawn(D, V),
}
TARGETS = [1, 2, 3]


def scenario() -> dict[str, Any]:
    given = {path: matrix.tolist() for path, matrix in GIVEN.items()}
    head = {f"w_{letter}": given[f"encoder.1.attention.head.1.w_{letter}"] for letter in "qkv"}
    norms = {
        name: {"gamma": given[f"encoder.1.{name}.gamma"]}
        for name in ("norm_1", "branch_norm_1", "norm_2", "branch_norm_2")
    }
    attention = {"heads": [head], "w_o": given["encoder.1.attention.w_o"], "score_cap": SCORE_CAP, "mask": "causal"}
    part = {name: given[f"encoder.1.feed_forward.{name}"] for name in ("w_1", "w_2")}
    return {
        "title": "t",
        "tokens": WORDS,
        "embeddings": X.tolist(),
        "encoder": {
            "norm": "rms_plus_one",
            "norm_order": "sandwich",
            "layer_norm": {"epsilon": EPSILON},
            "layers": [{"attention": attention, "feed_forward": {**part, "activation": "silu"}, **norms}],
            "final_norm": {"gamma": given["encoder.final_norm.gamma"]},
        },
        "output_head": {"w": given["output_head.w"], "vocabulary": list("wxyz"), "logit_cap": LOGIT_CAP},
        "training": {"targets": ["wxyz"[at] for at in TARGETS]},
    }


def test_numbers_and_gradients_are_those_of_pytorch() -> None:
    trace = wt.trace(wt.parse_scenario(json.dumps(scenario())))
    p = {path: torch.tensor(matrix, requires_grad=True) for path, matrix in GIVEN.items()}

    def norm(x: Any, path: str) -> Any:
        return x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + EPSILON) * (1 + p[f"{path}.gamma"])

    x = torch.tensor(X)
    read = norm(x, "encoder.1.norm_1")
    q, k, v = (read @ p[f"encoder.1.attention.head.1.w_{letter}"] for letter in "qkv")
    scores = SCORE_CAP * torch.tanh(q @ k.T / D_K**0.5 / SCORE_CAP)
    scores = scores.masked_fill(torch.triu(torch.ones(3, 3), 1).bool(), float("-inf"))
    x = x + norm(scores.softmax(-1) @ v @ p["encoder.1.attention.w_o"], "encoder.1.branch_norm_1")
    hidden = torch.nn.functional.silu(norm(x, "encoder.1.norm_2") @ p["encoder.1.feed_forward.w_1"])
    x = x + norm(hidden @ p["encoder.1.feed_forward.w_2"], "encoder.1.branch_norm_2")
    logits = LOGIT_CAP * torch.tanh(norm(x, "encoder.final_norm") @ p["output_head.w"] / LOGIT_CAP)
    loss = torch.nn.functional.cross_entropy(logits, torch.tensor(TARGETS))
    loss.backward()
    np.testing.assert_allclose(trace["output_head.capped_logits"].array, logits.detach().numpy(), rtol=1e-12)
    assert trace["loss.mean"].array[0, 0] == pytest.approx(loss.item(), rel=1e-12)
    for path, parameter in p.items():
        found = trace[f"gradient.{path}"].array
        np.testing.assert_allclose(found, parameter.grad.numpy(), rtol=1e-9, atol=1e-13, err_msg=path)
