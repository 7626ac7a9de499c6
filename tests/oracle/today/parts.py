"""The parts of today's models in PyTorch, after the papers and the transformers library; float64 throughout."""

from __future__ import annotations

import math
from typing import Any

import torch

Tensor = Any
Keys = dict[str, Any]

ACTIVATIONS = {
    "relu": torch.relu,
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "none": lambda x: x,
}


def normed(x: Tensor, kind: str, epsilon: float, given: dict[str, Tensor]) -> Tensor:
    """The norm of this kind; given: its gamma, beta and alpha, as far as there are any."""
    gamma, beta = given.get("gamma"), given.get("beta")
    if kind == "dyt":
        x = torch.tanh(given.get("alpha", 0.5) * x)
    elif kind == "layer":
        centered = x - x.mean(-1, keepdim=True)
        x = centered / torch.sqrt(centered.pow(2).mean(-1, keepdim=True) + epsilon)
    else:
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + epsilon)
    if gamma is not None:
        x = x * (1 + gamma if kind == "rms_plus_one" else gamma)
    return x if beta is None else x + beta


def turned(x: Tensor, rotary: Keys) -> Tensor:
    """A head's queries or keys, n×d_k, with rotary positions."""
    width = rotary.get("dimensions", x.shape[1])
    scaling = rotary.get("scaling", {})
    frequencies, factor = rotary["base"] ** (-torch.arange(0, width, 2) / width), 1.0
    if "yarn" in scaling:
        frequencies, factor = yarn(frequencies, width, rotary["base"], scaling["yarn"])
    angles = torch.arange(float(len(x)))[:, None] / scaling.get("linear", 1) * frequencies
    cos, sin = angles.cos() * factor, angles.sin() * factor
    part, rest = x[:, :width], x[:, width:]
    if rotary["layout"] == "halves":
        a, b = part.chunk(2, dim=1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], dim=1)
    a, b = part[:, ::2], part[:, 1::2]
    return torch.cat([torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(1), rest], dim=1)


def yarn(frequencies: Tensor, width: int, base: float, given: Keys) -> tuple[Tensor, float]:
    """The frequencies of YaRN and what the rotated pairs are multiplied by, as _compute_yarn_parameters has them."""

    def pair_of(turns: float) -> float:
        whole = given["original_max_position_embeddings"] / (turns * 2 * math.pi)
        return width * math.log(whole) / (2 * math.log(base))

    low, high = pair_of(given.get("beta_fast", 32)), pair_of(given.get("beta_slow", 1))
    if given.get("truncate", True):
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, width - 1)
    high += 0.001 if low == high else 0
    ramp = ((torch.arange(width // 2) - low) / (high - low)).clamp(0, 1)
    grown = {name: 0.1 * given.get(name, 1) * math.log(given["factor"]) + 1 for name in ("mscale", "mscale_all_dim")}
    factor = grown["mscale"] / grown["mscale_all_dim"] if "mscale" in given else grown["mscale"]
    return frequencies * (1 - ramp) + frequencies / given["factor"] * ramp, given.get("attention_factor", factor)


def bucket(far: int, both: bool, count: int, most: int) -> int:
    """T5's bucket of a key that stands so far behind a query."""
    start = 0
    if both:
        count //= 2
        start, far = (count, far) if far > 0 else (0, -far)
    else:
        far = max(-far, 0)
    near = count // 2
    if far < near:
        return start + far
    steps = math.log(far / near) / math.log(most / near) * (count - near)
    return start + min(near + math.floor(steps + 1e-12), count - 1)


def chosen_of(scores: Tensor, router: Keys) -> Tensor:
    """1 for the top_k experts of each row, in groups after DeepSeek-V3's code."""
    ranked = scores.detach() + torch.tensor(router.get("choice_bias", 0.0))
    if "n_group" in router:
        grouped = ranked.view(len(ranked), router["n_group"], -1)
        best = grouped.topk(2, dim=2).values.sum(2).topk(router["topk_group"], dim=1).indices
        is_open = torch.zeros(grouped.shape[:2]).scatter(1, best, 1.0)[:, :, None].expand_as(grouped)
        ranked = ranked.masked_fill(is_open.reshape(ranked.shape) == 0, -math.inf)
    return torch.zeros_like(scores).scatter(1, ranked.topk(router["top_k"], dim=1).indices, 1.0)


def merged(layer: Keys, kind: Keys) -> Keys:
    """A layer with what its kind says: mappings key by key, the rest replaced; `none` takes away."""
    both = dict(layer)
    for name, one in kind.items():
        if one == "none":
            both.pop(name, None)
        elif isinstance(one, dict) and name != "rotary" and isinstance(both.get(name), dict):
            both[name] = merged(both[name], one)
        else:
            both[name] = one if not isinstance(one, dict) or name not in both else {**both[name], **one}
    return both
