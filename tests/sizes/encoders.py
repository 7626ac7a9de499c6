"""Encoders of any size, there to be counted."""

from __future__ import annotations


def encoder(d_model: int, d_ff: int, heads: int, layers: int) -> str:
    """A scenario: projections without biases, feed-forward parts and layer norms with them."""
    weights = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_q", "w_k", "w_v", "w_o"))
    forward = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_1", "b_1", "w_2", "b_2"))
    norm = "{gamma: {init: ones}, beta: {init: zeros}}"
    return f"""\
title: An encoder
tokens: [t]
embeddings: {{init: zeros}}
dimensions: {{d_model: {d_model}, d_ff: {d_ff}}}
encoder:
  layers:
    repeat: {layers}
    layer:
      attention: {{num_heads: {heads}, {weights}}}
      norm_1: {norm}
      feed_forward: {{{forward}}}
      norm_2: {norm}
"""
