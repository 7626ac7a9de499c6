"""A small random checkpoint under the names of PyTorch's modules, and a scenario that reads it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Arrays = dict[str, np.ndarray]
WIDTH, INNER, LAYERS = 24, 40, 2
SCENARIO = """
title: An nn.TransformerEncoder
weights_file: model.safetensors
matrix_convention: column
tokens: [a, b, c]
embeddings: {file: inputs.npy}
encoder:
  layers:
    repeat: 2
    layer:
      attention:
        num_heads: 8
        w_q: {tensor: "layers.{i}.self_attn.in_proj_weight", rows: [1, 24]}
        b_q: {tensor: "layers.{i}.self_attn.in_proj_bias", rows: [1, 24]}
        w_k: {tensor: "layers.{i}.self_attn.in_proj_weight", rows: [25, 48]}
        b_k: {tensor: "layers.{i}.self_attn.in_proj_bias", rows: [25, 48]}
        w_v: {tensor: "layers.{i}.self_attn.in_proj_weight", rows: [49, 72]}
        b_v: {tensor: "layers.{i}.self_attn.in_proj_bias", rows: [49, 72]}
        w_o: {tensor: "layers.{i}.self_attn.out_proj.weight"}
        b_o: {tensor: "layers.{i}.self_attn.out_proj.bias"}
      norm_1: {gamma: {tensor: "layers.{i}.norm1.weight"}, beta: {tensor: "layers.{i}.norm1.bias"}}
      feed_forward:
        w_1: {tensor: "layers.{i}.linear1.weight"}
        b_1: {tensor: "layers.{i}.linear1.bias"}
        w_2: {tensor: "layers.{i}.linear2.weight"}
        b_2: {tensor: "layers.{i}.linear2.bias"}
      norm_2: {gamma: {tensor: "layers.{i}.norm2.weight"}, beta: {tensor: "layers.{i}.norm2.bias"}}
"""


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
