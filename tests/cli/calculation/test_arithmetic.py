"""`--arithmetic`: the number format that a command calculates in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import invoke
from walkthrough.number_formats import number_format

COMMANDS = [["run"], ["export", "-o", "-", "--format", "json"], ["explain"], ["view", "--no-open"]]
CELL = "weights[me, me]"


def words(command: list[str], scenario: str = "help-me") -> list[str]:
    return [*command, scenario, *([CELL] if command[0] == "explain" else [])]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_that_calculates_by_hand_refuses_what_is_no_arithmetic(command: list[str]) -> None:
    for name in ("float33", "int17", "exact", "by-hand"):
        done = invoke(*words(command), "--arithmetic", name)
        assert done.exit_code == 2
        assert f"'{name}' is no number format" in done.stderr
        assert "float8_e4m3fn" in done.stderr
    done = invoke(*words(command), "--arithmetic", "bfloat16", "--by-hand")
    assert done.exit_code == 2
    assert "--by-hand and --arithmetic exclude one another" in " ".join(done.stderr.replace("│", " ").split())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ([], "exact"),
        (["--by-hand"], "by hand"),
        (["--arithmetic", "bfloat16"], "bfloat16"),
        (["--arithmetic", "int8"], "int8"),
    ],
)
def test_json_says_what_was_calculated_in_and_holds_these_numbers(asked: list[str], said: str) -> None:
    found = json.loads(invoke("export", "help-me", "--format", "json", *asked).stdout)
    assert found["arithmetic"] == said
    form = number_format(said)
    (weights,) = (step["values"] for step in found["steps"] if step["path"].endswith("weights"))
    if form is not None:
        import numpy as np

        np.testing.assert_allclose(form.round(np.array(weights)), weights, rtol=1e-15)


def test_what_is_shown_says_the_format_and_how_far_each_step_has_drifted() -> None:
    said = invoke("run", "help-me", "--arithmetic", "bfloat16", "--decimals", "2").stdout
    assert "In bfloat16: every number, given ones too, is rounded to it before it is used;" in said
    assert "shown to 2 decimals." in said
    assert "Drift: up to" in said


def test_explain_ends_with_the_bits() -> None:
    *_, last = invoke("explain", "help-me", CELL, "--arithmetic", "bfloat16").stdout.strip().splitlines()
    number = json.loads(invoke("explain", "help-me", CELL, "--arithmetic", "bfloat16", "--format", "json").stdout)
    assert last == number["stored"]
    name, sign, exponent, mantissa, _, text, *_ = last.replace(",", "").split()
    assert (name, sign, len(exponent), len(mantissa)) == ("bfloat16:", "0", 8, 7)
    assert float(text) == number["value"] == 2.0 ** (int(exponent, 2) - 127) * (1 + int(mantissa, 2) / 128)


@pytest.mark.parametrize("format", ["xlsx", "torch"])
def test_a_workbook_and_a_torch_script_cannot_calculate_in_a_format(format: str, tmp_path: Path) -> None:
    file = tmp_path / ("a.py" if format == "torch" else "a.xlsx")
    done = invoke("export", "help-me", "-o", str(file), "--format", format, "--arithmetic", "float16")
    assert "cannot calculate in float16: leave out --arithmetic, or choose --format python" in str(done.exception)
    assert list(tmp_path.iterdir()) == []


def test_a_scenario_in_a_format_needs_decimals_for_work_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_text(
        "title: t\nrounding: {format: bfloat16}\ntokens: [a, b]\nembeddings: [[1], [2]]\n"
        "attention: {heads: [{scores: [[1, 0.5], [0.25, 1]], v: [[1], [2]]}], scale: none}\n"
        "published: {weights: [[0.622, 0.378], [0.321, 0.679]]}\n"
    )
    for command in (["worksheet", str(file), "-o", str(tmp_path / "s.md")], ["practice", str(file)]):
        said = str(invoke(*command).exception)
        assert "calculates in bfloat16; say to how many decimals people round: --decimals 3" in said
    assert invoke("worksheet", str(file), "-o", str(tmp_path / "s.md"), "--decimals", "2").exit_code == 0
    done = invoke("check", str(file), "--format", "json")
    assert (done.exit_code, json.loads(done.stdout)["summary"]) == (
        0,
        {"exact": 4, "rounding": 0, "inherited": 0, "wrong": 0},
    )
    assert invoke("run", str(file)).stderr == f"{file}:2:1: warning: rounding has no effect without --by-hand\n"
    assert invoke("run", str(file), "--by-hand").stderr == ""
