"""A pre-LN encoder of one layer with everything that mistakes are made in, and mistakes in it by plain numpy."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from walkthrough.recording.trace import Trace

Fault = Callable[..., Any]
NORMAL = "{init: normal, std: 1, seed: %d}"
HEAD = "encoder.1.attention.head.1."
LAYER = "encoder.1."


@cache
def model(**changes: str) -> Trace:
    """The encoder, with some keys changed."""
    keys = {"variance": "population", "epsilon_in": "variance", "scale": "sqrt_d_k", "tokens": "[a, b, c]"} | changes
    text = f"""
title: t
tokens: {keys["tokens"]}
embeddings: {{a: [1, 0.5, -1, 2], b: [0.3, 1, 0.2, -1], c: [0.4, 1, 2, 0.1], d: [1, 1, 0, -1]}}
positional_encoding: sinusoidal
dimensions: {{d_k: 3, d_v: 2, d_ff: 3}}
encoder:
  norm_order: pre
  layer_norm: {{epsilon: 0.01, variance: {keys["variance"]}, epsilon_in: {keys["epsilon_in"]}}}
  layers:
    - attention:
        heads:
          - {{w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3}, b_q: {NORMAL % 4}}}
        w_o: {NORMAL % 5}
        mask: causal
        scale: {keys["scale"]}
      norm_1: {{gamma: [1, 2, 0.5, 1.5], beta: [0.1, 0.2, 0.3, -0.4]}}
      feed_forward: {{w_1: {NORMAL % 6}, b_1: {NORMAL % 7}, w_2: {NORMAL % 8}, activation: gelu}}
      norm_2: {{gamma: [1, 2, 0.5, 1.5]}}
output_head: {{w: {NORMAL % 9}, temperature: 2, vocabulary: [x, y, z, w]}}
"""
    return wt.trace(wt.parse_scenario(text))


def encoding(x: int, width: int, first: int = 0, turn: float = 1.0, base: int = 10000) -> np.ndarray:
    angles = np.array([[turn * (first + at) / base ** (2 * (i // 2) / width) for i in range(width)] for at in range(x)])
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


def lower(m: np.ndarray, diagonal: int) -> np.ndarray:
    return np.array([[float(j <= i + diagonal) for j in range(m.shape[1])] for i in range(m.shape[0])])


def gelu(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2)


def masked(x: np.ndarray, visible: np.ndarray) -> np.ndarray:
    return np.where(visible == 1, x, -np.inf)


def normed(x: np.ndarray, axis: int = 1) -> np.ndarray:
    centered = x - x.mean(axis=axis, keepdims=True)
    return np.asarray(centered / np.sqrt((centered**2).mean(axis=axis, keepdims=True) + 0.01))


def norm_1(x: np.ndarray, trace: Trace, axis: int = 1) -> np.ndarray:
    return np.asarray(normed(x, axis) * trace[LAYER + "norm_1.gamma"].array + trace[LAYER + "norm_1.beta"].array)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))


def attended(x: np.ndarray, t: Trace) -> np.ndarray:
    """The attention of the model, of any input."""
    query = x @ t[HEAD + "w_q"].array + t[HEAD + "b_q"].array
    scores = query @ (x @ t[HEAD + "w_k"].array).T / math.sqrt(3)
    weights = softmax(masked(scores, lower(scores, 0)))
    return np.asarray(weights @ (x @ t[HEAD + "w_v"].array) @ t[LAYER + "attention.w_o"].array)


def assert_named(cause: str, path: str, fault: Fault, changes: dict[str, str]) -> None:
    """One step is calculated wrongly, and what follows from it, which is not blamed."""
    trace = model(**changes)
    found = compared(trace, recalculated(trace, path, fault, np.float64))
    wrong = [(step.value.path, step.cause) for step in found.steps if step.outcome == "differs"]
    assert wrong == [(path, cause)]


def assert_named_elsewhere(cause: str, path: str, numbers: Callable[[Trace], Any]) -> None:
    """One step has other numbers, and everything before it is handed in."""
    trace = model(tokens="[a, b, c]")
    before = {value.path: value.array for value in trace if value.operation is not None}
    given = dict(list(before.items())[: list(before).index(path)])
    if path.endswith("norm_2.output"):
        del given[LAYER + "residual_1"]  # they have none
    found = compared(trace, {**given, path: numbers(trace)})
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == (path, cause)
