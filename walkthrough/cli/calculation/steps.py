"""`walkthrough steps`: what can be selected."""

from __future__ import annotations

from walkthrough.cli import arguments
from walkthrough.cli.loading import Request, print_warnings, read_arithmetic, steps_of

EXAMPLES = "Examples: walkthrough steps chai · walkthrough steps cooking --step head.1"


def command(
    scenario: arguments.Scenario,
    step: arguments.Steps = None,
    arithmetic: arguments.Arithmetic = None,
    set: arguments.Sets = None,
    format: arguments.ReportFormat = arguments.TABLE,
) -> None:
    """Show the map of a scenario: the parts of the model, and the path, shape and title of each step."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.transformer.loading.load import read_scenario
    from walkthrough.views.report.steps import report

    request = Request(read_arithmetic(False, arithmetic) or None, sets=set)
    found = read_scenario(scenario)
    print_warnings(found.source.name, found.warnings)
    trace = steps_of(found, request if arithmetic or set else None)
    print_reports([report(trace, trace.select(*(step or ())))], format)
