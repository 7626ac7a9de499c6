"""Numbers in the place of weights, at any point of an attention or layer, and unknown ones among them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import run

NAN = np.nan
START: dict[str, Any] = {"title": "t", "tokens": ["a", "b"]}
Q, K, V = [[1.0, 2.0], [0.5, -1.0]], [[2.0, 0.0], [1.0, 1.0]], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def traced(**keys: Any) -> wt.Trace:
    return wt.trace(wt.parse_scenario(json.dumps(START | keys)))


def attention(head: dict[str, Any], **keys: Any) -> dict[str, np.ndarray]:
    """The steps of the one head, and the attention's output."""
    trace = traced(attention={"heads": [head], **keys})
    return {value.path.removeprefix("attention.").removeprefix("head.1."): value.array for value in trace}


def softmax(x: np.ndarray) -> np.ndarray:
    powers = np.exp(x)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def test_given_scores() -> None:
    """Nothing before them is calculated, and without values nothing after the weights."""
    found = attention({"scores": [[4.0, 8.0], [0.0, 0.0]], "d_k": 16})
    np.testing.assert_allclose(found["scaled_scores"], [[1, 2], [0, 0]])
    assert list(found) == ["scores", "scaled_scores", "softmax.exp", "softmax.sum", "weights"]


def test_given_scores_with_the_d_k_of_the_dimensions() -> None:
    trace = traced(dimensions={"d_k": 4}, attention={"heads": [{"scores": [[4, 8], [2, 0]]}]})
    np.testing.assert_allclose(trace.only("scaled_scores").array, [[2, 4], [1, 0]])


def test_given_scores_without_a_d_k_are_refused_unless_they_are_not_scaled() -> None:
    with pytest.raises(wt.ScenarioError, match="d_k"):
        attention({"scores": [[4.0, 8.0], [0.0, 0.0]]})
    assert "scaled_scores" not in attention({"scores": [[4.0, 8.0], [0.0, 0.0]], "scale": "none"})


def test_a_given_output_of_an_attention() -> None:
    """Only the residual and the norm after it are calculated; in pre-LN also the norm before it."""
    for order, expected in (("post", ["residual_1", "norm_1"]), ("pre", ["norm_1", "residual_1", "final_norm"])):
        stack = {"norm_order": order, "layers": [{"attention": {"output": [[1, 0], [0, 1]]}}]}
        trace = traced(embeddings=[[1, 2], [3, 5]], encoder=stack)
        np.testing.assert_array_equal(trace["encoder.1.residual_1"].array, [[2, 2], [3, 6]])
        computed = [value.path.removeprefix("encoder.").removeprefix("1.") for value in trace if value.operation]
        assert list(dict.fromkeys(path.split(".")[0] for path in computed)) == expected


def test_a_given_output_of_a_feed_forward_part() -> None:
    stack = {"layers": [{"feed_forward": {"output": [[1, 0], [0, 1]]}}]}
    trace = traced(embeddings=[[1, 2], [3, 5]], encoder=stack)
    np.testing.assert_array_equal(trace["encoder.1.residual_2"].array, [[2, 2], [3, 6]])
    assert "encoder.1.feed_forward.hidden" not in trace


def test_what_depends_on_an_unknown_number_is_unknown() -> None:
    """Row b of the queries: its scores, weights and output, and nothing of row a."""
    trace = traced(attention={"heads": [{"q": [[1, 2], [None, 1]], "k": K, "v": V}]})
    unknown = [value.path.removeprefix("attention.head.1.") for value in trace if value.unknown]
    steps = ["query", "scores", "scaled_scores", "softmax.exp", "softmax.sum", "weights", "output"]
    assert unknown == steps
    for step in steps[1:]:
        array = trace[f"attention.head.1.{step}"].array
        assert np.isnan(array[1]).all()
        assert np.isfinite(array[0]).all()


@pytest.mark.parametrize("mask", ["causal", [[1, 0], [1, 1]]])
def test_a_hidden_score_is_minus_infinity_whether_known_or_not(mask: object) -> None:
    found = attention({"scores": [[3, None], [1, 2]], "d_k": 1}, mask=mask)
    np.testing.assert_array_equal(found["masked_scores"], [[3, -np.inf], [1, 2]])
    np.testing.assert_allclose(found["weights"], softmax(np.array([[3, -np.inf], [1, 2]])))


def test_a_finite_mask_value_does_not_make_an_unknown_score_known() -> None:
    found = attention({"scores": [[3, None], [1, 2]], "d_k": 1}, mask="causal", mask_value=-1e9)
    np.testing.assert_array_equal(np.isnan(found["weights"]), [[True, True], [False, False]])


@pytest.mark.parametrize("softmax", ["plain", "shifted"])
def test_an_unknown_score_with_either_softmax(softmax: str) -> None:
    trace = traced(softmax=softmax, attention={"heads": [{"scores": [[1, None], [1, 2]], "d_k": 1}]})
    np.testing.assert_array_equal(np.isnan(trace.only("weights").array), [[True, True], [False, False]])


def test_unknown_numbers_are_shown_as_such() -> None:
    scenario = json.dumps(START | {"attention": {"heads": [{"q": [[1, 2], [None, 1]], "k": K}]}})
    shown = run("run", "-", "--step", "weights", "--work", "all", stdin=scenario).stdout
    assert [line.split() for line in shown.splitlines() if line.startswith("    b ")] == [["b", "?", "?"]]
    assert "nan" not in shown
    steps = json.loads(run("export", "-", "-o", "-", "--format", "json", stdin=scenario).stdout)["steps"]
    values = {step["path"]: step["values"] for step in steps}
    assert values["attention.head.1.query"] == [[1.0, 2.0], [None, 1.0]]
    assert values["attention.head.1.weights"][1] == [None, None]


def test_padding_that_leaves_nothing_names_its_token() -> None:
    with pytest.raises(wt.ScenarioError, match="hides every column from '<pad>'"):
        traced(tokens=["<pad>", "b"], attention={"heads": [{"q": Q, "k": K}], "mask": ["causal", "padding"]})


@pytest.mark.parametrize("convention", ["row", "column"])
def test_words_of_an_untied_head_that_has_one_for_each_id(convention: str) -> None:
    """Of a large vocabulary a scenario names a few words; a column without a word is called by its id."""
    w = np.arange(10.0).reshape(2, 5) / 10
    keys = {
        "matrix_convention": convention,
        "vocabulary": {"a": 3, "b": 1},
        "embeddings": [[1, 0], [0, 1], [1, 1], [2, 0], [0, 2]],
        "output_head": {"w": (w if convention == "row" else w.T).tolist()},
    }
    trace = traced(**keys)
    assert trace["output_head.logits"].columns == ("0", "b", "2", "a", "4")
    np.testing.assert_allclose(trace["output_head.logits"].array, np.array([[2, 0], [0, 1]]) @ w)
    np.testing.assert_array_equal(trace["output_head.prediction"].array[:, 0], [4, 4])
    with pytest.raises(wt.ScenarioError, match="no word for 3 ids of the embedding table: '0', '2', '4'"):
        traced(**keys, generate={"max_tokens": 2})
