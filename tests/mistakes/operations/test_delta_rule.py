"""Mistakes in what linear attention forgets and writes are named, also where nobody gives the state: by plain numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated

TEXT = """
title: x
tokens: [a, b, c, a]
embeddings: {a: [1, 0.5, -1], b: [0.3, 2, 1], c: [-1, 0.2, 0.7]}
decoder:
  norm_order: none
  residual: false
  layers:
    - linear_attention:
        w_q: [[1, 0.2], [0, 1], [0.3, 0]]
        w_k: [[0.5, 1], [0.1, 1], [0.3, -0.4]]
        w_v: [[1, 2], [0, 1], [1, 1]]
        w_beta: [[1], [-0.5], [0.2]]
        w_alpha: [[0.4], [0.5], [0.2]]
        a_log: [0.5]
        output_norm: {}
"""
PART = "decoder.1.linear_attention."
KEPT = ("embeddings", "token_embedding", "w_q", "w_k", "w_v", "_projected", "logits", "a_log")
"""What somebody hands in beside the output: the projections, and nothing of the states."""


@pytest.mark.parametrize(
    ("step", "fault", "said"),
    [
        ("alpha", lambda log_decay: np.ones(log_decay.shape), "nothing is forgotten: the decay is 1 throughout"),
        ("forgetting", lambda step, rate: step, "the time step is not multiplied by the rate of the head"),
        ("beta", lambda x: np.ones(x.shape), "the sigmoid is left out: 1 stands in its place throughout"),
        ("head.1.key_norm.output", lambda x, length: x, "the division by r_k is missing"),
        ("head.1.scaled_query", lambda x, **_: x, "not divided by √d_k"),
    ],
)
def test_a_mistake_is_named(step: str, fault: Callable[..., Any], said: str) -> None:
    trace = wt.trace(wt.parse_scenario(TEXT))
    given = recalculated(trace, PART + step, fault, np.float64)
    handed_in = {name: one for name, one in given.items() if name.endswith((*KEPT, "output_norm.output"))}
    found = compared(trace, handed_in).cause
    made_in = PART + ("alpha" if step == "forgetting" else step)
    assert found == f"{said} ({made_in})"


def test_a_norm_that_queries_and_keys_both_lack_is_named_once() -> None:
    trace, without = (wt.trace(wt.parse_scenario(TEXT + more)) for more in ("", "        qk_norm: none\n"))
    given = {value.path: value.array for value in without if value.path.endswith((*KEPT, "output_norm.output"))}
    said = "queries and keys are not divided by their length"
    assert compared(trace, given).cause == f"{said} ({PART}head.1.query_norm.output and others)"
