"""What is done to the scores before the softmax: which steps, in which order, against arithmetic of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.transformer.model.test_modern import X, drawn, refused, same, softmax, traced

W_Q, W_K, W_V = (np.array(drawn(6, 3)) for _ in "qkv")
HEADS = [{"w_q": W_Q.tolist(), "w_k": W_K.tolist(), "w_v": W_V.tolist()}]
SCALED = (X @ W_Q) @ (X @ W_K).T / np.sqrt(3)


def test_a_cap_comes_after_the_scaling() -> None:
    trace = traced(attention={"heads": HEADS, "score_cap": 2})
    same(trace["attention.head.1.capped_scores"].array, 2 * np.tanh(SCALED / 2))
    same(trace["attention.head.1.weights"].array, softmax(2 * np.tanh(SCALED / 2)))


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


def test_capped_logits_are_what_the_softmax_reads() -> None:
    w = np.array(drawn(6, 3))
    head = {"w": w.tolist(), "vocabulary": ["x", "y", "z"], "logit_cap": 1.5}
    trace = traced(output_head=head)
    same(trace["output_head.capped_logits"].array, 1.5 * np.tanh(X @ w / 1.5))
    same(trace["output_head.probabilities"].array, softmax(1.5 * np.tanh(X @ w / 1.5)))
