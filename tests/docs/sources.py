"""What `check` finds in the sources: the table of docs/sources.md."""

from __future__ import annotations

import walkthrough
from walkthrough.judging.check import VERDICTS, CheckResult, check
from walkthrough.scenario.gallery import gallery
from walkthrough.scenario.sources import bundled_scenarios


def _report(name: str) -> CheckResult:
    scenario = walkthrough.load_scenario(bundled_scenarios()[name])
    return check(scenario, walkthrough.trace(scenario), name)


def verdicts() -> str:
    """How many numbers of each bundled scenario have each verdict, and how many conclusions fail."""
    lines = [f"| scenario | numbers | {' | '.join(VERDICTS)} | conclusions that fail |", "|---" + "|---:" * 6 + "|"]
    published = {one.name for one in gallery() if one.published}
    for name in bundled_scenarios():
        if name in published:
            report = _report(name)
            failed = {one for one in report.conclusions if not one.holds}
            counts = [len(report.cells), *report.summary.values(), len(failed)]
            lines.append(f"| `{name}` | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)
