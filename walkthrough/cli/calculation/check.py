"""`walkthrough check`: judges published numbers, those of drafts, or another program's intermediates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import TABLE, NoPager, ReportFormat, Scenarios, Sets, load, scenario_completion

if TYPE_CHECKING:
    from walkthrough.views.report.blocks import Report

EXAMPLES = (
    "Examples: walkthrough check cooking · walkthrough check chai cooking --format markdown > errata.md · "
    "walkthrough check mine.yaml --against tensors.npz --names names.yaml · "
    "walkthrough check article.md --scenario chai"
)
_DRAFTS = (".md", ".html", ".htm", ".tex", ".txt", ".csv")


def command(
    scenarios: Scenarios,
    format: ReportFormat = TABLE,
    every: Annotated[
        bool, typer.Option("--all", help="Also list the numbers that are exact; with --against, every step.")
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Compare with these intermediate values: .npz, .safetensors or a .json trace.", metavar="FILE"
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            help="The layout of its names: transformers, torch or transformer_lens; or a YAML or JSON file that "
            "maps them to paths. Known layouts are recognised without it.",
            metavar="FILE|LAYOUT",
        ),
    ] = None,
    drafts_of: Annotated[
        str | None,
        typer.Option(
            "--scenario",
            help="The other arguments are drafts (.md, .html, .tex, .txt, .csv): judge the matrices in them by this "
            "scenario.",
            metavar="SCENARIO",
            autocompletion=scenario_completion,
        ),
    ] = None,
    set: Sets = None,
    no_pager: NoPager = False,
) -> None:
    """Judge published numbers: exact, rounding, inherited or wrong. Status 1 if any is wrong."""
    if names is not None and against is None:
        raise typer.BadParameter("only valid with --against", param_hint="--names")
    if drafts_of is not None and against is not None:
        raise typer.BadParameter("a draft is not compared with tensors: leave out --against", param_hint="--scenario")
    from walkthrough.cli.reports import print_reports

    if drafts_of is not None:
        judged = _judge_drafts(scenarios, drafts_of, every, set)
    elif against is not None:
        judged = _compare(scenarios, against, names or "", every, set)
    else:
        judged = _judge(scenarios, every, set)
    print_reports([report for report, _ in judged], format, no_pager)
    if not all(fine for _, fine in judged):
        raise typer.Exit(1)


def _judge(scenarios: list[str], every: bool, sets: list[str] | None) -> list[tuple[Report, bool]]:
    """A report on the published numbers of each scenario, and whether none of them is wrong."""
    import walkthrough
    from walkthrough.judging.check import check
    from walkthrough.views.report.published import report

    judged = []
    for name in scenarios:
        if Path(name).suffix.lower() in _DRAFTS:
            raise typer.BadParameter(f"{name} is a draft: name its scenario with --scenario", param_hint="SCENARIOS")
        scenario = load(name, sets)
        judged.append(check(scenario, walkthrough.trace(scenario), name))
    return [(report(one, every), not one.summary["wrong"]) for one in judged]


def _judge_drafts(drafts: list[str], name: str, every: bool, sets: list[str] | None) -> list[tuple[Report, bool]]:
    """A report on the numbers of each draft, and whether none of them is wrong."""
    import walkthrough
    from walkthrough.drafts.check import check_draft
    from walkthrough.views.report.draft import report

    scenario = load(name, sets)
    trace = walkthrough.trace(scenario)
    judged = [check_draft(draft, scenario, trace, name) for draft in drafts]
    return [(report(one, every), not one.judged.summary["wrong"]) for one in judged]


def _compare(
    scenarios: list[str], file: Path, names: str, every: bool, sets: list[str] | None
) -> list[tuple[Report, bool]]:
    """A report on another program's intermediates for each scenario, and whether no step differs."""
    from walkthrough.cli.arguments import calculate
    from walkthrough.comparing.matching.files import read_tensors
    from walkthrough.comparing.matching.match import resolve_names
    from walkthrough.comparison import compare_with
    from walkthrough.views.report.comparison import report

    tensors = read_tensors(file)
    layout, renamed = resolve_names(names)
    found = []
    for name in scenarios:
        trace = calculate(name, sets=sets)
        found.append(compare_with(trace, tensors, layout, renamed, name, file.name))
    return [(report(one, every), one.first is None) for one in found]
