"""A norm of another name than the stack's, among them dynamic tanh: numbers, gradients and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import refused, same, traced
from tests.transformer.model.torched import D, drawn, layer_norm, leaves, loss_of, rms, same_gradients, torch, trained

pytestmark = pytest.mark.torch

PART = {"w_1": drawn(D, 5), "w_2": drawn(5, D)}


@pytest.mark.parametrize("keys", [(), ("alpha",), ("alpha", "gamma", "beta"), ("gamma",), ("alpha", "beta")])
def test_dynamic_tanh(keys: tuple[str, ...]) -> None:
    made = {"alpha": 0.7, "gamma": drawn(D), "beta": drawn(D)}
    norm = {"norm": "dyt", **{key: made[key] for key in keys}}
    trace = trained(decoder={"norm_order": "pre", "layers": [{"feed_forward": PART, "norm_2": norm}],
                             "final_norm": {"norm": "rms"}})  # fmt: skip
    given, at = leaves(trace), "decoder.1.norm_2."
    x = given["token_embedding"]
    y = torch.tanh(given.get(f"{at}alpha", 0.5) * x)
    assert (f"{at}normalized" in trace) == ("gamma" in keys or "beta" in keys)
    y = given.get(f"{at}gamma", 1) * y + given.get(f"{at}beta", 0)
    same(trace[f"{at}output"].array, y.detach().numpy())
    x = x + torch.relu(y @ given["decoder.1.feed_forward.w_1"]) @ given["decoder.1.feed_forward.w_2"]
    same_gradients(trace, given, loss_of(rms(x) @ given["output_head.w"]))


def test_each_norm_may_have_its_own_name() -> None:
    norms = {"norm_1": {"norm": "layer", "gamma": drawn(D)}, "norm_2": {"norm": "rms_plus_one", "gamma": drawn(D)}}
    attention = {"heads": [{f"w_{letter}": drawn(D, D) for letter in "qkv"}]}
    trace = traced(
        embeddings=drawn(4, D),
        encoder={
            "norm": "rms",
            "norm_order": "pre",
            "layers": [{"attention": attention, "feed_forward": PART, **norms}],
        },
    )
    x, r = (torch.tensor(trace[path].array) for path in ("input", "encoder.1.residual_1"))
    first, second = (torch.tensor([norms[f"norm_{at}"]["gamma"]], dtype=torch.float64) for at in (1, 2))
    same(trace["encoder.1.norm_1.output"].array, layer_norm(x, first).numpy())
    same(trace["encoder.1.norm_2.output"].array, rms(r, second, plus_one=True).numpy())
    assert "encoder.final_norm.rms" in trace


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
