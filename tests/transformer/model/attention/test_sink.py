"""A sink: one more score in every row, which has no value; and scores divided by the root of a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import refused, same, traced
from tests.transformer.model.torched import D, drawn, hide_later, leaves, loss_of, same_gradients, torch, trained

pytestmark = pytest.mark.torch

SINKS = [0.5, -1.2]
JOINED = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D), "sink": SINKS}
HEADS = [{f"w_{letter}": drawn(D, 2) for letter in "qkv"} | {"sink": sink} for sink in SINKS]


@pytest.mark.parametrize("mode", ["plain", "shifted"])
@pytest.mark.parametrize("attention", [JOINED, {"heads": HEADS, "w_o": drawn(4, D)}], ids=["joined", "listed"])
def test_numbers_and_gradients_are_those_of_pytorch(attention: dict[str, Any], mode: str) -> None:
    layer = {"attention": {**attention, "scale": {"sqrt": 3}}}
    trace = trained(decoder={"norm_order": "none", "layers": [layer]}, softmax=mode)
    given = leaves(trace)
    at = "decoder.1.self_attention."
    x, outputs = given["token_embedding"], []
    for head in (1, 2):
        part = f"{at}head.{head}."
        q, k, v = (x @ given[f"{part}w_{letter}"] for letter in "qkv")
        scores = hide_later(q @ k.T / 3**0.5)
        weights = torch.cat([scores, given[f"{part}sink"].expand(4, 1)], dim=-1).softmax(-1)[:, :-1]
        same(trace[f"{part}weights"].array, weights.detach().numpy())
        outputs.append(weights @ v)
    x = x + torch.cat(outputs, dim=-1) @ given[f"{at}w_o"]
    same_gradients(trace, given, loss_of(x @ given["output_head.w"]))


def test_as_gpt_oss_has_it() -> None:
    """eager_attention_forward of transformers, given the same queries, keys, values and sinks."""
    gpt_oss = pytest.importorskip("transformers.models.gpt_oss.modeling_gpt_oss")
    trace = traced(attention={**JOINED, "mask": "causal"}, embeddings=np.array(drawn(4, D)).tolist())

    class Module(torch.nn.Module):  # type: ignore[misc,name-defined]
        num_key_value_groups = 1
        sinks = torch.tensor(SINKS, dtype=torch.float64)

    states = [
        torch.stack([torch.tensor(trace[f"attention.head.{head}.{name}"].array) for head in (1, 2)])[None]
        for name in ("query", "key", "value")
    ]
    mask = torch.triu(torch.full((1, 1, 4, 4), -torch.inf, dtype=torch.float64), 1)
    output, weights = gpt_oss.eager_attention_forward(Module().eval(), *states, mask, scaling=2**-0.5)
    for head in (1, 2):
        np.testing.assert_allclose(
            trace[f"attention.head.{head}.weights"].array, weights[0, head - 1].numpy(), rtol=1e-12, atol=1e-13
        )
    np.testing.assert_allclose(trace["attention.concat"].array, output[0].flatten(-2).numpy(), rtol=1e-12, atol=1e-13)


def test_its_steps_stand_beside_those_of_the_scores() -> None:
    trace = traced(attention={"heads": HEADS})
    for head, sink in enumerate(SINKS, 1):
        part = f"attention.head.{head}."
        assert trace[f"{part}sink"].shape == (1, 1)
        same(trace[f"{part}softmax.sink"].array, np.full((4, 1), np.exp(sink)))
        powers = trace[f"{part}softmax.exp"].array
        same(trace[f"{part}softmax.sum"].array, powers.sum(axis=1, keepdims=True) + np.exp(sink))
        assert (trace[f"{part}weights"].array.sum(axis=1) < 1).all()


def test_shifted_scores_are_shifted_by_the_sink_where_it_is_largest() -> None:
    trace = traced(attention={"heads": [{**HEADS[0], "sink": 1000}]})
    same(trace["attention.head.1.softmax.sink"].array, np.ones((4, 1)))
    same(trace["attention.head.1.weights"].array, np.zeros((4, 4)))


def test_in_cross_attention_too() -> None:
    layer = {"cross_attention": JOINED}
    trace = traced(
        encoder={"output": drawn(4, D)}, decoder={"norm_order": "none", "tokens": ["x"], "embeddings": drawn(1, D),
                                                  "layers": [layer]}
    )  # fmt: skip
    assert trace["decoder.1.cross_attention.head.2.softmax.sink"].shape == (1, 1)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_there_is_one_for_each_head(count: int) -> None:
    said = refused(attention={**JOINED, "sink": [0.5] * count})
    assert f"sink has {count} number" in said
    assert "expected heads = 2" in said


@pytest.mark.parametrize("scale", [{"sqrt": 0}, {"sqrt": -1}, {"root": 3}, "sqrt"])
def test_a_scale_without_a_root_is_an_error(scale: Any) -> None:
    assert "scale" in refused(attention={"heads": HEADS, "scale": scale})
