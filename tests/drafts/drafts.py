"""Drafts for tests: texts that are placed and judged by a bundled scenario."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import walkthrough as wt
from walkthrough.drafts.check import DraftResult, check_draft
from walkthrough.recording.trace import Trace
from walkthrough.scenario.scenario import Scenario


@cache
def loaded(name: str) -> tuple[Scenario, Trace]:
    scenario = wt.load_scenario(name)
    return scenario, wt.trace(scenario)


def check(folder: Path, text: str | bytes, suffix: str = ".md", scenario: str = "chai") -> DraftResult:
    """The report on a text."""
    file = folder / f"draft{suffix}"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return check_draft(str(file), *loaded(scenario), scenario)


def placed(report: DraftResult) -> list[str]:
    """The steps of the tables, by the last words of their paths."""
    return [one.fit.value.path.removeprefix("encoder.1.").removeprefix("attention.") for one in report.placed]


def wrong(report: DraftResult) -> list[tuple[int, str]]:
    """Lines and cells of what is wrong."""
    return [
        (line, f"{one.cell.value.path.rpartition('.')[2]}[{one.row}, {one.column}]")
        for one, line in zip(report.judged.cells, report.lines, strict=True)
        if one.verdict == "wrong"
    ]
