"""`walkthrough check`: judges published numbers, those of drafts, or another program's intermediates."""

from __future__ import annotations

from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from walkthrough.cli.arguments import (
    TABLE,
    NoPager,
    ReportFormat,
    Scenarios,
    Sets,
    arithmetic_completion,
    asked_arithmetic,
    load,
    scenario_completion,
)
from walkthrough.number_formats import FLOAT_NAMES
from walkthrough.text import whole_number

if TYPE_CHECKING:
    from walkthrough.drafts.check import NothingPlacedError
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
        list[Path] | None,
        typer.Option(
            help="Compare with these intermediate values: .npz, .safetensors, .npy, .csv or a .json trace. Repeatable.",
            metavar="FILE",
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
    require: Annotated[
        list[str] | None,
        typer.Option(
            help="With --against: what has to be compared, or the status is 1: all steps that use a matrix of the "
            "scenario, at least N steps, or those that a selector selects. Repeatable.",
            metavar="all|N|SELECTOR",
        ),
    ] = None,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="With --against: numbers off by at most T times the largest of their row, or T, are the same.",
            metavar="T",
            min=0,
        ),
    ] = None,
    arithmetic: Annotated[
        str | None,
        typer.Option(
            help=f"With --against: the number format that theirs were calculated in: {', '.join(FLOAT_NAMES)}. Each "
            "step is worked out from their own numbers and may be off by 8 roundings; or exact.",
            autocompletion=arithmetic_completion,
            metavar="FORMAT",
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
    for option, value in (
        ("--names", names),
        ("--require", require),
        ("--tolerance", tolerance),
        ("--arithmetic", arithmetic),
    ):
        if value is not None and not against:
            raise typer.BadParameter("only valid with --against", param_hint=option)
    if any(whole_number(one) == 0 for one in require or ()):
        raise typer.BadParameter("0 steps are no demand: write a number from 1", param_hint="--require")
    if tolerance is not None and not isfinite(tolerance):
        raise typer.BadParameter(f"{tolerance} is no finite number", param_hint="--tolerance")
    calculated = asked_arithmetic(False, arithmetic)
    if calculated not in ("", "exact", *FLOAT_NAMES):
        message = f"tensors cannot be compared in {calculated}; known: exact, {', '.join(FLOAT_NAMES)}"
        raise typer.BadParameter(message, param_hint="--arithmetic")
    if calculated in FLOAT_NAMES and tolerance is not None:
        raise typer.BadParameter("a number format says how near is near: leave out one", param_hint="--tolerance")
    if drafts_of is not None and against:
        raise typer.BadParameter("a draft is not compared with tensors: leave out --against", param_hint="--scenario")
    from walkthrough.cli.reports import print_reports

    refused: list[NothingPlacedError] = []
    if drafts_of is not None:
        judged, refused = _judge_drafts(scenarios, drafts_of, every, set)
        if refused and format != "json":
            raise refused[0]
    elif against:
        judged = _compare(scenarios, against, names or "", (require or [], tolerance), every, set, calculated)
    else:
        judged = _judge(scenarios, every, set)
    print_reports([report for report, _ in judged], format, no_pager)
    if refused:
        raise refused[0]
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


def _compare(
    scenarios: list[str],
    files: list[Path],
    names: str,
    demands: tuple[list[str], float | None],
    every: bool,
    sets: list[str] | None,
    arithmetic: str,
) -> list[tuple[Report, bool]]:
    """A report on another program's intermediates for each scenario, and whether they are right and what is required.

    demands: what has to be compared, as it was written, and the tolerance
    """
    from walkthrough.cli.arguments import calculate
    from walkthrough.comparing.matching.files import read_all
    from walkthrough.comparing.matching.match import resolve_names
    from walkthrough.comparing.required import Demands, read_requirements
    from walkthrough.comparison import compare_with
    from walkthrough.views.report.comparison import report

    tensors, asked = read_all(files), Demands(read_requirements(demands[0]), demands[1])
    layout, renamed = resolve_names(names)
    where = ", ".join(file.name for file in files)
    found = []
    for name in scenarios:
        trace = calculate(name, arithmetic or None, sets=sets)
        found.append(compare_with(trace, tensors, layout, renamed, name, where, asked))
    return [(report(one, every), one.ok) for one in found]
