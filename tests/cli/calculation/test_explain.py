"""`walkthrough explain`: a tree in three formats, depth, exact numbers, and what names nothing."""

from __future__ import annotations

import json

import pytest

from tests.cli.program import invoke, run

CELL = "weights[chai, is]"


def test_the_tree() -> None:
    lines = invoke("explain", "chai", CELL).stdout.splitlines()
    assert lines[0].startswith("encoder.1.attention.head.1.weights[chai, is]")
    assert any(line.startswith("├─ ") for line in lines)
    assert "Used by:" in lines


def test_depth() -> None:
    sizes = [len(invoke("explain", "chai", CELL, "--depth", depth).stdout) for depth in ("0", "1", "3", "all")]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 4


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


def test_markdown() -> None:
    assert invoke("explain", "chai", CELL, "--format", "markdown").stdout.startswith("# encoder")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("weigths[chai, is]", "did you mean 'weights'?"),
        ("weights[tea, is]", "has no row 'tea'"),
        ("weights[chai, tea]", "has no column 'tea'"),
        ("weights", "is not a cell"),
    ],
)
def test_cells_that_do_not_exist(cell: str, message: str) -> None:
    done = run("explain", "chai", cell)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("depth", ["some", "²", "-1", "9" * 5000])
def test_a_depth_is_a_number_or_all(depth: str) -> None:
    refused = invoke("explain", "chai", CELL, f"--depth={depth}")
    assert refused.exit_code == 2
    assert "give a whole number, or all" in refused.output
