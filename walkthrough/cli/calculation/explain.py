"""`walkthrough explain`: where one number comes from, and where it goes; or what a step is for, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import Request, calculate, print_idle, read_arithmetic

if TYPE_CHECKING:
    from walkthrough.views.report.blocks import Report

DEPTH = "2"

EXAMPLES = (
    "Examples: walkthrough explain chai scaled_scores · walkthrough explain chai 'weights[chai, is]'"
    " · walkthrough explain chai 'norm_1.mean[hot]' --depth all"
    " · walkthrough explain cooking 'weights[learned, I]' --exact"
)


def _depth(text: str) -> int | None:
    if text == "all":
        return None
    from walkthrough.text import whole_number

    if (steps := whole_number(text)) is None:
        raise typer.BadParameter("give a whole number, or all")
    return steps


def command(
    scenario: arguments.Scenario,
    what: Annotated[
        str,
        typer.Argument(
            help="A number, SELECTOR[row, column], such as 'scores[chai, is]'; or a step, such as scores.",
            show_default=False,
            autocompletion=arguments.step_completion,
            metavar="CELL|STEP",
        ),
    ],
    depth: Annotated[
        str | None,
        arguments.what(
            help="How many steps to go back; all: down to the given numbers.", metavar="N", show_default=DEPTH
        ),
    ] = None,
    exact: Annotated[
        bool, arguments.numbers("--exact", help="Also show it without rounding: as fractions, e^…, √….")
    ] = False,
    decimals: arguments.Decimals = None,
    by_hand: arguments.ByHand = False,
    arithmetic: arguments.Arithmetic = None,
    set: arguments.Sets = None,
    format: arguments.ReportFormat = arguments.TABLE,
    language: arguments.Language = None,
) -> None:
    """Explain a number: its formula, its arithmetic, its operands in turn, what uses it. Or a step: why it is there."""
    from walkthrough.cli.reports import print_reports

    request = Request(read_arithmetic(by_hand, arithmetic), decimals, set, explained=True, language=language)
    steps = _depth(depth or DEPTH)
    if "[" in what:
        report = _number(scenario, what, request, steps, exact)
    else:
        given = {"depth": depth is not None, "exact": exact, "decimals": decimals is not None}
        print_idle([name for name, is_given in given.items() if is_given], "on a step, only on SELECTOR[row, column]")
        report = _step(scenario, what, request)
    print_reports([report], format)


def _number(scenario: str, cell: str, request: Request, depth: int | None, exact: bool) -> Report:
    """The report on one number."""
    from walkthrough.explaining.exact import exact_text
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.views.report.explanation import report

    trace = calculate(scenario, request._replace(wanted=[cell.partition("[")[0].strip()]))
    explanation = trace.explain(cell, depth)
    return report(explanation, exact_text(explanation.cell) if exact else "", catalogue(trace.language))


def _step(scenario: str, selector: str, request: Request) -> Report:
    """The report on the steps that a selector names."""
    from walkthrough.explaining.steps import explain_steps
    from walkthrough.languages.catalogue import catalogue
    from walkthrough.views.report.explained_steps import report

    trace = calculate(scenario, request._replace(wanted=[selector]))
    steps = explain_steps(trace, trace.select(selector))
    return report(trace.title, trace.scenario, steps, catalogue(trace.language))
