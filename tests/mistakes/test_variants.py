"""Every usual mistake: calculated here by plain numpy, and named by the comparison."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated
from walkthrough.mistakes.search import usual_mistakes
from walkthrough.recording.trace import Trace

Fault = Callable[..., Any]
ADDED = "added instead of multiplied"

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


def encoding(x: int, width: int, first: int = 0, turn: float = 1.0, base: int = 10000) -> np.ndarray:
    angles = np.array([[turn * (first + at) / base ** (2 * (i // 2) / width) for i in range(width)] for at in range(x)])
    return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


def lower(m: np.ndarray, diagonal: int) -> np.ndarray:
    return np.array([[float(j <= i + diagonal) for j in range(m.shape[1])] for i in range(m.shape[0])])


def gelu(x: np.ndarray) -> np.ndarray:
    return np.asarray(x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2)


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
        "quick_gelu (x·σ(1.702·x)) was used",
        LAYER + "feed_forward.activation",
        lambda x: x / (1 + np.exp(-1.702 * x)),
        {},
    ),
    ("squared relu was used", LAYER + "feed_forward.activation", lambda x: np.maximum(x, 0) ** 2, {}),
    ("it is activated twice", LAYER + "feed_forward.activation", lambda x: gelu(gelu(x)), {}),
    ("input is added twice", LAYER + "residual_1", lambda x, y: 2 * x + y, {}),
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
    ("the ids are counted from 1", "token_embedding", lambda table, **_: table[1:4], {"tokens": "[a, b, c]"}),
    *(
        (f"the base is {base}", "positional_encoding", lambda theirs=base, **_: encoding(3, 4, base=theirs), {})
        for base in (100, 1000, 100000, 500000, 1000000)
    ),
    ("the mean is not subtracted: it is an RMS norm", LAYER + "norm_1.centered", lambda x, m: x, {}),
    ("hidden scores are 0 instead of −∞", HEAD + "masked_scores", lambda x, m, **_: x * m, {}),
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


def normed(x: np.ndarray, axis: int = 1) -> np.ndarray:
    centered = x - x.mean(axis=axis, keepdims=True)
    return np.asarray(centered / np.sqrt((centered**2).mean(axis=axis, keepdims=True) + 0.01))


def norm_1(x: np.ndarray, trace: Trace, axis: int = 1) -> np.ndarray:
    return np.asarray(normed(x, axis) * trace[LAYER + "norm_1.gamma"].array + trace[LAYER + "norm_1.beta"].array)


def softmax(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(x) / np.exp(x).sum(axis=1, keepdims=True))


ELSEWHERE: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    ("the norm is missing", LAYER + "norm_1.output", lambda t: t["input"].array),
    (
        "normalized over the columns instead of the rows",
        LAYER + "norm_1.output",
        lambda t: norm_1(t["input"].array, t, axis=0),
    ),
    (
        "the mask comes after the softmax",
        HEAD + "weights",
        lambda t: softmax(t[HEAD + "scaled_scores"].array) * np.tril(np.ones((3, 3))),
    ),
    (
        "the residual is added after the norm",
        LAYER + "norm_2.output",
        lambda t: t["input"].array + normed(t[LAYER + "attention.output"].array) * t[LAYER + "norm_2.gamma"].array,
    ),
    (
        "computed from encoder.1.norm_1.output instead of input",
        LAYER + "residual_1",
        lambda t: t[LAYER + "norm_1.output"].array + t[LAYER + "attention.output"].array,
    ),
    (
        "the norm is missing: computed from input instead of encoder.1.norm_1.output",
        HEAD + "query",
        lambda t: t["input"].array @ t[HEAD + "w_q"].array + t[HEAD + "b_q"].array,
    ),
    (
        "computed with the table of embeddings (tied)",
        "output_head.logits",
        lambda t: t["encoder.output"].array @ t["embeddings"].array.T,
    ),
    (
        "the norm comes after the residual (post-LN) instead of before the part (pre-LN)",
        LAYER + "norm_1.output",
        lambda t: norm_1(t["input"].array + attended(t["input"].array, t), t),
    ),
]


def attended(x: np.ndarray, t: Trace) -> np.ndarray:
    """The attention of the model, of any input."""
    query = x @ t[HEAD + "w_q"].array + t[HEAD + "b_q"].array
    scores = query @ (x @ t[HEAD + "w_k"].array).T / math.sqrt(3)
    weights = softmax(masked(scores, lower(scores, 0)))
    return np.asarray(weights @ (x @ t[HEAD + "w_v"].array) @ t[LAYER + "attention.w_o"].array)


@pytest.mark.parametrize(("cause", "path", "numbers"), ELSEWHERE, ids=[f"{one[0]} {one[1]}" for one in ELSEWHERE])
def test_a_mistake_that_takes_other_steps_is_named(cause: str, path: str, numbers: Callable[[Trace], Any]) -> None:
    trace = model(tokens="[a, b, c]")
    before = {value.path: value.array for value in trace if value.operation is not None}
    given = dict(list(before.items())[: list(before).index(path)])
    if path.endswith("norm_2.output"):
        del given[LAYER + "residual_1"]  # they have none
    found = compared(trace, {**given, path: numbers(trace)})
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == (path, cause)


def in_heads() -> Trace:
    """Two heads, and a slope for each; nothing hidden."""
    return wt.trace(
        wt.parse_scenario(
            "title: t\ntokens: [a, b, c]\nembeddings: {a: [1, 0.5, -1, 2], b: [0.3, 1, 0.2, -1], c: [0.4, 1, 2, 0.1]}\n"
            f"attention: {{num_heads: 2, w_q: {NORMAL % 1}, w_k: {NORMAL % 2}, w_v: {NORMAL % 3}, alibi: true}}\n"
        )
    )


def joined(t: Trace, name: str) -> np.ndarray:
    return np.hstack([t[f"attention.head.{head}.{name}"].array for head in (1, 2)])


VIEWED = "heads are cut out of the joined matrix without moving their axis (view, but no transpose)"
IN_TURN = "heads take every so many columns instead of neighbouring ones"
OF_HEADS: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    (VIEWED, "query", lambda t: joined(t, "query").reshape(2, 3, 2)),
    (IN_TURN, "query", lambda t: joined(t, "query").reshape(3, 2, 2).transpose(2, 0, 1)),
    (
        VIEWED,
        "scores",
        lambda t: joined(t, "query").reshape(2, 3, 2) @ joined(t, "key").reshape(2, 3, 2).transpose(0, 2, 1),
    ),
    (VIEWED, "output", lambda t: stacked(t, "weights") @ joined(t, "value").reshape(2, 3, 2)),
    ("the slopes are in reverse order", "biased_scores", lambda t: reversed_slopes(t)),
    (
        "softmax over the heads instead of the rows",
        "weights",
        lambda t: np.exp(stacked(t, "biased_scores")) / np.exp(stacked(t, "biased_scores")).sum(axis=0),
    ),
]


def stacked(t: Trace, name: str) -> np.ndarray:
    return np.stack([t[f"attention.head.{head}.{name}"].array for head in (1, 2)])


def reversed_slopes(t: Trace) -> np.ndarray:
    far = abs(np.subtract.outer(np.arange(3), np.arange(3)))
    return np.asarray(stacked(t, "scaled_scores") - np.array([2**-8, 2**-4])[:, None, None] * far)


@pytest.mark.parametrize(("cause", "name", "numbers"), OF_HEADS, ids=[f"{one[0]} {one[1]}" for one in OF_HEADS])
def test_a_mistake_between_heads_is_named(cause: str, name: str, numbers: Callable[[Trace], Any]) -> None:
    trace = in_heads()
    found = compared(trace, {name: numbers(trace)}, {name: f"attention.head.*.{name}"})
    assert found.first is not None
    assert (found.first.value.path, found.first.cause) == (f"attention.head.1.{name}", cause)


@pytest.mark.parametrize(
    ("cause", "join"),
    [
        ("heads are joined without moving their axis back (reshape, but no transpose)", lambda x: x.reshape(3, 4)),
        (
            "heads are joined feature by feature instead of one after the other",
            lambda x: x.transpose(1, 2, 0).reshape(3, 4),
        ),
        ("heads are joined in reverse order", lambda x: np.hstack(x[::-1])),
    ],
)
def test_heads_joined_otherwise_are_named(cause: str, join: Callable[[np.ndarray], np.ndarray]) -> None:
    trace = in_heads()
    found = compared(trace, {"attention.concat": join(stacked(trace, "output"))})
    assert found.cause == cause


def test_dropout_that_is_on_is_named() -> None:
    trace = model()
    path = LAYER + "feed_forward.output"
    kept = np.random.default_rng(2).random((3, 4)) > 0.3
    found = compared(trace, {path: trace[path].array * kept / 0.8})
    assert found.cause == "dropout is on: some numbers are 0, the others 1.25 times too large (p = 0.2)"


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
    tested = {cause for cause, *_ in (*FAULTS, *ELSEWHERE, *OF_HEADS)} | {
        "the weight is transposed",
        "the weight is transposed and the bias is missing",
        "multiplied by the transposed values",
        "queries and keys are swapped",
        "query and key are swapped",  # tests/mistakes/test_modern.py
        "key and query are swapped",
    }
    said = set()
    for changes in ({}, {"scale": "5"}, {"variance": "sample"}, {"epsilon_in": "std"}, {"tokens": "[a, b, c, d]"}):
        trace = model(**changes)
        said |= {
            str(made) for value in trace if value.operation is not None for made, _ in usual_mistakes(value, trace)
        }
    kinds = (
        "computed from",
        "the norm is missing: computed",
        "the norm comes before",
        "divided by √",
        "the step is missing",
        "nothing was added",
        "multiplied by 2",
        "divided by √2",
    )
    said = {words for words in said if not words.endswith(" is added twice")}
    assert {words for words in said - tested if not words.startswith(kinds)} == {"the layout is tensor2tensor"}


@pytest.mark.parametrize("name", ["cooking", "fuchs", "tea-gpt", "not-on-your-life-teacher-forced"])
def test_every_variant_can_be_tried(name: str) -> None:
    """It gives a matrix, or says that the shapes do not fit."""
    trace = wt.trace(wt.load_scenario(name))
    tried = 0
    for value in trace:
        for words, instead in usual_mistakes(value, trace) if value.operation is not None else ():
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
    assert found.first.cause == "transposed"
