"""A softmax and its mask: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import walkthrough as wt
from tests.mistakes import modern
from tests.mistakes.classic import HEAD, Fault, lower, masked, softmax
from walkthrough.recording.trace import Trace

FAULTS: list[tuple[str, str, Fault, dict[str, str]]] = [
    ("the mask is missing", HEAD + "masked_scores", lambda x, m, **_: x, {}),
    ("the mask is inverted", HEAD + "masked_scores", lambda x, m, **_: masked(x, 1 - m), {}),
    ("the mask is transposed", HEAD + "masked_scores", lambda x, m, **_: masked(x, m.T), {}),
    ("the mask hides the diagonal too", HEAD + "masked_scores", lambda x, m, **_: masked(x, lower(m, -1)), {}),
    ("the mask shows one position too many", HEAD + "masked_scores", lambda x, m, **_: masked(x, lower(m, 1)), {}),
    ("2^x was used instead of e^x", HEAD + "softmax.exp", lambda x: 2.0**x, {}),
    ("softmax over the columns instead of the rows", HEAD + "softmax.sum", lambda x: x.sum(axis=0)[:, None], {}),
    ("softmax over the columns instead of the rows", HEAD + "weights", lambda x, _: x / x.sum(axis=0), {}),
    ("softmax over the whole matrix", HEAD + "weights", lambda x, _: x / x.sum(), {}),
    ("not divided by the row sum", HEAD + "weights", lambda x, _: x, {}),
    ("transposed", HEAD + "weights", lambda x, s: (x / s).T, {}),
    ("hidden scores are 0 instead of −∞", HEAD + "masked_scores", lambda x, m, **_: x * m, {}),
]
ELSEWHERE: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    (
        "the mask comes after the softmax",
        HEAD + "weights",
        lambda t: softmax(t[HEAD + "scaled_scores"].array) * np.tril(np.ones((3, 3))),
    )
]
MODERN: list[tuple[str, str, Fault]] = [
    ("the window is one token too wide", "masked_scores", lambda x, m, **_: modern.masked(x, 4)),
    ("the window is one token too narrow", "masked_scores", lambda x, m, **_: modern.masked(x, 2)),
    ("the window is missing", "masked_scores", lambda x, m, **_: modern.masked(x, 9)),
]


@pytest.mark.parametrize("mask", ["none", "padding"])
def test_a_causal_mask_too_many_is_named(mask: str) -> None:
    eye = np.eye(3).tolist()
    text = f"title: t\ntokens: [b, c, a, b]\nembeddings: {{a: {eye[0]}, b: {eye[1]}, c: {eye[2]}}}\npadding_token: a\n"
    weights = {name: np.random.default_rng(at).normal(size=(3, 3)).tolist() for at, name in enumerate(("w_q", "w_k"))}
    head = f"attention: {{mask: MASK, heads: [{{w_q: {weights['w_q']}, w_k: {weights['w_k']}, w_v: {eye}}}]}}\n"
    both = "[causal, padding]" if mask == "padding" else "causal"
    ours, theirs = (wt.trace(wt.parse_scenario(text + head.replace("MASK", one))) for one in (mask, both))
    found = wt.compare(ours, {"attention.head.1.output": theirs["attention.head.1.output"].array})
    assert found.faults[0].kind == "mask"
    assert (found.cause or "").startswith("there is a causal mask")


@pytest.mark.parametrize(
    ("said", "sink"),
    [
        ("the sink is missing: each row adds up to 1", None),
        ("the sink has the other sign", -2.0),
        ("the sink is divided by √d_k, as the scores are", 2 / 2**0.5),
    ],
)
def test_a_mistake_in_a_sink_is_named(said: str, sink: float | None) -> None:
    trace = wt.trace(wt.parse_scenario(wt.load_scenario("sink").source.text.replace("scale: none", "scale: sqrt_d_k")))
    powers = np.exp(trace["attention.head.1.scaled_scores"].array)
    total = powers.sum(axis=1, keepdims=True) + (0 if sink is None else np.exp(sink))
    assert wt.compare(trace, {"attention.head.1.weights": powers / total}).cause == said
