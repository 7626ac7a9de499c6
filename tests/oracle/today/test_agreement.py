"""Today's parts, mixed at random, against PyTorch: what is seen on the way, the loss, and every gradient."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.examples import some

torch: Any = pytest.importorskip("torch")

from tests.oracle.today.draw import Draw  # noqa: E402
from tests.oracle.today.model import Model  # noqa: E402

pytestmark = pytest.mark.torch


class Leaves:
    """The given matrices of a trace as leaves of PyTorch's graph."""

    def __init__(self, trace: wt.Trace) -> None:
        self.trace = trace
        self.made: dict[Any, Any] = {}

    def of(self, path: str) -> Any:
        """A given matrix; joined weights are put together from those of the heads, whose gradients are recorded."""
        if path in self.trace:
            return self._leaf(self.trace[path])
        part, _, name = path.rpartition(".")
        heads = [f"{part}.head.{number}.{name}" for number in (1, 2)]
        return torch.cat([self._leaf(one) for one in dict.fromkeys(self.trace[head] for head in heads)], dim=1)

    def _leaf(self, value: Any) -> Any:
        if value not in self.made:
            self.made[value] = torch.tensor(value.array, requires_grad=True)
        return self.made[value]


def far_off(found: np.ndarray, right: np.ndarray, tolerance: float = 1e-9) -> bool:
    return bool(np.abs(found - right).max() > tolerance * max(1.0, np.abs(right).max()))


SEEDS = range(some(32, 150))
KEYS = [
    "norm", "branch_norm_1", "final_norm", "gamma", "beta", "alpha", "epsilon", "residual_scale", "num_kv_heads",
    "scale", "score_cap", "window", "sink", "rotary", "yarn", "linear", "dimensions", "query_norm", "alibi",
    "relative_bias", "bidirectional", "w_gate", "clamped_swiglu", "experts", "shared", "w_shared_gate", "choice_bias",
    "n_group", "normalize", "pattern", "logit_cap", "softmax",
    "linear_attention", "num_key_heads", "conv_q", "w_alpha", "a_log", "output_norm", "qk_norm",
]  # fmt: skip
WORDS = [
    "layer", "rms", "rms_plus_one", "dyt", "pre", "post", "none", "branch", "sandwich", "shared", "all", "head",
    "halves", "interleaved", "sigmoid", "softmax", "softmax_of_chosen", "relu", "gelu", "gelu_tanh", "silu", "shifted",
]  # fmt: skip


def test_every_part_is_drawn_more_than_once() -> None:
    texts = [json.dumps(Draw(seed).scenario()) for seed in SEEDS]
    wanted = [*(f'"{key}":' for key in KEYS), *(f': "{word}"' for word in WORDS), '"parallel": true', '"alibi": [']
    assert not [one for one in wanted if sum(one in text for text in texts) < 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_today_are_those_of_pytorch(seed: int) -> None:
    default = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        compare(Draw(seed).scenario())
    finally:
        torch.set_default_dtype(default)


def compare(scenario: dict[str, Any]) -> None:
    trace = wt.trace(wt.parse_scenario(json.dumps(scenario)))
    leaves = Leaves(trace)
    model = Model(scenario, leaves.of)
    loss = model.loss()
    wrong = [path for path, one in model.seen.items() if far_off(trace[path].array, one.detach().numpy())]
    loss.backward()
    mean = trace["loss.mean"].array
    if np.isfinite(mean).all() and far_off(mean, loss.detach().numpy()):  # minus the logarithm of a share, perhaps of 0
        wrong.append("loss.mean")
    gradients = {value: f"gradient.{value.path}" for value in leaves.made if f"gradient.{value.path}" in trace}
    assert len(gradients) > len(leaves.made) // 2
    for value, leaf in leaves.made.items():
        grad = torch.zeros_like(leaf) if leaf.grad is None else leaf.grad
        found = trace[gradients[value]].array if value in gradients else np.zeros(leaf.shape)
        if value.kind.trained and far_off(found, grad.numpy()):
            wrong.append(f"gradient of {value.path}")
    assert not wrong, json.dumps(scenario)
