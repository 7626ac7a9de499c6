"""What matrices say of sizes: who is believed, and what is said of the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

import walkthrough as wt
from walkthrough.scenario.yaml.problems import ScenarioError

X = {"a": [1, 0, 0, 0], "b": [0, 1, 0, 0]}


def matrix(rows: int, columns: int) -> list[list[int]]:
    return [[1] * columns for _ in range(rows)]


def parsed(**keys: Any) -> Any:
    return wt.parse_scenario(json.dumps({"title": "t", "tokens": ["a", "b"], "embeddings": X} | keys))


def said(**keys: Any) -> list[tuple[str, str]]:
    """The message of each problem, and its help."""
    with pytest.raises(ScenarioError) as caught:
        parsed(**keys)
    return [(problem.message, str(problem.help)) for problem in caught.value.problems]


def fed(**part: Any) -> dict[str, Any]:
    return {"layers": [{"feed_forward": part}]}


def test_where_three_agree_the_one_that_does_not_is_named() -> None:
    part = {"w_gate": matrix(4, 3), "w_1": matrix(4, 2), "b_1": [0, 0], "w_2": matrix(2, 4)}
    assert said(encoder=fed(**part)) == [
        ("w_gate is 4×3, expected d_model×d_ff = 4×2", "w_1, b_1 and w_2 say d_ff = 2"),
    ]
    ((_, help),) = said(encoder=fed(**part | {"w_gate": matrix(2, 4)}))
    assert help.endswith("say d_ff = 2; its transpose would fit")


def test_of_two_the_first_is_believed_and_both_are_named() -> None:
    assert said(encoder=fed(w_1=matrix(4, 2), w_2=matrix(3, 4))) == [
        ("w_2 is 3×4, expected d_ff×d_model = 2×4", "w_1 says d_ff = 2")
    ]


def test_a_bias_of_another_length() -> None:
    assert said(encoder=fed(w_1=matrix(4, 2), w_2=matrix(2, 4), b_2=[0, 0, 0])) == [
        ("b_2 has 3 numbers, expected d_model = 4", "embeddings, w_1 and w_2 say d_model = 4")
    ]


def test_dimensions_are_one_voice_among_others() -> None:
    part = fed(w_1=matrix(4, 2), b_1=[0, 0], w_2=matrix(2, 4))
    assert said(encoder=part, dimensions={"d_ff": 3}) == [
        ("d_ff is 3, expected 2: w_1, b_1 and w_2 say d_ff = 2", ""),
    ]


def test_joined_heads_and_shared_ones_say_each_other_s_width() -> None:
    joined = {"num_heads": 4, "num_kv_heads": 2, "w_q": matrix(4, 8), "w_k": matrix(4, 4), "w_v": matrix(4, 4)}
    assert said(attention={**joined, "w_k": matrix(4, 6)}) == [
        ("w_k is 4×6, expected d_model×(kv_heads·d_k) = 4×4", "w_q says (kv_heads·d_k) = 4")
    ]


def test_a_residual_of_another_width_is_told_once() -> None:
    [(message, help)] = said(encoder=fed(w_1=matrix(4, 2), w_2=matrix(2, 3), b_2=[0, 0, 0]))
    assert message == "the residual adds an output of width 3 to an input of width 4: they must be equal"
    assert help == "give a w_2 that is d_ff×d_model = 2×4, or set residual: false"


def test_a_weight_behind_which_a_residual_stands_is_as_wide_as_its_input() -> None:
    assert said(encoder=fed(w_1=matrix(4, 2), w_2=matrix(1, 3))) == [
        ("w_2 is 1×3, expected d_ff×d_model = 2×4", "w_1 says d_ff = 2")
    ]


def test_wrong_embeddings_are_blamed_and_not_the_weights_that_read_them() -> None:
    part = fed(w_1=matrix(5, 2), w_2=matrix(2, 5))
    part["layers"][0]["norm_2"] = {"gamma": [1] * 5}
    assert [message for message, _ in said(encoder=part)] == [
        "the vectors of embeddings have 4 numbers, expected d_model = 5"
    ]


def test_a_size_that_no_part_has_is_named() -> None:
    found = parsed(attention={"heads": [{"w_q": matrix(4, 2), "w_k": matrix(4, 2)}]}, dimensions={"d_k": 2, "d_ff": 8})
    assert [warning.message for warning in found.warnings] == [
        "d_ff has no effect: no part of the model has this width"
    ]


def test_a_mask_value_and_mask_first_need_a_mask() -> None:
    heads = [{"w_q": matrix(4, 2), "w_k": matrix(4, 2)}]
    found = parsed(attention={"heads": heads, "mask_value": -5, "mask_first": True})
    assert [warning.message for warning in found.warnings] == [
        "mask_value has no effect: nothing is masked",
        "mask_first has no effect: nothing is masked",
    ]


def test_only_a_table_can_be_tied() -> None:
    [(message, _)] = said(embeddings=matrix(2, 4), output_head={"vocabulary": ["a", "b"]})
    assert message == "w is missing: d_model×vocabulary"
    [(message, _)] = said(output_head={"vocabulary": ["a", "b"]})
    assert message == "w is missing: d_model×vocabulary, or tied: true"
