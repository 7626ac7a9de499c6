"""Rotary positions: what is behind a rotation is compared too, and a gradient there is no rotation."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared

RNG = np.random.default_rng(3)


def trained(**attention: Any) -> wt.Trace:
    """A training step of a decoder with rotary positions and two heads."""
    shapes = {"w_q": (4, 4), "w_k": (4, 4), "w_v": (4, 4), "w_o": (4, 4)}
    weights = {name: RNG.normal(size=shape).tolist() for name, shape in shapes.items()}
    layer = {"self_attention": {"num_heads": 2, "rotary": {"base": 50}, **weights, **attention}}
    keys = {
        "title": "t",
        "tokens": list("abc"),
        "embeddings": RNG.normal(size=(3, 4)).tolist(),
        "decoder": {"norm": "rms", "norm_order": "pre", "layers": [layer]},
        "output_head": {"w": RNG.normal(size=(4, 3)).tolist(), "vocabulary": list("xyz")},
        "training": {"targets": list("yzx"), "learning_rate": 0.1},
    }
    return wt.trace(wt.parse_scenario(json.dumps(keys)))


@pytest.mark.parametrize("name", ["w_q", "w_k", "w_v"])
@pytest.mark.parametrize("factor", [2.0, -1.0])
def test_a_wrong_gradient_behind_a_rotation_is_compared(name: str, factor: float) -> None:
    trace = trained()
    paths = [path for path in trace.values if path.startswith("gradient.") and path.endswith(f"head.1.{name}")]
    assert len(paths) == 1
    found = compared(trace, {paths[0]: factor * trace[paths[0]].array})
    assert found.first is not None
    assert found.first.value.path == paths[0]
    assert found.cause is not None
