"""Latent attention: numbers and gradients of PyTorch, what a cache keeps, how large it is, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_modern import WORDS, D, drawn, refused, same, traced
from tests.transformer.runs.test_cache import clean, model, same_numbers
from walkthrough.sizes.components import sizes

torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

HEADS, D_C, D_CQ, D_H, D_R, D_V = 2, 3, 4, 3, 2, 5
PLAIN = {"w_dkv": drawn(D, D_C), "w_uk": drawn(D_C, HEADS * D_H), "w_uv": drawn(D_C, HEADS * D_V)}
PLAIN |= {"w_uq": drawn(D, HEADS * D_H)}
QUERIES = {"w_dq": drawn(D, D_CQ), "w_uq": drawn(D_CQ, HEADS * D_H), "query_norm": {"gamma": drawn(D_CQ)}}
POSITION = {"w_kr": drawn(D, D_R), "w_qr": drawn(D, HEADS * D_R)}
BIASES = {"b_dkv": drawn(D_C), "b_kr": drawn(D_R), "b_dq": drawn(D_CQ)}
FULL = {**PLAIN, **POSITION, **QUERIES, **BIASES, "w_qr": drawn(D_CQ, HEADS * D_R)}
FULL |= {"kv_norm": {"gamma": drawn(D_C), "epsilon": 0.01}}
ODD = {**FULL, "w_kr": drawn(D, 3), "w_qr": drawn(D_CQ, 6), "b_kr": drawn(3)}
BY_RULE = {**PLAIN, "w_uk": {"init": "normal"}, "w_uq": {"init": "normal"}}
W_O = drawn(HEADS * D_V, D)
LATENTS: dict[str, dict[str, Any]] = {
    "content alone": PLAIN,
    "with a rotated part": {**PLAIN, **POSITION},
    "with norms without gamma": {**PLAIN, **POSITION, "kv_norm": {}},
    "all of it": FULL,
}
BESIDE = {"w_gate": drawn(D, HEADS * D_V), "b_gate": drawn(HEADS * D_V), "sink": [0.5, -1.2]}
"""What an attention may have beside it."""


def attention(latent: dict[str, Any], **keys: Any) -> dict[str, Any]:
    rotary = {"rotary": {"base": 50, "layout": "interleaved"}} if "w_kr" in latent else {}
    return {"num_heads": HEADS, "latent": latent, "w_o": W_O, **rotary, **keys}


def rotated(x: Any, base: float = 50.0) -> Any:
    """Neighbouring features turned together, as DeepSeek has it."""
    pairs = torch.view_as_complex(x.reshape(len(x), -1, 2))
    place = torch.arange(pairs.shape[1], dtype=torch.float64)
    angle = torch.arange(len(x))[:, None] / base ** (place / pairs.shape[1])
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angle), angle)).flatten(1)


def normed(x: Any, latent: dict[str, Any], name: str, given: dict[str, Any], at: str) -> Any:
    if name not in latent:
        return x
    y = x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + latent[name].get("epsilon", 1e-6))
    return y * given.get(f"{at}latent.{name}.gamma", 1)


def in_torch(latent: dict[str, Any], given: dict[str, Any], x: Any, at: str) -> tuple[Any, dict[str, Any]]:
    """What the attention makes of x, and some of what is between."""
    common = f"{at}latent."
    asked = x
    if "w_dq" in latent:
        asked = x @ given[f"{common}w_dq"] + given.get(f"{common}b_dq", 0)
        asked = normed(asked, latent, "query_norm", given, at)
    kept = x @ given[f"{common}w_dkv"] + given.get(f"{common}b_dkv", 0)
    kept = normed(kept, latent, "kv_norm", given, at)
    found, outputs = {}, []
    for head in range(1, HEADS + 1):
        of = f"{at}head.{head}."
        q, k, v = asked @ given[f"{of}w_uq"], kept @ given[f"{of}w_uk"], kept @ given[f"{of}w_uv"]
        if "w_kr" in latent:
            shared = rotated(x @ given[f"{common}w_kr"] + given.get(f"{common}b_kr", 0))
            q = torch.cat([q, rotated(asked @ given[f"{of}w_qr"])], dim=-1)
            k = torch.cat([k, shared], dim=-1)
        hidden = torch.ones(len(q), len(k)).triu(1).bool()
        scores = (q @ k.T / q.shape[1] ** 0.5).masked_fill(hidden, -torch.inf)
        if f"{of}sink" in given:
            scores = torch.cat([scores, given[f"{of}sink"].expand(len(q), 1)], dim=1)
        outputs.append(scores.softmax(-1)[:, : len(k)] @ v)
        if f"{of}w_gate" in given:
            outputs[-1] = outputs[-1] * torch.sigmoid(x @ given[f"{of}w_gate"] + given[f"{of}b_gate"])
        found |= {f"{of}query": q, f"{of}key": k, f"{of}value": v}
    return torch.cat(outputs, dim=-1) @ given[f"{at}w_o"], found


TARGETS = [2, 0, 3, 1]


def trained(**keys: Any) -> wt.Trace:
    """One step of training: the keys given, a head for as many words as there are tokens."""
    head = {"w": drawn(D, 4), "vocabulary": WORDS}
    return traced(**{"output_head": head, "training": {"targets": [WORDS[at] for at in TARGETS]}} | keys)


def leaves(trace: wt.Trace) -> dict[str, Any]:
    """Every given matrix by each of its paths; one tensor for a matrix with several."""
    found = {path: value for path, value in trace.items() if value.operation is None}
    tensors = {id(value): torch.tensor(value.array, requires_grad=True) for value in found.values()}
    return {path: tensors[id(value)] for path, value in found.items()}


def loss_of(logits: Any) -> Any:
    return torch.nn.functional.cross_entropy(logits, torch.tensor(TARGETS))


def same_gradients(trace: wt.Trace, given: dict[str, Any], loss: Any) -> None:
    """The loss is the recorded one, and backward() finds each recorded gradient of a given matrix."""
    assert trace["loss.mean"].array[0, 0] == pytest.approx(loss.item(), rel=1e-12)
    loss.backward()
    compared = 0
    for path, tensor in given.items():
        if f"gradient.{path}" in trace:
            found = trace[f"gradient.{path}"].array
            np.testing.assert_allclose(found, tensor.grad.numpy(), rtol=1e-9, atol=1e-12, err_msg=path)
            compared += 1
    assert compared > 2


@pytest.mark.parametrize("beside", [{}, BESIDE], ids=["alone", "with a sink and a gate"])
@pytest.mark.parametrize("latent", LATENTS.values(), ids=LATENTS)
def test_numbers_and_gradients_are_those_of_pytorch(latent: dict[str, Any], beside: dict[str, Any]) -> None:
    trace = trained(decoder={"norm_order": "none", "layers": [{"attention": attention(latent, **beside)}]})
    given, at = leaves(trace), "decoder.1.self_attention."
    x = given["token_embedding"]
    output, found = in_torch(latent, given, x, at)
    for path, value in found.items():
        same(trace[path].array, value.detach().numpy())
    same(trace[f"{at}output"].array, output.detach().numpy())
    same_gradients(trace, given, loss_of((x + output) @ given["output_head.w"]))


def test_weights_may_be_out_by_in_in_few_bits_and_adapted() -> None:
    def turned(matrix: Any) -> Any:
        return np.transpose(matrix).tolist() if np.ndim(matrix) == 2 else matrix

    latent = {key: turned(matrix) if key.startswith("w_") else matrix for key, matrix in FULL.items()}
    rows = traced(attention=attention(FULL))["attention.output"].array
    same(
        traced(attention={**attention(latent), "w_o": turned(W_O)}, matrix_convention="column")[
            "attention.output"
        ].array,
        rows,
    )
    change = {"base": FULL["w_uk"], "a": drawn(D_C, 1), "b": drawn(1, HEADS * D_H), "alpha": 0.5}
    trace = traced(attention=attention({**FULL, "w_uk": change}))
    same(trace["attention.head.2.w_uk"].array, trace["attention.latent.w_uk"].array[:, D_H:])
    trace = traced(attention=attention({**FULL, "w_uv": {"values": FULL["w_uv"], "quantize": "absmax"}}))
    assert trace["attention.latent.w_uv.quantized"].shape == (D_C, HEADS * D_V)


def generating(latent: dict[str, Any], beside: dict[str, Any] | None = None) -> dict[str, Any]:
    drawn_by_rule = {
        name: {"init": "normal", "std": 0.7, "seed": seed}
        for seed, name in enumerate((one for one in latent if one[0] == "w"), 1)
    }
    mine = attention({**drawn_by_rule, **{name: latent[name] for name in latent if name.endswith("_norm")}})
    mine["latent"] |= {name: {} for name in ("kv_norm", "query_norm") if name in latent}
    wide = {"d_model": 4, "d_c": 3, "d_h": 2, "d_v": 2} | ({"d_r": 2} if "w_kr" in latent else {})
    wide |= {"d_cq": 3} if "w_dq" in latent else {}
    return clean(
        model(
            {**mine, **(beside or {}), "w_o": {"init": "normal", "seed": 8}},
            dimensions=wide,
            positional_encoding="none",
        )
    )


@pytest.mark.parametrize("latent", LATENTS.values(), ids=LATENTS)
def test_with_a_cache_the_numbers_are_the_same(latent: dict[str, Any]) -> None:
    same_numbers(generating(latent))
    same_numbers(generating(latent, {"w_gate": {"init": "normal", "seed": 7}, "sink": [0.5, -1]}))


def test_a_cache_keeps_compressed_rows_and_rotated_keys_alone() -> None:
    scenario = generating(FULL)
    scenario["generate"]["cache"] = True
    trace = wt.trace(wt.parse_scenario(json.dumps(scenario)))
    kept = {path for path, _ in trace.items() if path.startswith("generate.3.decoder.1.") and path.endswith("_cache")}
    at = "generate.3.decoder.1.self_attention.latent."
    assert kept == {f"{at}compressed_cache", f"{at}key_rotated_cache"}
    assert trace[f"{at}compressed"].shape == (1, 3)
    assert trace[f"{at}compressed_cache"].shape == (5, 3)
    assert trace[f"{at}key_rotated_cache"].shape == (5, 2)
    assert trace["generate.3.decoder.1.self_attention.head.2.key"].shape == (5, 4)  # made again of what is kept
    first = "decoder.1.self_attention.latent."
    assert trace[f"{first}compressed_cache"] is trace[f"{first}kv_norm.output"]


def test_parameters_are_counted_by_their_widths() -> None:
    scenario = wt.parse_scenario(
        json.dumps({"title": "t", "tokens": ["a"], "embeddings": [[1.0] * D], "attention": attention(FULL, **BESIDE)})
    )
    part = sizes(scenario).components[-1]
    found = {key: np.size(one) if key[1] == "_" else np.size(one["gamma"]) for key, one in FULL.items()}
    beside = sum(map(np.size, BESIDE.values()))
    assert part.parameters == sum(found.values()) + np.size(W_O) + beside
    for term in ("D·d_c", "D·d_r", "D·d_cq", "d_cq·h·d_r", "d_c·h·d_v", "2·D·h·d_v"):
        assert term in part.formula


def without(*names: str) -> dict[str, Any]:
    return {key: one for key, one in FULL.items() if key not in names}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (attention(without("w_uk")), "w_uk is missing: d_c×(heads·d_h)"),
        (attention(without("w_dkv")), "w_dkv is missing: d_model×d_c"),
        (attention(without("w_qr")), "w_kr is given without a w_qr"),
        (attention(without("w_dq")), "b_dq is given without a w_dq"),
        (attention({**FULL, "w_uv": drawn(D_C + 1, 10)}), "w_uv is 4×10, expected d_c×(heads·d_v) = 3×"),
        (attention({**FULL, "w_qr": drawn(D_CQ, 8)}), "w_qr is 4×8, expected d_cq×(heads·d_r) = 4×4"),
        (attention({**FULL, "b_dq": [1]}), "b_dq has 1 number, expected d_cq = 4"),
        (attention(ODD), "w_kr makes 3 features, expected an even"),
        (attention({**FULL, "kv_norm": {"gamma": [1]}}), "gamma has 1 number, expected d_c = 3"),
        (attention({**FULL, "kv_norm": {"beta": [1]}}), "unknown key 'beta'"),
        (attention({**FULL, "kv_lora_rank": 3}), "it is dimensions: {d_c: …} here"),
        (attention(FULL, w_q=drawn(D, 4)), "both latent and w_q are given: latent has weights and norms of its own"),
        (attention(FULL, heads=[{}]), "both latent and heads are given"),
        (attention(FULL, num_kv_heads=1), "both latent and num_kv_heads are given"),
        (attention(FULL, key_norm={}), "both latent and key_norm are given"),
        (attention(FULL, sink=[1] * 3), "sink has 3 numbers, expected heads = 2"),
        (attention(FULL, w_gate=drawn(D, 3)), "w_gate is 6×3, expected d_model×(heads·d_v) = 6×10"),
        (attention(FULL, rotary={"dimensions": 2}), "dimensions cannot be combined with latent"),
        (attention(PLAIN, rotary={}), "rotary rotates the part that w_kr and w_qr make, but latent has neither"),
        ({"num_heads": 2, "latent": FULL}, "rotary is missing: w_kr makes the part of the keys that is rotated"),
        (attention(BY_RULE), "set it with dimensions: {d_h: …}"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(keys: dict[str, Any], said: str) -> None:
    assert said in refused(attention=keys)


def test_in_cross_attention_it_is_refused() -> None:
    layer = {"cross_attention": attention(PLAIN)}
    said = refused(encoder={"layers": []}, decoder={"tokens": ["a"], "layers": [layer]})
    assert "latent attention is only for self-attention" in said


def test_a_width_that_nothing_has_is_said() -> None:
    said = refused(attention=attention(FULL), dimensions={"d_h": 2})
    assert "d_h is 2, expected 3" in said
