"""`walkthrough steps`: what can be selected."""

from __future__ import annotations

from walkthrough.cli.arguments import (
    TABLE,
    Arithmetic,
    NoPager,
    ReportFormat,
    Scenario,
    Sets,
    Steps,
    asked_arithmetic,
    calculate,
)

EXAMPLES = "Examples: walkthrough steps chai · walkthrough steps cooking --step head.1"


def command(
    scenario: Scenario,
    step: Steps = None,
    arithmetic: Arithmetic = None,
    set: Sets = None,
    format: ReportFormat = TABLE,
    no_pager: NoPager = False,
) -> None:
    """List the steps of a scenario: path, shape and title."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.views.report.steps import report

    trace = calculate(scenario, asked_arithmetic(False, arithmetic) or None, sets=set)
    print_reports([report(trace, trace.select(*(step or ())))], format, no_pager)
