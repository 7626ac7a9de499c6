"""`walkthrough check`: judges printed numbers, or another program's intermediates."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import TABLE, NoPager, ReportFormat, Scenarios, Sets, load

if TYPE_CHECKING:
    from walkthrough.views.report.blocks import Report

EXAMPLES = (
    "Examples: walkthrough check cooking · walkthrough check chai cooking --format markdown > errata.md · "
    "walkthrough check mine.yaml --against tensors.npz --names names.yaml"
)


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
    set: Sets = None,
    no_pager: NoPager = False,
) -> None:
    """Judge published numbers: exact, rounding, inherited or wrong. Status 1 if any is wrong."""
    if names is not None and against is None:
        raise typer.BadParameter("only valid with --against", param_hint="--names")
    from walkthrough.cli.reports import print_reports

    judged = _judge(scenarios, every, set) if against is None else _compare(scenarios, against, names or "", every, set)
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
        scenario = load(name, sets)
        judged.append(check(scenario, walkthrough.trace(scenario), name))
    return [(report(one, every), not one.summary["wrong"]) for one in judged]


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
