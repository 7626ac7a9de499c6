"""`walkthrough explain`: a tree in three formats, depth, exact numbers, and what names nothing."""

from __future__ import annotations

import json

import pytest

from tests.cli.program import invoke, refusal, run
from walkthrough.scenario.sources import bundled_scenarios

CELL = "weights[chai, is]"


def test_json_is_a_tree_and_stable() -> None:
    arguments = ["explain", "chai", CELL, "--format", "json", "--exact"]
    first = invoke(*arguments).stdout
    assert first == invoke(*arguments).stdout
    document = json.loads(first)
    assert document["path"] == "encoder.1.attention.head.1.weights"
    assert (document["row"], document["column"]) == ("chai", "is")
    assert document["value"] == pytest.approx(0.2025, abs=1e-4)
    assert {"op", "formula", "arithmetic", "result", "operands", "exact", "used_by", "more_users"} <= document.keys()
    assert all("value" in operand for operand in document["operands"])


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("weigths[chai, is]", "did you mean 'weights'?"),
        ("weights[tea, is]", "has no row 'tea'"),
        ("weights[chai, tea]", "has no column 'tea'"),
        ("weigths", "did you mean 'weights'?"),
    ],
)
def test_cells_that_do_not_exist(cell: str, message: str) -> None:
    assert message in refusal("explain", "chai", cell)


@pytest.mark.parametrize("depth", ["some", "²", "-1", "9" * 5000])
def test_a_depth_is_a_number_or_all(depth: str) -> None:
    refused = invoke("explain", "chai", CELL, f"--depth={depth}")
    assert refused.exit_code == 2
    assert "give a whole number, or all" in refused.output


def test_a_step_says_what_for_why_who_from_what_and_where_to() -> None:
    done = run("explain", "chai", "scaled_scores")
    assert (done.returncode, done.stderr) == (0, "")
    words = " ".join(done.stdout.split())
    parts = (
        "encoder.1.attention.head.1.scaled_scores",
        "Scaled scores. The scores scaled down",
        "Why: The dot product of d_k independent numbers",
        "Source: Vaswani et al. (2017), §3.2.1",
        "S' = S / √d_k 4×4",
        "Computed from: S: encoder.1.attention.head.1.scores 4×4",
        "Used by: encoder.1.attention.head.1.softmax.exp",
    )
    found = [words.find(part) for part in parts]
    assert -1 not in found
    assert found == sorted(found)


def test_a_step_as_json() -> None:
    done = run("explain", "cooking-multihead", "w_q", "--format", "json")
    document = json.loads(done.stdout)
    assert document["scenario"] == "cooking-multihead"
    (step,) = document["steps"]
    assert step["path"].endswith("head.1.w_q")
    assert [path.rpartition("head.")[2] for path in step["like"]] == ["2.w_q"]
    assert (step["why"], step["source"], step["op"], step["inputs"]) == (None, None, "given", [])
    assert step["users"] == [step["path"].replace("w_q", "query")]


def test_options_for_cells_have_no_effect_on_a_step() -> None:
    plain = run("explain", "chai", "query")
    done = run("explain", "chai", "query", "--depth", "2", "--exact", "--decimals", "5")
    assert (done.returncode, done.stdout) == (0, plain.stdout)
    assert done.stderr == "--depth, --exact and --decimals have no effect on a step, only on SELECTOR[row, column]\n"


def test_a_step_of_standard_input_and_of_changed_numbers() -> None:
    text = bundled_scenarios()["chai"].read_text(encoding="utf-8")
    assert run("explain", "-", "scaled_scores", stdin=text).stdout == run("explain", "chai", "scaled_scores").stdout
    changed = run("explain", "chai", "softmax", "--set", "embeddings[chai, 2]=90000")
    assert "softmax.shifted" in changed.stdout
    assert "softmax.shifted" not in run("explain", "chai", "softmax").stdout
