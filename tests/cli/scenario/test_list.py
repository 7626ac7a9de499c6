"""`walkthrough list`: every bundled scenario with its title."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.program import run
from walkthrough.scenario.gallery import GROUPS

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"


def test_every_file_of_the_folder_with_its_title() -> None:
    lines = [line.split(maxsplit=1) for line in run("list", COLUMNS="200").stdout.splitlines() if line[:1] == " "]
    assert dict(lines) == {
        path.stem: yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)["title"]
        for path in SCENARIOS.glob("*.yaml")
    }


def test_every_scenario_stands_once_below_a_title_that_has_some() -> None:
    shown = run("list", COLUMNS="200").stdout
    assert all(len(block.splitlines()) > 1 for block in shown.split("\n\n"))
    headings = [line for line in run("list", "--format", "markdown").stdout.splitlines() if line[:2] == "##"]
    assert [line.lstrip("# ") for line in headings] == [block.splitlines()[0] for block in shown.split("\n\n")]


@pytest.mark.parametrize("columns", [40, 60, 80])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    assert max(map(len, run("list", COLUMNS=str(columns)).stdout.splitlines())) <= columns


def test_every_scenario_is_in_a_group_and_every_group_has_scenarios_that_are_there() -> None:
    names = {name for _, members in GROUPS.values() for name in members}
    assert names == {path.stem for path in SCENARIOS.glob("*.yaml")}
