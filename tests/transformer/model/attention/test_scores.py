"""What is done to the scores before the softmax: which steps, in which order, against arithmetic of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import D, X, drawn, refused, same, softmax, traced

W_Q, W_K, W_V = (np.array(drawn(6, 3)) for _ in "qkv")
HEADS = [{"w_q": W_Q.tolist(), "w_k": W_K.tolist(), "w_v": W_V.tolist()}]
SCALED = (X @ W_Q) @ (X @ W_K).T / np.sqrt(3)


def test_the_steps_stand_in_the_order_of_the_list() -> None:
    trace = traced(attention={"heads": HEADS, "score_cap": 2, "alibi": [0.5], "mask": "causal"})
    steps = [path for path, _ in trace.items() if path.endswith("scores")]
    assert [path.rpartition(".")[2] for path in steps] == [
        *("scores", "scaled_scores", "capped_scores", "biased_scores", "masked_scores"),
    ]
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    prepared = np.where(np.tril(np.ones((4, 4))) > 0, 2 * np.tanh(SCALED / 2) - 0.5 * distance, -np.inf)
    same(trace["attention.head.1.weights"].array, softmax(prepared))


@pytest.mark.parametrize("other", [{"score_cap": 5}, {"alibi": True}])
def test_a_mask_before_the_scaling_excludes_what_comes_between(other: dict[str, Any]) -> None:
    said = refused(attention={"heads": HEADS, "mask": "causal", "mask_first": True, **other})
    assert "mask_first cannot be combined with alibi or score_cap" in said


SINKS = [0.5, -1.2]
JOINED = {"num_heads": 2, **{f"w_{letter}": drawn(D, 4) for letter in "qkv"}, "w_o": drawn(4, D), "sink": SINKS}
SINK_HEADS = [{f"w_{letter}": drawn(D, 2) for letter in "qkv"} | {"sink": sink} for sink in SINKS]


def test_the_steps_of_a_sink_stand_beside_those_of_the_scores() -> None:
    trace = traced(attention={"heads": SINK_HEADS})
    for head, sink in enumerate(SINKS, 1):
        part = f"attention.head.{head}."
        assert trace[f"{part}sink"].shape == (1, 1)
        same(trace[f"{part}softmax.sink"].array, np.full((4, 1), np.exp(sink)))
        powers = trace[f"{part}softmax.exp"].array
        same(trace[f"{part}softmax.sum"].array, powers.sum(axis=1, keepdims=True) + np.exp(sink))
        assert (trace[f"{part}weights"].array.sum(axis=1) < 1).all()


def test_shifted_scores_are_shifted_by_the_sink_where_it_is_largest() -> None:
    trace = traced(attention={"heads": [{**SINK_HEADS[0], "sink": 1000}]})
    same(trace["attention.head.1.softmax.sink"].array, np.ones((4, 1)))
    same(trace["attention.head.1.weights"].array, np.zeros((4, 4)))


def test_a_sink_in_cross_attention() -> None:
    layer = {"cross_attention": JOINED}
    trace = traced(
        encoder={"output": drawn(4, D)}, decoder={"norm_order": "none", "tokens": ["x"], "embeddings": drawn(1, D),
                                                  "layers": [layer]}
    )  # fmt: skip
    assert trace["decoder.1.cross_attention.head.2.softmax.sink"].shape == (1, 1)


@pytest.mark.parametrize("count", [1, 3, 4])
def test_there_is_a_sink_for_each_head(count: int) -> None:
    said = refused(attention={**JOINED, "sink": [0.5] * count})
    assert f"sink has {count} number" in said
    assert "expected heads = 2" in said


@pytest.mark.parametrize("scale", [{"sqrt": 0}, {"sqrt": -1}, {"root": 3}, "sqrt"])
def test_a_scale_without_a_root_is_an_error(scale: Any) -> None:
    assert "scale" in refused(attention={"heads": SINK_HEADS, "scale": scale})
