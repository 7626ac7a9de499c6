"""Every usual mistake: calculated here by plain numpy, and named by the comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.checking.test_against import compared, recalculated
from walkthrough.checking.variants import ADDED, TRANSPOSED, variants
from walkthrough.recording.trace import Trace

Fault = Callable[..., Any]

NORMAL = "{init: normal, std: 1, seed: %d}"


def model(**changes: str) -> Trace:
    """A pre-LN decoder of one layer with everything that mistakes are made in."""
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


def encoding(x: int, width: int, first: int = 0, turn: float = 1.0) -> np.ndarray:
    angles = np.array(
        [[turn * (first + at) / 10000 ** (2 * (i // 2) / width) for i in range(width)] for at in range(x)]
    )
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


def lower(m: np.ndarray, diagonal: int) -> np.ndarray:
    return np.array([[float(j <= i + diagonal) for j in range(m.shape[1])] for i in range(m.shape[0])])


def masked(x: np.ndarray, visible: np.ndarray) -> np.ndarray:
    return np.where(visible == 1, x, -np.inf)


HEAD = "encoder.1.attention.head.1."
LAYER = "encoder.1."
FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("the bias is missing", HEAD + "query", lambda x, w, b: x @ w, {}),
    (ADDED, HEAD + "query", lambda x, w, b: x.sum(1)[:, None] + w.sum(0) + b, {}),
    (ADDED, HEAD + "scores", lambda q, k: q.sum(1)[:, None] + k.sum(1), {}),
    (ADDED, HEAD + "output", lambda a, v: a.sum(1)[:, None] + v.sum(0), {}),
    ("the bias is subtracted", HEAD + "query", lambda x, w, b: x @ w - b, {}),
    ("the keys are not transposed", HEAD + "scores", lambda q, k: q @ k, {}),
    ("transposed, or queries and keys are swapped", HEAD + "scores", lambda q, k: k @ q.T, {}),
    ("the scores are already scaled by 1/√d_k", HEAD + "scores", lambda q, k: q @ k.T / 3**0.5, {}),
    ("the scaling by 1/√d_k is missing", HEAD + "scaled_scores", lambda x, **_: x, {}),
    ("divided by d_k instead of √d_k", HEAD + "scaled_scores", lambda x, **_: x / 3, {}),
    ("multiplied by √d_k instead of divided", HEAD + "scaled_scores", lambda x, **_: x * math.sqrt(3), {}),
    ("divided by √64", HEAD + "scaled_scores", lambda x, **_: x / 8, {}),
    ("the division by 5 is missing", HEAD + "scaled_scores", lambda x, **_: x, {"scale": "5"}),
    ("multiplied by 5 instead of divided", HEAD + "scaled_scores", lambda x, **_: x * 5, {"scale": "5"}),
    ("divided by √5 instead of 5", HEAD + "scaled_scores", lambda x, **_: x / math.sqrt(5), {"scale": "5"}),
    ("divided by √8", HEAD + "scaled_scores", lambda x, **_: x / math.sqrt(8), {"scale": "5"}),
    ("the mask is missing", HEAD + "masked_scores", lambda x, m, **_: x, {}),
    ("the mask is inverted", HEAD + "masked_scores", lambda x, m, **_: masked(x, 1 - m), {}),
    ("the mask is transposed", HEAD + "masked_scores", lambda x, m, **_: masked(x, m.T), {}),
    ("the mask hides the diagonal too", HEAD + "masked_scores", lambda x, m, **_: masked(x, lower(m, -1)), {}),
    (
        "the mask shows one position too many",
        HEAD + "masked_scores",
        lambda x, m, **_: masked(x, lower(m, 1)),
        {},
    ),
    ("summed over the columns instead of the rows", HEAD + "softmax.sum", lambda x: x.sum(axis=0)[:, None], {}),
    ("softmax over the columns instead of the rows", HEAD + "weights", lambda x, _: x / x.sum(axis=0), {}),
    ("softmax over the whole matrix", HEAD + "weights", lambda x, _: x / x.sum(), {}),
    ("not divided", HEAD + "weights", lambda x, _: x, {}),
    ("transposed", HEAD + "weights", lambda x, s: (x / s).T, {}),
    (
        "nothing was added: these are the numbers of " + LAYER + "attention.output",
        LAYER + "residual_1",
        lambda x, y: y,
        {},
    ),
    ("nothing was added: these are the numbers of input", LAYER + "residual_1", lambda x, y: x, {}),
    (
        "the mean of the columns instead of the rows",
        LAYER + "norm_1.mean",
        lambda x: x.mean(axis=0)[:, None],
        {"tokens": "[a, b, c, d]"},
    ),
    ("not divided by d", LAYER + "norm_1.mean", lambda x: x.sum(axis=1, keepdims=True), {}),
    (
        "the sample variance (÷ (d − 1)) was used",
        LAYER + "norm_1.variance",
        lambda x, **_: (x * x).sum(axis=1, keepdims=True) / 3,
        {},
    ),
    (
        "the population variance (÷ d) was used",
        LAYER + "norm_1.variance",
        lambda x, **_: (x * x).sum(axis=1, keepdims=True) / 4,
        {"variance": "sample"},
    ),
    *(
        (
            "not divided by d",
            LAYER + "norm_1.variance",
            lambda x, **_: (x * x).sum(axis=1, keepdims=True),
            {"variance": kind},
        )
        for kind in ("population", "sample")
    ),
    ("epsilon is added to the standard deviation", LAYER + "norm_1.std", lambda v, **_: np.sqrt(v) + 0.01, {}),
    (
        "epsilon is added to the variance",
        LAYER + "norm_1.std",
        lambda v, **_: np.sqrt(v + 0.01),
        {"epsilon_in": "std"},
    ),
    ("epsilon is missing", LAYER + "norm_1.std", lambda v, **_: np.sqrt(v), {}),
    *(
        (f"epsilon is {other:g}", LAYER + "norm_1.std", lambda v, other=other, **_: np.sqrt(v + other), {})
        for other in (1e-3, 1e-5, 1e-6, 1e-8, 1e-12)
    ),
    ("the variance was used as the standard deviation", LAYER + "norm_1.std", lambda v, **_: v, {}),
    ("divided by the variance instead of the standard deviation", LAYER + "norm_1.normalized", None, {}),  # type: ignore[list-item]
    ("gamma and beta are missing", LAYER + "norm_1.output", lambda x, g, b, **_: x, {}),
    ("beta is missing", LAYER + "norm_1.output", lambda x, g, b, **_: x * g, {}),
    ("gamma is missing", LAYER + "norm_1.output", lambda x, g, b, **_: x + b, {}),
    ("gamma and beta are swapped", LAYER + "norm_1.output", lambda x, g, b, **_: x * b + g, {}),
    ("gamma is missing", LAYER + "norm_2.output", lambda x, g, **_: x, {}),
    ("relu was used", LAYER + "feed_forward.activation", lambda x: np.maximum(x, 0), {}),
    ("sigmoid was used", LAYER + "feed_forward.activation", lambda x: 1 / (1 + np.exp(-x)), {}),
    ("silu was used", LAYER + "feed_forward.activation", lambda x: x / (1 + np.exp(-x)), {}),
    (
        "gelu_tanh was used",
        LAYER + "feed_forward.activation",
        lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
        {},
    ),
    (
        "the step is missing: these are the numbers of encoder.1.feed_forward.hidden",
        LAYER + "feed_forward.activation",
        lambda x: x,
        {},
    ),
    ("the division by 2 is missing", "output_head.scaled_logits", lambda x, **_: x, {}),
    ("the positions are counted from 1", "positional_encoding", lambda **_: encoding(3, 4, first=1), {}),
    ("the angles are in degrees", "positional_encoding", lambda **_: encoding(3, 4, turn=math.pi / 180), {}),
    ("the layout is halves", "positional_encoding", lambda **_: encoding(3, 4)[:, [0, 2, 1, 3]], {}),
]


@pytest.mark.parametrize(("cause", "path", "fault", "changes"), FAULTS, ids=[f"{one[0]} {one[1]}" for one in FAULTS])
def test_a_mistake_is_named(cause: str, path: str, fault: Fault | None, changes: dict[str, str]) -> None:
    trace = model(**changes)
    if fault is None:
        squares = trace[LAYER + "norm_1.variance"].array
        fault = lambda x, std: x / squares  # noqa: E731
    found = compared(trace, recalculated(trace, path, fault, np.float64))
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == (path, cause)


@pytest.mark.parametrize(
    ("cause", "fault"),
    [
        ("the weight is transposed", lambda x, w, b: x @ w.T + b),
        ("the weight is transposed and the bias is missing", lambda x, w, b: x @ w.T),
    ],
)
def test_a_square_weight_that_is_transposed_is_named(cause: str, fault: Fault) -> None:
    trace = wt.trace(
        wt.parse_scenario(
            "title: x\ntokens: [a, b]\nembeddings: {a: [1, 2, 1], b: [0, 1, 3]}\ndimensions: {d_k: 3, d_v: 3}\n"
            f"attention:\n  heads:\n    - {{w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3}, b_q: [1, 2, 3]}}\n"
        )
    )
    found = compared(trace, recalculated(trace, "attention.head.1.query", fault, np.float64))
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == ("attention.head.1.query", cause)


def test_a_product_with_the_transposed_values_is_named() -> None:
    trace = wt.trace(
        wt.parse_scenario(
            "title: x\ntokens: [a, b]\nembeddings: {a: [1, 2], b: [0, 1]}\ndimensions: {d_k: 2, d_v: 2}\n"
            f"attention:\n  heads:\n    - {{w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3}}}\n"
        )
    )
    path = "attention.head.1.output"
    found = compared(trace, recalculated(trace, path, lambda a, v: a @ v.T, np.float64))
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == (path, "multiplied by the transposed values")


def test_every_sentence_has_its_test() -> None:
    """What the variants of these models say is said in a test above, apart from roots of other widths."""
    tested = {cause for cause, *_ in FAULTS} | {
        "the weight is transposed",
        "the weight is transposed and the bias is missing",
        "multiplied by the transposed values",
        "queries and keys are swapped",
        "query and key are swapped",  # tests/checking/test_modern_variants.py
        "key and query are swapped",
    }
    said = set()
    for changes in ({}, {"scale": "5"}, {"variance": "sample"}, {"epsilon_in": "std"}, {"tokens": "[a, b, c, d]"}):
        trace = model(**changes)
        said |= {words for value in trace if value.operation is not None for words, _ in variants(value, trace)}
    kinds = ("divided by √", "the step is missing", "nothing was added", "multiplied by 2", "divided by √2")
    assert {words for words in said - tested if not words.startswith(kinds)} == {"the layout is tensor2tensor"}


@pytest.mark.parametrize("name", ["cooking", "fuchs", "tea-gpt", "not-on-your-life-teacher-forced"])
def test_every_variant_can_be_tried(name: str) -> None:
    """It gives a matrix, or says that the shapes do not fit."""
    trace = wt.trace(wt.load_scenario(name))
    tried = 0
    for value in trace:
        for words, instead in variants(value, trace) if value.operation is not None else ():
            try:
                with np.errstate(all="ignore"):
                    array = instead.array(lambda given: given.array)
            except ValueError:
                continue
            assert array.ndim == 2, (value.path, words)
            tried += 1
    assert tried > 100


def test_a_transposed_step_before_one_that_is_right_is_not_blamed() -> None:
    trace = model(tokens="[a, b, c, d]")
    path = HEAD + "weights"
    tensors = {path: trace[path].array, HEAD + "output": trace[HEAD + "output"].array}
    assert compared(trace, tensors).first is None
    found = compared(trace, {path: trace[path].array.T})
    assert found.first is not None
    assert found.first.cause == TRANSPOSED
