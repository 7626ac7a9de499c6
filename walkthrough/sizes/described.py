"""A model described by its sizes alone, as the paper gives them: d_model, d_ff, heads, layers."""

from __future__ import annotations

from walkthrough.scenario.scenario import Scenario, parse_scenario


def encoder_of(d_model: int, d_ff: int, heads: int, layers: int, tokens: int) -> Scenario:
    """An encoder of that size: projections without biases, a feed-forward network and layer norms with them.

    Raises ScenarioError where the heads cannot share d_model evenly.
    """
    weights = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_q", "w_k", "w_v", "w_o"))
    forward = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_1", "b_1", "w_2", "b_2"))
    norm = "{gamma: {init: ones}, beta: {init: zeros}}"
    return parse_scenario(
        f"""
title: An encoder with d_model {d_model}, d_ff {d_ff}, {heads} heads, {layers} layers
tokens: [{", ".join(f"t{number}" for number in range(1, tokens + 1))}]
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
""",
        "<options>",
    )
