"""The gated delta rule in PyTorch, token by token, with all that Qwen3-Next has around it."""

from __future__ import annotations

from typing import Any

import torch

from tests.oracle.today.parts import ACTIVATIONS, normed


def convolved(x: Any, taps: Any) -> Any:
    """PyTorch's own convolution of each feature, padded on the left."""
    weight, before = taps.T[:, None, :], len(taps) - 1
    return torch.nn.functional.conv1d(x.T[None], weight, groups=x.shape[1], padding=before)[0, :, : len(x)].T


def rule(q: Any, k: Any, v: Any, alpha: Any, beta: Any) -> Any:
    """Yang et al. 2024, §3.1, as it is printed: columns, S is d_v×d_k."""
    state, rows = torch.zeros(v.shape[1], k.shape[1], dtype=torch.float64), []
    for t in range(len(q)):
        erased = torch.eye(k.shape[1], dtype=torch.float64) - beta[t] * torch.outer(k[t], k[t])
        state = alpha[t] * state @ erased + beta[t] * torch.outer(v[t], k[t])
        rows.append(state @ q[t])
    return torch.stack(rows)


def linear_attention(own: dict[str, Any], x: Any, spec: dict[str, Any]) -> Any:
    """The whole part; own: its matrices, by the paths within it."""
    made = {}
    for letter in "qkv":
        y = x @ own[f"w_{letter}"]
        y = convolved(y, own[f"conv_{letter}"]) if f"conv_{letter}" in own else y
        made[letter] = ACTIVATIONS[spec.get("activation", "silu")](y)
    heads, shared = spec.get("num_heads", 1), spec.get("num_key_heads", spec.get("num_heads", 1))
    beta, alpha = torch.sigmoid(x @ own["w_beta"]), torch.ones(len(x), heads, dtype=torch.float64)
    if "w_alpha" in own:
        step = torch.nn.functional.softplus(x @ own["w_alpha"] + own.get("b_alpha", 0))
        alpha = torch.exp(-step * torch.exp(own.get("a_log", torch.zeros(1))))
    rows = []
    for head in range(heads):
        q, k = (made[letter].chunk(shared, 1)[head * shared // heads] for letter in "qk")
        if spec.get("qk_norm", "l2") == "l2":
            q, k = (y / torch.sqrt((y * y).sum(-1, keepdim=True) + spec.get("epsilon", 1e-6)) for y in (q, k))
        if spec.get("scale", "sqrt_d_k") == "sqrt_d_k":
            q = q / q.shape[1] ** 0.5
        rows.append(rule(q, k, made["v"].chunk(heads, 1)[head], alpha[:, head], beta[:, head]))
        if "output_norm" in spec:
            gamma = {"gamma": own["output_norm.gamma"]} if "output_norm.gamma" in own else {}
            rows[-1] = normed(rows[-1], "rms", 1e-6, gamma)
    out = torch.cat(rows, 1)
    out = out * torch.nn.functional.silu(x @ own["w_gate"]) if "w_gate" in own else out
    return out @ own["w_o"] if "w_o" in own else out
