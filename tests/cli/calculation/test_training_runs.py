"""Training on the command line: a long run is one table, its steps are to be had, everything can be exported."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import walkthrough as wt
from tests.cli.program import invoke
from tests.examples import slow
from walkthrough.text import escape_text

SPECIALISE = wt.load_scenario("specialise").source.text


@pytest.fixture
def long(tmp_path: Path) -> Path:
    """A training of eight steps."""
    path = tmp_path / "long.yaml"
    path.write_text(SPECIALISE.replace("steps: 300", "steps: 8"), encoding="utf-8")
    return path


def headings(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines() if line.endswith("──")]


def test_the_command_that_shows_more_can_be_pasted_and_is_harmless(long: Path) -> None:
    target = long.rename(long.with_name("so \x1b[31m long.yaml"))
    (said,) = [line for line in invoke("run", str(target)).stdout.splitlines() if line.startswith("Single steps:")]
    shown = escape_text(str(target))
    assert said == f"Single steps: walkthrough run '{shown}' --step train.1, --step train.2.scores, --step gradient …"


def test_a_long_run_is_one_table_and_says_how_to_see_more(long: Path) -> None:
    result = invoke("run", str(long))
    assert result.exit_code == 0
    assert headings(result.stdout) == ["training"]
    assert f"walkthrough run {long} --step train.1" in result.stdout


def test_a_short_run_is_shown_whole(tmp_path: Path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text(SPECIALISE.replace("steps: 300", "steps: 2"), encoding="utf-8")
    result = invoke("run", str(path), "--work", "none")
    assert {"train.1.loss.mean", "train.2.gradient.output_head.w", "training"} <= set(headings(result.stdout))


def test_steps_of_a_long_run(long: Path) -> None:
    assert headings(invoke("run", str(long), "--step", "loss.mean").stdout) == [
        f"train.{step}.loss.mean" for step in range(1, 9)
    ]
    assert headings(invoke("run", str(long), "--step", "train.8.gradient.w_q").stdout) == [
        "train.8.gradient.attention.head.1.w_q"
    ]


def test_a_file_without_a_selection_holds_everything(long: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    assert invoke("export", str(long), "-o", str(target)).exit_code == 0
    with np.load(target) as arrays:
        paths = {path for path, _ in wt.trace(wt.load_scenario(long)).items()}
        assert set(arrays) == paths


def test_a_file_of_a_selection_holds_that(long: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.npz"
    assert invoke("export", str(long), "-o", str(target), "--step", "train.8.weights").exit_code == 0
    with np.load(target) as arrays:
        assert set(arrays) == {"train.8.attention.head.1.weights", "train.8.gradient.attention.head.1.weights"}


def test_a_long_table_shows_the_first_row_every_so_many_and_the_last(tmp_path: Path) -> None:
    path = tmp_path / "longer.yaml"
    path.write_text(SPECIALISE.replace("steps: 300", "steps: 60"), encoding="utf-8")
    result = invoke("run", str(path))
    rows = [line.split()[0] for line in result.stdout.splitlines() if line.strip()[:1].isdigit() and "." in line[8:]]
    assert [row for row in rows if row.isdigit()] == ["1", *map(str, range(5, 61, 5))]
    assert "47 rows not shown" in result.stdout


def test_loss_and_update_read_well_on_their_own() -> None:
    loss = invoke("run", "cooking-training", "--step", "loss").stdout
    assert headings(loss) == [
        f"loss.{name}" for name in ("per_token", "total", "mean", "perplexity", "right_probability", "largest_gradient")
    ]
    assert "ℓ[learned] = −ln(0.0252) = 3.681" in loss
    update = invoke("run", "cooking-training", "--step", "update.w_q").stdout
    assert "W_Q' = W_Q − 0.1×∂W_Q" in update


def test_a_matrix_that_was_made_says_how(tmp_path: Path) -> None:
    np.save(tmp_path / "keys.npy", np.eye(2))
    path = tmp_path / "made.yaml"
    path.write_text(
        """
title: t
tokens: [a, b]
embeddings: {a: [1, 0], b: [0, 1]}
dimensions: {d_k: 1, d_v: 1}
attention:
  num_heads: 2
  w_q: {init: normal, seed: 3}
  w_k: {file: keys.npy}
  w_v: {init: xavier_uniform}
""",
        encoding="utf-8",
    )
    text = invoke("run", str(path), "--step", "w_q", "--step", "w_k", "--step", "w_v").stdout
    for origin in ("normal, std 0.02, seed 3", "file keys.npy", "xavier_uniform, seed 1"):
        assert text.count(f"2×1   {origin}\n") == 2
    assert "2×2   given\n" in invoke("run", str(path), "--step", "embeddings").stdout
    assert "2×1, normal, std 0.02, seed 3\n" in invoke("export", str(path), "-o", "-", "--step", "w_q").stdout


@pytest.mark.parametrize(
    ("suffix", "steps"),
    [
        ("html", ["train.1"]),
        ("md", ["train.2", "update"]),
        slow("py", ["train.2.query", "train.2.key"]),
        slow("xlsx", ["train.2", "update"]),
    ],
)
def test_a_step_of_a_long_run_is_exported_without_those_before_it(
    long: Path, tmp_path: Path, suffix: str, steps: list[str]
) -> None:
    file = tmp_path / f"x.{suffix}"
    result = invoke("export", str(long), "-o", str(file), *(word for step in steps for word in ("--step", step)))
    assert result.exit_code == 0, result.exception
    assert file.stat().st_size > 0
