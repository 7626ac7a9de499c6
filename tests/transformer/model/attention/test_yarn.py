"""YaRN: frequencies, angles and the growing of queries and keys, against transformers and PyTorch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import drawn, refused, same, traced
from tests.transformer.model.torched import torch

pytestmark = pytest.mark.torch

BASE = {"factor": 4, "original_max_position_embeddings": 64}
VARIANTS = [
    {},
    {"beta_fast": 4, "beta_slow": 2},
    {"truncate": False},
    {"truncate": False, "beta_fast": 6, "beta_slow": 6},
    {"attention_factor": 1.7},
    {"mscale": 0.7, "mscale_all_dim": 1.3},
    {"factor": 0.5},
    {"factor": 1},
    {"original_max_position_embeddings": 4096},
]


def attention(scaling: dict[str, Any], **rotary: Any) -> dict[str, Any]:
    q, k = drawn(4, 8), drawn(4, 8)
    return {"heads": [{"q": q, "k": k}], "rotary": {"base": 100, "scaling": {"yarn": scaling}, **rotary}}


@pytest.mark.parametrize("changed", VARIANTS)
@pytest.mark.parametrize("width", [8, 4])
@pytest.mark.parametrize("layout", ["halves", "interleaved"])
def test_as_transformers_has_it(changed: dict[str, Any], width: int, layout: str, monkeypatch: Any) -> None:
    rope = pytest.importorskip("transformers.modeling_rope_utils")
    from transformers import LlamaConfig

    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch, "float", torch.float64)
    scaling = {**BASE, **changed}
    parameters = {"rope_type": "yarn", "rope_theta": 100.0, "partial_rotary_factor": width / 8, **scaling}
    config = LlamaConfig(hidden_size=8, num_attention_heads=1, head_dim=8, rope_parameters=parameters)
    frequencies, factor = rope._compute_yarn_parameters(config, torch.device("cpu"))
    spec = attention(scaling, dimensions=width, layout=layout)
    trace = traced(attention=spec)
    same(trace["attention.rotary.frequency"].array, frequencies.numpy()[None])
    angles = np.arange(4)[:, None] * frequencies.numpy()
    same(trace["attention.rotary.angle"].array, angles)
    for name, given in (("query", "q"), ("key", "k")):
        x = np.array(spec["heads"][0][given])
        pairs = x[:, :width] if layout == "halves" else np.hstack([x[:, :width:2], x[:, 1:width:2]])
        turned = (pairs[:, : width // 2] + 1j * pairs[:, width // 2 :]) * np.exp(1j * angles) * factor
        found = trace[f"attention.head.1.{name}_rotated"].array
        first, second = (
            (found[:, : width // 2], found[:, width // 2 : width])
            if layout == "halves"
            else (found[:, :width:2], found[:, 1:width:2])
        )
        same(first, turned.real)
        same(second, turned.imag)
        same(found[:, width:], x[:, width:])


def test_the_factor_of_the_attention() -> None:
    trace = traced(attention=attention(BASE))
    assert trace["attention.head.1.query_rotated"].settings["factor"] == 0.1 * math.log(4) + 1


@pytest.mark.parametrize(
    ("scaling", "said"),
    [
        ({"factor": 4}, "original_max_position_embeddings is missing"),
        ({**BASE, "factor": 0}, "expected a number above 0"),
        ({**BASE, "beta_fast": 1, "beta_slow": 2}, "beta_fast must not be below beta_slow"),
        ({**BASE, "scale": 1}, "unknown key 'scale'"),
    ],
)
def test_what_is_refused(scaling: dict[str, Any], said: str) -> None:
    assert said in refused(attention=attention(scaling))
