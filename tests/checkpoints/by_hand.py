"""A small random checkpoint under the names of PyTorch's modules, for the scenario of docs/real-models.md."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "real-models.md"
Arrays = dict[str, np.ndarray]
WIDTH, INNER, LAYERS = 24, 40, 2


def scenario_text(title: str) -> str:
    """The scenario of that title, for a narrow model: slices of thirds, two layers."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (text,) = [block for block in blocks if block.startswith(f"title: {title}\n")]
    text = re.sub(r"(rows|columns): \[(\d+), (\d+)\]", _narrowed, text)
    return re.sub(r"repeat: \d+", f"repeat: {LAYERS}", text)


def _narrowed(match: re.Match[str]) -> str:
    """A third is WIDTH wide."""
    first, last = int(match[2]), int(match[3])
    third = round(last / (last - first + 1))
    return f"{match[1]}: [{(third - 1) * WIDTH + 1}, {third * WIDTH}]"


def pytorch(draw: Callable[..., np.ndarray]) -> Arrays:
    """The state of an nn.TransformerEncoder."""
    tensors: Arrays = {}
    for i in range(LAYERS):
        tensors[f"layers.{i}.self_attn.in_proj_weight"] = draw(3 * WIDTH, WIDTH)
        tensors[f"layers.{i}.self_attn.in_proj_bias"] = draw(3 * WIDTH)
        tensors |= _linear(f"layers.{i}.self_attn.out_proj", draw, WIDTH, WIDTH)
        tensors |= _linear(f"layers.{i}.linear1", draw, INNER, WIDTH) | _norm(f"layers.{i}.norm1", draw)
        tensors |= _linear(f"layers.{i}.linear2", draw, WIDTH, INNER) | _norm(f"layers.{i}.norm2", draw)
    return tensors


def _linear(name: str, draw: Callable[..., np.ndarray], outward: int, inward: int) -> Arrays:
    return {f"{name}.weight": draw(outward, inward), f"{name}.bias": draw(outward)}


def _norm(name: str, draw: Callable[..., np.ndarray]) -> Arrays:
    return {f"{name}.weight": 1 + draw(WIDTH), f"{name}.bias": draw(WIDTH)}
