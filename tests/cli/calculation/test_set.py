"""`--set`: another given number, on every command that calculates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.program import invoke

SET = ("--set", "embeddings[chai, 1]=2")


def test_run_says_what_was_set_and_calculates_with_it() -> None:
    shown = invoke("run", "chai", *SET, "--set", "w_q[1, 1]=−3", "--step", "embeddings").stdout
    said = "With other numbers: embeddings[chai, 1]=2; encoder.1.attention.head.1.w_q[1, 1]=-3."
    assert said in " ".join(shown[: shown.index(" 1. ")].split())
    assert "chai  2.000" in shown


def test_check_judges_against_it() -> None:
    verdicts = [
        json.loads(invoke("check", "cooking", *more, "--format", "json").stdout)["summary"]
        for more in ([], ["--set", "embeddings[I, 1]=50"])
    ]
    assert verdicts[1]["wrong"] + verdicts[1]["inherited"] > verdicts[0]["wrong"] + verdicts[0]["inherited"]


@pytest.mark.parametrize("command", [["check", "chai"], ["compare", "chai", "x.npz"]])
def test_where_numbers_are_judged_only_given_ones_can_be_others(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    np.savez("x.npz", scores=np.zeros((4, 4)))
    failed = invoke(*command, "--set", "scores[chai, is]=1")
    assert failed.exit_code != 0
    assert "is calculated, not given; it is computed from" in str(failed.exception)


@pytest.mark.parametrize("step", ["train.².input", f"train.{'9' * 5000}.input"])
def test_a_step_of_training_that_is_no_number_is_none(step: str) -> None:
    failed = invoke("run", "chai", "--set", f"{step}[chai, 1]=3")
    assert str(failed.exception).startswith(f"no step is called '{step}'")
