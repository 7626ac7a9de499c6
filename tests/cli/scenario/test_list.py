"""`walkthrough list`: every bundled scenario with its title."""

from __future__ import annotations

from pathlib import Path

import yaml

from tests.cli.program import invoke

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"


def test_every_file_of_the_folder_with_its_title() -> None:
    result = invoke("list")
    found = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
    assert found == {
        path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))["title"] for path in SCENARIOS.glob("*.yaml")
    }
