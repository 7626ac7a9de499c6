"""A weight that nobody printed is null, whole: what stands before it is computed, what it makes is given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.transformer.model.test_given import traced

WEIGHTS = {name: [[1, 0], [0, 1]] for name in ("w_q", "w_k", "w_v")}
X = np.array([[1.0, 2.0], [3.0, 5.0]])
OUTPUT = [[0.5, 0.25], [1.0, 0.0]]


def layer(**parts: Any) -> wt.Trace:
    return traced(embeddings=X.tolist(), encoder={"norm_order": "none", "layers": [parts]})


def test_before_a_contraction_that_nobody_printed() -> None:
    trace = layer(feed_forward={"w_1": [[1, -1], [2, 0]], "b_1": [0, 1], "w_2": None, "output": OUTPUT})
    np.testing.assert_array_equal(trace["encoder.1.feed_forward.hidden"].array, [[5, 0], [13, -2]])
    np.testing.assert_array_equal(trace["encoder.1.feed_forward.activation"].array, [[5, 0], [13, 0]])
    np.testing.assert_array_equal(trace["encoder.1.residual_2"].array, X + OUTPUT)
    assert "encoder.1.feed_forward.w_2" not in trace


@pytest.mark.parametrize("heads", [{"heads": [WEIGHTS, WEIGHTS]}, {"num_heads": 2, **WEIGHTS}, {"heads": [WEIGHTS]}])
def test_before_an_output_projection_that_nobody_printed(heads: dict[str, Any]) -> None:
    """The heads are computed as they are without it."""
    trace = layer(attention={**heads, "w_o": None, "output": OUTPUT})
    np.testing.assert_array_equal(trace["encoder.1.residual_1"].array, X + OUTPUT)
    printed = np.eye(4 if len(heads.get("heads", ())) == 2 else 2)[:, :2].tolist()
    whole = layer(attention={**heads, "w_o": printed})
    inside = [value.path for value in whole if ".head." in value.path or value.path.endswith("concat")]
    assert inside
    for path in inside:
        np.testing.assert_array_equal(trace[path].array, whole[path].array)


def test_a_head_with_keys_that_were_printed_in_the_place_of_their_weights() -> None:
    trace = traced(embeddings=X.tolist(), attention={"heads": [{**WEIGHTS, "w_k": None, "k": [[1, 1], [0, 2]]}]})
    np.testing.assert_array_equal(trace["attention.head.1.scores"].array, X @ np.array([[1, 0], [1, 2]]))


def test_what_nobody_printed_is_not_trained_nor_is_what_stands_before_it() -> None:
    trace = traced(
        embeddings=X.tolist(),
        encoder={"layers": [{"feed_forward": {"w_1": [[1, -1], [2, 0]], "w_2": None, "output": OUTPUT}}]},
        output_head={"w": [[1, 0], [0, 1]], "vocabulary": ["x", "y"]},
        training={"targets": ["x", "y"]},
    )
    assert [path for path, _ in trace.items() if path.startswith("update.")] == ["update.output_head.w"]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"w_1": [[1, 0], [0, 1]], "w_2": None}, "w_2 is null, a weight that nobody printed: then what it makes"),
        ({"w_1": None, "w_2": [[1, 0], [0, 1]]}, "expected a list of rows, found nothing"),
        ({"w_1": [[1, 0], [0, 1]], "w_2": None, "output": [[1, 2]]}, "output is 1×2, expected n×d_model = 2×2"),
    ],
)
def test_a_null_without_what_it_makes_is_refused(part: dict[str, Any], said: str) -> None:
    with pytest.raises(wt.ScenarioError, match=said):
        layer(feed_forward=part)


def test_a_bias_beside_a_null_weight_has_no_effect_and_the_rest_has() -> None:
    text = """title: t
tokens: [a, b]
embeddings: [[1, 2], [3, 5]]
encoder:
  layers:
  - feed_forward: {w_1: [[1, 0], [0, 1]], b_1: [1, 1], w_2: null, b_2: [1, 2], output: [[1, 2], [3, 4]]}
"""
    assert [one.message for one in wt.parse_scenario(text).warnings] == [
        "b_2 has no effect: output already gives the numbers"
    ]
