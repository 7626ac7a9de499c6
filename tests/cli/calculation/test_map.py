"""The map of `steps`, and what a `run` of many tables begins with."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.program import invoke
from tests.views.samples import bundled_trace
from walkthrough.scenario.sources import bundled_scenarios

STEP = re.compile(r"^ \d+\. ", re.MULTILINE)


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A scenario of more than a thousand tables."""
    path = tmp_path_factory.mktemp("deep") / "very deep.yaml"
    head = {name: [[1], [0]] for name in ("w_q", "w_k", "w_v")}
    encoder = {"norm_order": "none", "residual": False, "layers": [{"attention": {"heads": [head, head]}}] * 40}
    scenario = {"title": "Forty layers", "tokens": ["a", "b"], "embeddings": [[1, 2], [2, 1]], "encoder": encoder}
    path.write_text(json.dumps(scenario))
    return str(path)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A training of more steps than are printed."""
    text = bundled_scenarios()["cooking-training"].read_text()
    path = tmp_path_factory.mktemp("long") / "long.yaml"
    path.write_text(text.replace("learning_rate: 0.1}", "learning_rate: 0.1, steps: 4}"))
    return str(path)


def test_the_map_has_every_step_with_its_number_title_and_shape() -> None:
    text = " ".join(invoke("steps", "chai").stdout.replace("│", " ").split())
    for number, value in enumerate(bundled_trace("chai"), 1):
        rows, columns = value.shape
        assert f"{number} {value.kind.title} {rows}×{columns}" in text, value.path
    assert " ═" not in text


def test_parts_that_repeat_are_one_line(deep: str) -> None:
    text = invoke("steps", deep).stdout
    assert "Map: 1,001 steps\n" in text
    assert "├─ Head 2: as Head 1, 14 to 25\n" in text
    assert "Layer 2 to Layer 40: as Layer 1, 27 to 1001\n" in text


def test_a_map_of_some_steps() -> None:
    text = invoke("steps", "chai", "--step", "head.1.scores", "--step", "norm_2").stdout
    assert text.startswith(
        "Map: 6 of 37 steps\n└─ Encoder · Layer 1: 9, 33 to 37\n"
        "   ├─ Attention · Head 1: 9 Scores 4×4\n"
        "   └─ Norm 2: 33 Mean 4×1, 34 Centered 4×4, 35 Variance 4×1,\n"
        "      36 Standard deviation 4×1, 37 Layer norm 4×4\n\n"
        " 9  encoder.1.attention.head.1.scores  4×4  Scores\n"
    )


def test_a_long_training_has_a_map(long: str) -> None:
    assert "├─ Training step 3 to Training step 4: as Training step 2, " in invoke("steps", long).stdout


def test_more_than_thirty_tables_have_the_map_before_them() -> None:
    text = invoke("run", "chai").stdout
    assert text.index("\nMap: 37 steps\n") < text.index("\nIn full precision") < text.index("\n 1. embeddings")
    assert "Map:" not in invoke("run", "chai", "--step", "attention").stdout
    assert "Map:" not in invoke("run", "help-me").stdout


def test_above_a_thousand_tables_the_map_is_all_unless_all_is_asked_for(deep: str) -> None:
    text = invoke("run", deep).stdout
    assert STEP.findall(text) == []
    assert "Layer 2 to Layer 40: as Layer 1" in text
    assert " ".join(text.split()).endswith(
        "1,001 tables: choose some by path or by words from it, print them all, or list the paths "
        f"walkthrough run '{deep}' --step encoder.1.attention.head.1 "
        f"walkthrough run '{deep}' --all walkthrough steps '{deep}'"
    )
    assert len(STEP.findall(invoke("run", deep, "--step", "encoder.2.head.1").stdout)) == 12
    assert len(STEP.findall(invoke("run", deep, "--all", "--work", "none").stdout)) == 1001


def test_the_export_of_many_tables_has_them_all(deep: str, tmp_path: Path) -> None:
    invoke("export", deep, "-o", str(tmp_path / "deep.json"))
    assert len(json.loads((tmp_path / "deep.json").read_text())["steps"]) == 1001


def test_all_prints_what_a_long_training_keeps_back(long: str) -> None:
    assert len(STEP.findall(invoke("run", long, "--work", "none").stdout)) == 1
    assert len(STEP.findall(invoke("run", long, "--all", "--work", "none").stdout)) > 150


def test_by_hand_the_drift_is_shown_where_it_is_asked_for() -> None:
    assert "Drift: " in invoke("run", "cooking", "--by-hand", "--drift").stdout
    without = invoke("run", "cooking", "--by-hand").stdout
    assert "Drift" not in without
    assert "By hand: each step is rounded" in without
