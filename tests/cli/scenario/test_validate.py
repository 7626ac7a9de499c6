"""`walkthrough validate`: every fault of every file, and a status."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.program import invoke, refusal, run
from tests.cli.test_failures import FAULTY
from tests.examples import OF_EACH_KIND, slow
from walkthrough.scenario.sources import bundled_scenarios, open_source


@pytest.mark.parametrize("names", [sorted(OF_EACH_KIND), slow(list(bundled_scenarios()))], ids=["some", "all"])
def test_the_bundled_scenarios_are_fine(names: list[str]) -> None:
    result = invoke("validate", *names)
    assert result.exit_code == 0
    assert result.stdout == "".join(f"{name}: fine\n" for name in names)


def test_a_faulty_file_does_not_hide_the_others(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.yaml"
    faulty.write_text(FAULTY)
    done = run("validate", "chai", str(faulty), "no-such-file", "help-me")
    assert done.returncode == 2
    assert done.stdout == "chai: fine\nhelp-me: fine\n"
    assert f"{faulty}:3:1: unknown key 'embedings'" in done.stderr
    assert "no-such-file" in done.stderr
    assert "Traceback" not in done.stderr


def test_what_is_a_fault_is_no_warning_too(tmp_path: Path) -> None:
    scenario = tmp_path / "mine.yaml"
    text = open_source("chai").text + "\nrounding: {steps: {scoers: 1}}\ndropout: {rate: 0.1}\n"
    scenario.write_text(text, encoding="utf-8")
    told = refusal("validate", str(scenario))
    assert told.count("scoers") == 2  # the message, and the line of the file
    assert "rounds nothing" not in told
    assert "warning: dropout has no effect" in told


def test_weights_files_are_read(tmp_path: Path) -> None:
    one, two = np.eye(2), np.eye(2)
    one[0, 1], two[1, 0] = np.nan, np.inf
    np.savez(tmp_path / "w.npz", one=one, two=two, three=np.eye(2))
    scenario = tmp_path / "mine.yaml"
    weights = "w_q: {tensor: one}, w_k: {tensor: two}, w_v: {tensor: three}"
    scenario.write_text(
        f"title: t\ntokens: [a, b]\nembeddings: [[1, 0], [0, 1]]\nweights_file: w.npz\n"
        f"attention: {{heads: [{{{weights}}}]}}\n"
    )
    told = refusal("validate", str(scenario))
    assert "tensor 'one' has 1 NaN, the first in row 1, column 2" in told
    assert "tensor 'two' has 1 ∞, the first in row 2, column 1" in told
    assert "three" not in told.replace("tensor: three", "")


def test_at_least_one_file() -> None:
    assert invoke("validate").exit_code == 2
