"""A model described by its sizes alone, as the paper gives them: d_model, d_ff, heads, layers."""

from __future__ import annotations

import math
from pathlib import Path

from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.sources import ScenarioSource
from walkthrough.text import pluralize
from walkthrough.transformer.loading.load import scenario_of


def encoder_of(d_model: int, d_ff: int, heads: int, layers: int) -> Scenario:
    """An encoder of that size for one token: projections without biases, feed-forward parts and layer norms with them.

    It is there to be counted, and may be larger than what can be traced.

    Raises ScenarioError where the heads cannot share d_model evenly.
    """
    weights = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_q", "w_k", "w_v", "w_o"))
    forward = ", ".join(f"{name}: {{init: zeros}}" for name in ("w_1", "b_1", "w_2", "b_2"))
    norm = "{gamma: {init: ones}, beta: {init: zeros}}"
    text = f"""
title: An encoder with d_model {d_model}, d_ff {d_ff}, {pluralize(heads, "head")}, {pluralize(layers, "layer")}
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
    return scenario_of(ScenarioSource("<options>", text, Path()), math.inf)
