"""Layers whose parts read the same: numbers and gradients of PyTorch, paths, and what cannot be combined."""

from __future__ import annotations

from typing import Any

import pytest

from tests.transformer.model.test_modern import refused, same, traced
from tests.transformer.model.torched import (
    D,
    X,
    drawn,
    hide_later,
    layer_norm,
    leaves,
    loss_of,
    same_gradients,
    torch,
    trained,
)

pytestmark = pytest.mark.torch

ATTENTION = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D)}
PART = {"w_1": drawn(D, 5), "b_1": drawn(5), "w_2": drawn(5, D)}
LAYER = {"attention": ATTENTION, "feed_forward": PART}
NORMS = {"norm_1": {"gamma": drawn(D), "beta": drawn(D)}, "norm_2": {"gamma": drawn(D)}}


def attended(given: dict[str, Any], x: Any, at: str) -> Any:
    outputs = []
    for head in (1, 2):
        q, k, v = (x @ given[f"{at}head.{head}.w_{letter}"] for letter in "qkv")
        outputs.append(hide_later(q @ k.T / 2**0.5).softmax(-1) @ v)
    return torch.cat(outputs, dim=-1) @ given[f"{at}w_o"]


def expanded(given: dict[str, Any], x: Any, at: str) -> Any:
    return torch.relu(x @ given[f"{at}w_1"] + given[f"{at}b_1"]) @ given[f"{at}w_2"]


@pytest.mark.parametrize("order", ["pre", "none", "branch", "sandwich"])
@pytest.mark.parametrize("parallel", [True, "shared"])
def test_numbers_and_gradients_are_those_of_pytorch(order: str, parallel: bool | str) -> None:
    if parallel == "shared" and order in ("none", "branch"):
        pytest.skip("there is no norm to share")
    is_before, is_after, shares = order in ("pre", "sandwich"), order in ("branch", "sandwich"), parallel == "shared"
    norms = dict(list(NORMS.items())[: 1 if shares else 2]) if is_before else {}
    layers = [{**LAYER, **norms}, {"attention": ATTENTION, "feed_forward": PART}]
    trace = trained(decoder={"norm_order": order, "parallel": parallel, "layers": layers, "final_norm": {}})
    given = leaves(trace)

    def norm(x: Any, path: str, present: bool) -> Any:
        return layer_norm(x, given.get(f"{path}.gamma"), given.get(f"{path}.beta")) if present else x

    x = given["token_embedding"]
    for number in (1, 2):
        at = f"decoder.{number}."
        first = norm(x, f"{at}norm_1", is_before)
        second = first if shares else norm(x, f"{at}norm_2", is_before)
        a = norm(attended(given, first, f"{at}self_attention."), f"{at}branch_norm_1", is_after)
        f = norm(expanded(given, second, f"{at}feed_forward."), f"{at}branch_norm_2", is_after)
        x = x + a + f
        same(trace[f"{at}residual_2"].array, x.detach().numpy())
        assert len(trace[f"{at}residual_2"].inputs) == 3
        assert f"{at}residual_1" not in trace
        assert (f"{at}norm_2.mean" in trace) == (is_before and not shares)
    same_gradients(trace, given, loss_of(layer_norm(x) @ given["output_head.w"]))


def test_as_gpt_neox_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPTNeoXLayer with our numbers: parallel residual, a norm for each part. Its softmax names float32 by itself."""
    monkeypatch.setattr(torch, "float32", torch.float64)
    neox = pytest.importorskip("transformers.models.gpt_neox.modeling_gpt_neox")
    config = neox.GPTNeoXConfig(
        hidden_size=D, num_attention_heads=2, intermediate_size=5, rotary_pct=1.0, hidden_act="relu",
        use_parallel_residual=True, attn_implementation="eager", attention_bias=False,
    )  # fmt: skip
    layer = neox.GPTNeoXLayer(config, 0).double().eval()
    torch.manual_seed(3)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(torch.randn_like(weight) / 2)
    mask = torch.triu(torch.full((1, 1, 4, 4), -torch.inf, dtype=torch.float64), 1)
    no_turn = torch.ones(1, 4, 3, dtype=torch.float64), torch.zeros(1, 4, 3, dtype=torch.float64)
    out = layer(torch.tensor(X)[None], attention_mask=mask, position_embeddings=no_turn)
    out = out[0] if isinstance(out, tuple) else out
    tensors = {name: value.detach().numpy() for name, value in layer.state_dict().items()}
    fused = tensors["attention.query_key_value.weight"].reshape(2, 3, 3, D)
    norms = {
        ours: {"gamma": tensors[f"{theirs}.weight"].tolist(), "beta": tensors[f"{theirs}.bias"].tolist()}
        for ours, theirs in (("norm_1", "input_layernorm"), ("norm_2", "post_attention_layernorm"))
    }
    attention = {
        "num_heads": 2,
        **{f"w_{letter}": fused[:, at].reshape(6, D).tolist() for at, letter in enumerate("qkv")},
        "w_o": tensors["attention.dense.weight"].tolist(),
    }
    part = {
        "w_1": tensors["mlp.dense_h_to_4h.weight"].tolist(),
        "b_1": tensors["mlp.dense_h_to_4h.bias"].tolist(),
        "w_2": tensors["mlp.dense_4h_to_h.weight"].tolist(),
        "b_2": tensors["mlp.dense_4h_to_h.bias"].tolist(),
    }
    if "attention.dense.bias" in tensors:
        attention["b_o"] = tensors["attention.dense.bias"].tolist()
    trace = traced(
        embeddings=X.tolist(),
        matrix_convention="column",
        decoder={"norm_order": "pre", "parallel": True,
                 "layers": [{"attention": attention, "feed_forward": part, **norms}], "final_norm": {}},
    )  # fmt: skip
    same(trace["decoder.1.residual_2"].array, out[0].detach().numpy())


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
        ({"parallel": True}, "parallel cannot be combined with norm_order: post"),
        (
            {"parallel": True, "norm_order": "none", "residual": False},
            "parallel cannot be combined with residual: false",
        ),
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
