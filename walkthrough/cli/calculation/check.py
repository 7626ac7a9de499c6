"""`walkthrough check`: judges published numbers, or those of drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli import arguments
from walkthrough.cli.loading import load

if TYPE_CHECKING:
    from walkthrough.drafts.check import NothingPlacedError
    from walkthrough.views.report.blocks import Report

EXAMPLES = (
    "Examples: walkthrough check cooking · walkthrough check chai cooking --format markdown > errata.md · "
    "walkthrough check article.md --scenario chai"
)


def command(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Scenarios with published numbers; or, with --scenario, drafts: .md, .html, .tex, .txt or .csv.",
            autocompletion=arguments.scenario_completion,
        ),
    ],
    drafts_of: Annotated[
        str | None,
        arguments.names_file(
            "Judge the matrices in drafts by this scenario.",
            "SCENARIO",
            "--scenario",
            autocompletion=arguments.scenario_completion,
        ),
    ] = None,
    set: arguments.GivenSets = None,
    every: Annotated[bool, arguments.output("--all", help="Also list the numbers that are exact.")] = False,
    format: arguments.ReportFormat = arguments.TABLE,
) -> None:
    """Judge published numbers: exact, rounding, inherited or wrong. Status 1 if any is wrong."""
    from walkthrough.cli.reports import print_reports
    from walkthrough.recording.selectors import TOKENS

    if any(one.partition("=")[0].strip() == TOKENS for one in set or ()):
        raise typer.BadParameter("what is judged belongs to the words of the file", param_hint="--set")
    refused: list[NothingPlacedError] = []
    if drafts_of is not None:
        judged, refused = _judge_drafts(files, drafts_of, every, set)
        if refused and format != "json":
            raise refused[0]
    else:
        judged = _judge(files, every, set)
    print_reports([report for report, _ in judged], format)
    if refused:
        raise refused[0]
    if not all(fine for _, fine in judged):
        raise typer.Exit(1)


def _judge(scenarios: list[str], every: bool, sets: list[str] | None) -> list[tuple[Report, bool]]:
    """A report on the published numbers of each scenario, and whether none of them is wrong."""
    import walkthrough
    from walkthrough.drafts.draft import is_draft
    from walkthrough.judging.check import check
    from walkthrough.views.report.published import report

    judged = []
    for name in scenarios:
        if is_draft(name):
            raise typer.BadParameter(f"{name} is a draft: name its scenario with --scenario", param_hint="FILE")
        scenario = load(name, sets)
        judged.append(check(scenario, walkthrough.trace(scenario), name))
    return [(report(one, every), not one.summary["wrong"]) for one in judged]


def _judge_drafts(
    drafts: list[str], name: str, every: bool, sets: list[str] | None
) -> tuple[list[tuple[Report, bool]], list[NothingPlacedError]]:
    """A report on the numbers of each draft, and whether none of them is wrong; drafts in which nothing is placed."""
    import walkthrough
    from walkthrough.drafts.check import NothingPlacedError, check_draft
    from walkthrough.views.report.draft import report

    scenario = load(name, sets)
    trace = walkthrough.trace(scenario)
    judged, refused = [], []
    for draft in drafts:
        try:
            one = check_draft(draft, scenario, trace, name)
        except NothingPlacedError as error:
            refused.append(error)
            one = error.report
        judged.append((report(one, every), not one.judged.summary["wrong"]))
    return judged, refused
