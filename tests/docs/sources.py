"""What `check` finds in the sources: the tables of docs/sources.md."""

from __future__ import annotations

from functools import cache

import walkthrough
from walkthrough.judging.check import VERDICTS, Judged, Report, check
from walkthrough.scenario.sources import bundled_scenarios
from walkthrough.views.report.published import cell_label, shown_print, shown_right


@cache
def _report(name: str) -> Report:
    scenario = walkthrough.load_scenario(bundled_scenarios()[name])
    return check(scenario, walkthrough.trace(scenario), name)


def verdicts() -> str:
    """How many numbers of each bundled scenario have each verdict, and how many conclusions fail."""
    lines = [f"| scenario | numbers | {' | '.join(VERDICTS)} | conclusions that fail |", "|---" + "|---:" * 6 + "|"]
    for name in bundled_scenarios():
        if walkthrough.load_scenario(name).spec.published:
            report = _report(name)
            failed = {one for one in report.conclusions if not one.holds}
            counts = [len(report.cells), *report.summary.values(), len(failed)]
            lines.append(f"| `{name}` | {' | '.join(map(str, counts))} |")
    return "\n".join(lines)


def slips(name: str) -> str:
    """Every wrong number of a scenario with the right one, and the conclusions that do not survive."""
    report = _report(name)
    wrong = {(cell_label(one), one.cell.text): one for one in reversed(report.with_verdict("wrong"))}
    if not wrong:
        return "Nothing is wrong."
    rows = [_row(one, report) for one in reversed(wrong.values())]
    lines = ["| wrong number | printed | right | times printed |", "|---|---:|---:|---:|", *rows]
    failed = dict.fromkeys(one for one in report.conclusions if not one.holds)
    if failed:
        lines += ["", "Conclusions that do not hold:", ""]
        lines += [f"- {one.before}`{one.place}`{one.behind}: {one.said}" for one in failed]
    return "\n".join(lines)


def _row(one: Judged, report: Report) -> str:
    same = [other for other in report.with_verdict("wrong") if cell_label(other) == cell_label(one)]
    times = sum(other.cell.text == one.cell.text for other in same)
    return f"| `{cell_label(one)}` | {shown_print(one)} | {shown_right(one)} | {times} |"
