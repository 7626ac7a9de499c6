"""What several heads have to do with each other: each usual mistake is made by plain numpy, and named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared
from tests.mistakes.classic import NORMAL
from walkthrough.recording.trace import Trace


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
BY_HEAD = "query, key and value are cut out head by head (heads, 3, d) instead of all queries first"
OF_HEADS: list[tuple[str, str, Callable[[Trace], np.ndarray]]] = [
    (VIEWED, "query", lambda t: joined(t, "query").reshape(2, 3, 2)),
    (IN_TURN, "query", lambda t: joined(t, "query").reshape(3, 2, 2).transpose(2, 0, 1)),
    (
        VIEWED,
        "scores",
        lambda t: joined(t, "query").reshape(2, 3, 2) @ joined(t, "key").reshape(2, 3, 2).transpose(0, 2, 1),
    ),
    (VIEWED, "output", lambda t: stacked(t, "weights") @ joined(t, "value").reshape(2, 3, 2)),
    (BY_HEAD, "scores", lambda t: by_head(t)[0] @ by_head(t)[1].transpose(0, 2, 1)),
    (BY_HEAD, "output", lambda t: stacked(t, "weights") @ by_head(t)[2]),
    ("the slopes are in reverse order", "biased_scores", lambda t: reversed_slopes(t)),
    (
        "softmax over the heads instead of the rows",
        "weights",
        lambda t: np.exp(stacked(t, "biased_scores")) / np.exp(stacked(t, "biased_scores")).sum(axis=0),
    ),
]


def by_head(t: Trace) -> np.ndarray:
    """Queries, keys and values, all heads of each."""
    fused = np.hstack([joined(t, name) for name in ("query", "key", "value")])
    return np.asarray(fused.reshape(3, 2, 3, 2).transpose(2, 1, 0, 3))


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


def test_the_gradient_of_shared_keys_and_values_is_no_matrix_of_all_heads() -> None:
    w = (f"w_{name}: {NORMAL % seed}" for seed, name in enumerate("qkvo", 1))
    trace = wt.trace(
        wt.parse_scenario(
            "title: t\ntokens: [a, b, c]\nvocabulary: [a, b, c]\n"
            "embeddings: [[1, 0.5, -1, 2], [0.3, 1, 0.2, -1], [0.4, 1, 2, 0.1]]\n"
            f"decoder: {{layers: [{{self_attention: {{num_heads: 4, num_kv_heads: 2, {', '.join(w)}}}}}]}}\n"
            f"output_head: {{w: {NORMAL % 5}}}\ntraining: {{targets: [b, c, a]}}\n"
        )
    )
    path = "gradient.token_embedding.through.decoder.1.self_attention.head.3.query"
    wrong = trace[path].array + 0.1
    wrong[0] = 0
    found = compared(trace, {path: wrong})
    assert found.first is not None
    assert (found.first.value.path, found.cause) == (path, None)
