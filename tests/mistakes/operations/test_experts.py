"""Mistakes in mixtures of experts, caps, YaRN and relative bias are named: the numbers are plain numpy's."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.comparing.test_compare import compared, recalculated

EXPERTS = """
title: x
tokens: [a, b, c, d]
embeddings: {a: [1, 0.5, -1], b: [0.3, 2, 1], c: [-1, 0.2, 0.7], d: [0.4, -0.6, 1.5]}
encoder:
  layers:
    - feed_forward:
        activation: none
        router: {top_k: 2, w: [[1, 0.2, 0, 0.5], [0, 1, 0.4, -0.3], [0.3, 0, 1, 0.8]], NORMALIZE}
        experts:
          - {w_1: [[1, 2], [0, 1], [1, 1]], w_2: [[1, 0, 1], [0, 1, 2]]}
          - {w_1: [[0, 1], [1, 1], [2, 1]], w_2: [[1, 1, 1], [0, 1, 0]]}
          - {w_1: [[1, 1], [3, 1], [1, 0]], w_2: [[2, 0, 1], [1, 1, 2]]}
          - {w_1: [[2, 2], [0, 0], [1, 1]], w_2: [[1, 3, 1], [0, 1, 1]]}
        SHARED
"""
PART = "encoder.1.feed_forward."


@cache
def mixture(normalize: bool = True, shared: bool = False) -> Any:
    extra = "shared: {w_1: [[1, 0], [0, 1], [1, 0]], w_2: [[1, 2, 0], [0, 1, 1]]}" if shared else ""
    text = EXPERTS.replace("NORMALIZE", f"normalize: {str(normalize).lower()}").replace("SHARED", extra)
    return wt.trace(wt.parse_scenario(text))


def cause(trace: Any, path: str, fault: Callable[..., Any], *hidden: str) -> str | None:
    """The cause of a fault in a step that is not handed in, where what follows it is."""
    given = recalculated(trace, path, fault, np.float64)
    return compared(trace, {name: array for name, array in given.items() if not name.endswith(hidden)}).cause


def largest(scores: np.ndarray, count: int) -> np.ndarray:
    order = np.argsort(-scores, axis=1)[:, :count]
    chosen = np.zeros(scores.shape)
    np.put_along_axis(chosen, order, 1.0, axis=1)
    return chosen


@pytest.mark.parametrize(
    ("step", "fault", "said"),
    [
        ("chosen", lambda scores, **_: largest(scores, 3), "one expert too many is chosen"),
        ("chosen", lambda scores, **_: largest(scores, 1), "one expert too few is chosen"),
        ("chosen", lambda scores, **_: largest(-scores, 2), "the experts with the smallest scores are chosen"),
        ("weights", lambda kept, total, **_: kept, "the weights of the chosen experts are not divided by their sum"),
    ],
)
def test_mistakes_of_a_router(step: str, fault: Callable[..., Any], said: str) -> None:
    trace = mixture()
    assert cause(trace, f"{PART}router.{step}", fault) == said
    hidden = (f"router.{step}", "kept", "sum")
    assert cause(trace, f"{PART}router.{step}", fault, *hidden) == f"{said} ({PART}router.{step})"


def test_a_softmax_after_the_choice_is_told_from_one_before_it() -> None:
    trace = mixture(normalize=False)
    kept = next(value.path for value in trace if value.path.endswith(("kept", "router.weights")))

    def after(scores: np.ndarray, chosen: np.ndarray, **_: Any) -> np.ndarray:
        powers = np.exp(np.log(scores)) * chosen
        return powers / powers.sum(axis=1, keepdims=True)

    said = cause(trace, kept, after)
    assert said == "the softmax comes after the choice: the weights of the chosen experts add up to 1"


def test_a_sigmoid_is_told_from_a_softmax_over_the_experts() -> None:
    trace = mixture()
    weights = trace[f"{PART}router.logits"].array

    def by_itself(scores: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        return chosen / (1 + np.exp(-weights))

    said = "the scores are a sigmoid of each logit instead of a softmax over the experts"
    assert cause(trace, f"{PART}router.kept", by_itself) == said


def test_chosen_experts_that_all_weigh_the_same_are_told() -> None:
    trace = mixture()
    chosen = trace[f"{PART}router.chosen"].array

    def even(kept: np.ndarray, sums: np.ndarray, **_: float) -> np.ndarray:
        return chosen / chosen.sum(axis=1, keepdims=True)

    assert (
        cause(trace, f"{PART}router.weights", even)
        == "the chosen experts have the weight 0.5 each: the router's weights are missing"
    )


def test_mistakes_where_outputs_are_mixed() -> None:
    trace = mixture(shared=True)
    chosen = trace[PART + "router.chosen"].array

    def unweighted(weights: np.ndarray, *outputs: np.ndarray) -> np.ndarray:
        return sum(chosen[:, [at]] * one for at, one in enumerate(outputs[:-1])) + outputs[-1]  # type: ignore[no-any-return]

    def unshared(weights: np.ndarray, *outputs: np.ndarray) -> np.ndarray:
        return sum(weights[:, [at]] * one for at, one in enumerate(outputs[:-1]))  # type: ignore[return-value]

    assert cause(trace, PART + "output", unshared) == "the shared expert is left out"
    assert cause(trace, PART + "output", unweighted) == (
        "the outputs of the chosen experts are added up without their weights"
    )


def test_mistakes_of_a_cap() -> None:
    trace = wt.trace(wt.load_scenario("soft-cap"))
    path = next(value.path for value in trace if value.path.endswith("capped_scores"))
    cap = trace[path].settings["cap"]
    for fault, said in (
        (lambda x, **_: x, f"the cap of {cap:g} is missing"),
        (lambda x, **_: np.tanh(x / cap), f"the tanh is not multiplied by the cap of {cap:g}"),
        (lambda x, **_: cap * np.tanh(x), f"not divided by the cap of {cap:g} before the tanh"),
    ):
        assert cause(trace, path, fault) == said


def test_mistakes_of_a_relative_bias() -> None:
    trace = wt.trace(wt.load_scenario("relative-bias"))
    path = "attention.relative_bias.head.2"
    table = trace["attention.relative_bias.table"].array
    looked_up = table[trace["attention.relative_bias.bucket"].array.astype(int)]
    assert (looked_up[..., 1] == trace[path].array).all()
    said = cause(trace, path, lambda *_, **__: looked_up[..., 1].T) or ""
    assert said.startswith("transposed, or distances are counted from the key to the query")
    assert cause(trace, path, lambda *_, **__: looked_up[..., 0]) == "the bias is that of head 1"
    added = "attention.head.2.biased_scores"
    assert cause(trace, added, lambda scores, bias: scores - bias) == "the bias is subtracted instead of added"


def test_mistakes_of_yarn() -> None:
    text = (
        "title: x\ntokens: [a, b, c]\nembeddings: {a: [1, 2, 0, 1, 2, 1, 0, 1], b: [0, 1, 1, 2, 0, 1, 2, 1], "
        "c: [1, 1, 2, 0, 1, 1, 0, 2]}\nattention: {w_q: {init: normal, seed: 1}, "
        "w_k: {init: normal, seed: 2}, w_v: {init: normal, seed: 3}, num_heads: 1, rotary: {base: 100, "
        "scaling: {yarn: {factor: 4, original_max_position_embeddings: 16}}}}\n"
    )
    trace = wt.trace(wt.parse_scenario(text))
    path = next(value.path for value in trace if value.operation and value.operation.name == "yarn_frequencies")
    own = 100.0 ** -(np.arange(0, 8, 2) / 8)
    assert cause(trace, path, lambda **_: own[None]) == "the scaling of the positions is missing"
    assert cause(trace, path, lambda **_: own[None] / 4) == "all pairs turn slower, quick ones too"
