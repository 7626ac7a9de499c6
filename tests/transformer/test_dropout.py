"""Dropout: where it stands, what it does in training, and that it does nothing elsewhere."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt

IDENTITY = {"init": "identity"}
HEAD = {"w_q": IDENTITY, "w_k": IDENTITY, "w_v": IDENTITY}
SCENARIO: dict[str, Any] = {
    "title": "t",
    "tokens": ["a", "b", "c"],
    "vocabulary": ["a", "b", "c"],
    "embeddings": [[1.0, 0.5], [0.2, 1.0], [-1.0, 0.7]],
    "dimensions": {"d_k": 2, "d_v": 2, "d_ff": 3},
    "encoder": {
        "layers": [
            {
                "attention": {"heads": [HEAD, HEAD], "w_o": {"init": "normal", "std": 1}},
                "feed_forward": {"w_1": {"init": "normal", "std": 1}, "w_2": {"init": "normal", "std": 1}},
            }
        ]
    },
    "output_head": {"tied": True},
}
TRAINING = {"targets": ["b", "c", "a"]}
PLACES = {
    "dropout": "token_embedding",
    "encoder.1.attention.head.1.dropout": "encoder.1.attention.head.1.weights",
    "encoder.1.attention.head.2.dropout": "encoder.1.attention.head.2.weights",
    "encoder.1.dropout_1": "encoder.1.attention.output",
    "encoder.1.feed_forward.dropout": "encoder.1.feed_forward.activation",
    "encoder.1.dropout_2": "encoder.1.feed_forward.output",
}
"""Each dropout, and what it drops from."""


def traced(**keys: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps(SCENARIO | keys)))


def test_it_stands_where_the_paper_has_it_and_nowhere_else() -> None:
    trace = traced(dropout={"rate": 0.5}, training=TRAINING)
    masks = [value.path.removesuffix(".mask") for value in trace if value.path.endswith(".mask")]
    assert masks == list(PLACES)
    for place, source in PLACES.items():
        output = trace[f"{place}.output"]
        assert [given.path for given in output.inputs] == [source, f"{place}.mask"]
        np.testing.assert_array_equal(output.array, trace[source].array * trace[f"{place}.mask"].array / 0.5)


def test_what_follows_takes_what_is_left() -> None:
    trace = traced(dropout={"rate": 0.5}, training=TRAINING)
    used = {
        "dropout.output": "encoder.1.attention.head.1.query",
        "encoder.1.attention.head.2.dropout.output": "encoder.1.attention.head.2.output",
        "encoder.1.dropout_1.output": "encoder.1.residual_1",
        "encoder.1.feed_forward.dropout.output": "encoder.1.feed_forward.output",
        "encoder.1.dropout_2.output": "encoder.1.residual_2",
    }
    for output, user in used.items():
        assert output in [name for given in trace[user].inputs for name in (given.path, *given.also)]


def test_outside_of_training_and_at_rate_0_there_is_none() -> None:
    plain = traced()
    assert [value.path for value in traced(dropout={"rate": 0.5})] == [value.path for value in plain]
    trained = traced(dropout={"rate": 0}, training=TRAINING)
    assert not [value for value in trained if "dropout" in value.path]
    np.testing.assert_array_equal(trained["output_head.logits"].array, plain["output_head.logits"].array)


def test_masks_are_drawn_from_the_seed_anew_in_each_step() -> None:
    def masks(seed: int, steps: int, step: int) -> list[list[float]]:
        trace = traced(dropout={"rate": 0.4, "seed": seed}, training=TRAINING | {"steps": steps})
        prefix = f"train.{step}." if steps > 1 else ""
        return [trace[f"{prefix}{place}.mask"].array.tolist() for place in PLACES]

    assert masks(3, 1, 1) == masks(3, 1, 1) == masks(3, 2, 1)
    assert masks(3, 2, 2) == masks(4, 1, 1)  # step K: seed + K − 1
    assert masks(3, 1, 1) != masks(4, 1, 1)
    assert {number for mask in masks(3, 1, 1) for row in mask for number in row} == {0, 1}


def test_a_given_mask_is_taken_as_it_is() -> None:
    mask = [[1, 0], [0, 1], [1, 1]]
    trace = traced(dropout={"rate": 0.2, "masks": {"encoder.1.dropout_2": mask}}, training=TRAINING | {"steps": 2})
    for step in (1, 2):
        assert trace[f"train.{step}.encoder.1.dropout_2.mask"].array.tolist() == mask
    output = trace["train.2.encoder.1.dropout_2.output"]
    source = trace["train.2.encoder.1.feed_forward.output"].array
    np.testing.assert_allclose(output.array, source * np.array(mask) / 0.8, rtol=1e-15)


@pytest.mark.parametrize(
    ("place", "mask", "message", "help"),
    [
        (
            "encoder.1.dropout_3",
            [[1, 0]],
            "there is no dropout called 'encoder.1.dropout_3'",
            "did you mean 'encoder.1.dropout_2' or 'encoder.1.dropout_1' or 'encoder.1.feed_forward.dropout'?",
        ),
        ("dropout", [[1, 0]], "the mask of dropout is 1×2, expected 3×2", ""),
        ("dropout", [[1, 0.5]] * 3, "the mask of dropout has numbers other than 0 and 1", ""),
    ],
)
def test_a_mask_that_fits_nowhere(place: str, mask: list[list[float]], message: str, help: str) -> None:
    with pytest.raises(wt.ScenarioError) as caught:
        traced(dropout={"rate": 0.5, "masks": {place: mask}}, training=TRAINING)
    (problem,) = caught.value.problems
    assert problem[2:] == (message, f"dropout.masks.{place}", help)
    assert caught.value.text[problem.column - 1 :].startswith(json.dumps(mask))


def test_all_masks_that_fit_nowhere_are_said_at_once() -> None:
    masks = {"encoder.1.dropout_2": [[1, 0]], "nowhere": [[1, 0]], "dropout": [[1, 2]] * 3}
    with pytest.raises(wt.ScenarioError) as caught:
        traced(dropout={"rate": 0.5, "masks": masks}, training=TRAINING)
    assert len(caught.value.problems) == 3


def test_a_mask_made_by_a_rule_has_no_shape() -> None:
    with pytest.raises(wt.ScenarioError, match="expected a list of rows, or a tensor of a file"):
        traced(dropout={"rate": 0.5, "masks": {"dropout": {"init": "ones"}}}, training=TRAINING)
