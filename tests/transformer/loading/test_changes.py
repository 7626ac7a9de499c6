"""Other given numbers: where they may stand, that they change everywhere, and what is said where they may not."""

from __future__ import annotations

import numpy as np
import pytest

import walkthrough as wt
from walkthrough.transformer.loading.changes import ChangeError, change_scenario, read_change

TIED = """
title: Tied
vocabulary: {a: 0, b: 1, "</s>": 2}
tokens: [a]
embeddings: [[1, 0], [0, 1], [1, 1]]
positional_encoding: [[0.5, 0], [0, 0.5]]
decoder:
  layers:
    - attention:
        {num_heads: 2, w_q: [[1, 2], [3, 4]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]], w_o: [[1, 0], [0, 1]]}
      feed_forward: {w_1: [[1, 0], [0, 1]], w_2: [[1, 0], [0, 1]]}
output_head: {tied: true}
generate: {max_tokens: 2, end_token: "</s>"}
"""
MADE = """
title: Made
tokens: [a, b]
embeddings: {init: normal, std: 1, seed: 3}
dimensions: {d_model: 2}
attention:
  mask: causal
  heads: [{w_q: [[1, 0], [0, 1]], w_k: [[1, 0], [0, 1]], w_v: [[1, 0], [0, 1]]}]
rounding: {decimals: 2}
"""
STEPS = """
title: Two steps
vocabulary: {a: 0, b: 1}
tokens: [a]
embeddings: [[1, 0], [0, 1]]
output_head: {w: [[1, 2], [3, 4]], b: [0, 1]}
training: {targets: [b], learning_rate: 0.5, steps: 2, update: [output_head.w]}
"""


def scenario_of(text: str) -> wt.Scenario:
    return wt.parse_scenario(text)


def test_a_number_changes_what_follows_and_nothing_in_the_scenario() -> None:
    scenario = wt.load_scenario("chai")
    first, other = wt.trace(scenario), wt.trace(scenario, changes={"embeddings[chai, 1]": 2.0})
    assert other["token_embedding"].array[1, 0] == 2.0
    assert not np.array_equal(other["encoder.output"].array, first["encoder.output"].array)
    assert np.array_equal(wt.trace(scenario)["encoder.output"].array, first["encoder.output"].array)
    assert other.changed == ("embeddings[chai, 1]=2",)


def test_it_is_the_trace_of_the_file_with_that_number() -> None:
    edited = wt.trace(scenario_of(TIED.replace("[0, 1], [1, 1]", "[0, 9], [1, 1]", 1)))
    other = wt.trace(scenario_of(TIED), changes={"embeddings[b, 2]": 9})
    assert all(np.array_equal(value.array, other[value.path].array) for value in edited)


def test_a_matrix_of_several_places_changes_in_all_of_them() -> None:
    other = wt.trace(scenario_of(TIED), changes={"embeddings[a, 1]": 5})
    assert other["generate.2.token_embedding"].array[0, 0] == 5
    logits = other["output_head.logits"]
    assert np.array_equal(logits.array, other["decoder.output"].array @ other["embeddings"].array.T)


def test_a_head_s_part_of_a_joined_matrix_is_that_part() -> None:
    other = wt.trace(scenario_of(TIED), changes={"head.2.w_q[1, 1]": 7})
    assert other["decoder.1.self_attention.head.2.w_q"].array.tolist() == [[7], [4]]
    assert other["decoder.1.self_attention.head.1.w_q"].array.tolist() == [[1], [3]]
    x = other["input"].array
    assert np.array_equal(other["decoder.1.self_attention.head.2.query"].array, x @ [[7], [4]])


def test_a_table_that_a_longer_sequence_takes_whole_changes_with_its_rows() -> None:
    other = wt.trace(scenario_of(TIED), changes={"position_table[1, 2]": 8})
    assert other["generate.2.positional_encoding"].array[1, 1] == 8


def test_an_alias_names_the_cell_too() -> None:
    scenario = scenario_of(STEPS)
    other = wt.trace(scenario, changes={"train.2.output_head.b[b]": 3})
    assert other["train.1.output_head.b"].array.tolist() == [[0, 3]]
    assert other.changed == ("train.1.output_head.b[1, b]=3",)


def test_of_several_steps_of_a_name_the_given_one_is_meant() -> None:
    scenario = wt.load_scenario("cooking-training")
    head = "encoder.1.attention.head.1.w_q"
    trace = wt.trace(scenario, changes={"w_q[1, 1]": 2})
    assert [value.path for value in trace.select("w_q")] == [head, f"gradient.{head}", f"update.{head}"]
    assert trace.changed == (f"{head}[1, 1]=2",)


def test_by_hand_a_number_set_is_used_as_written() -> None:
    trace = wt.trace(scenario_of(MADE), arithmetic="by-hand", changes={"input[a, 1]": 0.12345})
    assert trace["input"].array[0, 0] == 0.12345
    others = trace["input"].array.ravel()[1:]
    assert np.array_equal(others, others.round(2))


@pytest.mark.parametrize(
    ("text", "cell", "message"),
    [
        (MADE, "mask[a, b]", "cannot be set: it decides"),
        (TIED, "token_ids[a]", "token_ids[a, 1] cannot be set: it decides what is calculated"),
        (
            MADE,
            "query[b, 2]",
            "not given; it is computed from token_embedding[b, 1] and 1 more of its cells, attention.head.1.w_q[1, 2]",
        ),
        (TIED, "output_head.logits[a, b]", "embeddings[a, 1] and 3 more of its cells"),
        (
            STEPS,
            "train.2.output_head.w[1, a]",
            "is calculated, not given; it is computed from train.1.output_head.w[1, a]",
        ),
        (MADE, "query[c, 2]", "has no row 'c'"),
        (MADE, "quary[b, 2]", "did you mean 'query'?"),
    ],
)
def test_what_cannot_be_set(text: str, cell: str, message: str) -> None:
    with pytest.raises((ChangeError, wt.SelectorError)) as caught:
        change_scenario(scenario_of(text), {cell: 1.0})
    assert message in str(caught.value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_only_finite_numbers(number: float) -> None:
    with pytest.raises(ChangeError, match="expected a finite number"):
        change_scenario(wt.load_scenario("chai"), {"embeddings[chai, 1]": number})


def test_two_numbers_for_one_cell_are_refused() -> None:
    with pytest.raises(ChangeError, match="set twice"):
        change_scenario(
            wt.load_scenario("chai"),
            [("embeddings[chai, 1]", 1.0), ("W_Q[1, 1]".lower(), 1), ("embeddings[chai,1]", 2)],
        )


def test_numbers_that_mend_a_calculation_are_found_too() -> None:
    overflowing = STEPS.replace("[3, 4]", "[3, 1.0e+300]").replace("embeddings: [[1, 0]", "embeddings: [[1, 1.0e+300]")
    with pytest.raises(wt.ScenarioError, match="not a finite number"):
        wt.trace(scenario_of(overflowing))
    mended = wt.trace(scenario_of(overflowing), changes={"train.1.embeddings[a, 2]": 0})
    assert np.isfinite(mended["train.2.loss.mean"].array).all()


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("scores[a, b]=−2.5", ("scores[a, b]", -2.5)),
        ("scores[a=b, c] = 1e-5", ("scores[a=b, c]", 1e-5)),
        ("w[1, 1]=.5", ("w[1, 1]", 0.5)),
        ("w[1, 1]=+3", ("w[1, 1]", 3.0)),
        ("w[1, 1]=0x1F", ("w[1, 1]", 31.0)),
    ],
)
def test_a_change_is_split_at_the_last_sign(text: str, read: tuple[str, float]) -> None:
    assert read_change(text) == read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scores[a, b]", "write CELL=NUMBER"),
        ("=3", "write CELL=NUMBER"),
        ("w[1]=", "expected a finite number, found nothing"),
        ("w[1]=two", "found text 'two'"),
        ("w[1]=1,5", "write the decimal point as '.': 1.5"),
        ("w[1]=.nan", "expected a finite number"),
        ("w[1]=-.inf", "expected a finite number"),
        ("w[1]=1e999", "expected a finite number"),
        ("w[1]=true", "found true"),
    ],
)
def test_what_is_no_change(text: str, message: str) -> None:
    with pytest.raises(ChangeError) as caught:
        read_change(text)
    assert message in str(caught.value)
