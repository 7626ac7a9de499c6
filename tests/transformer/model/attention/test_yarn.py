"""YaRN: frequencies, angles and the growing of queries and keys, against transformers and PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import drawn, refused, same, traced

torch: Any = pytest.importorskip("torch")
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
def test_as_transformers_has_it(changed: dict[str, Any], width: int, monkeypatch: Any) -> None:
    """How pairs are turned by it is in tests/oracle/today."""
    rope = pytest.importorskip("transformers.modeling_rope_utils")
    from transformers import LlamaConfig

    monkeypatch.setattr(torch, "float32", torch.float64)
    monkeypatch.setattr(torch, "float", torch.float64)
    scaling = {**BASE, **changed}
    parameters = {"rope_type": "yarn", "rope_theta": 100.0, "partial_rotary_factor": width / 8, **scaling}
    config = LlamaConfig(hidden_size=8, num_attention_heads=1, head_dim=8, rope_parameters=parameters)
    frequencies, factor = rope._compute_yarn_parameters(config, torch.device("cpu"))
    trace = traced(attention=attention(scaling, dimensions=width))
    same(trace["attention.rotary.frequency"].array, frequencies.numpy()[None])
    same(trace["attention.rotary.angle"].array, np.arange(4)[:, None] * frequencies.numpy())
    assert trace["attention.head.1.key_rotated"].settings.get("factor", 1) == pytest.approx(factor, rel=1e-15)


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
