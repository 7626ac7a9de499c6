"""`walkthrough check`: judges printed numbers, or somebody else's intermediates."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from walkthrough.cli.arguments import ReportFormat, Scenarios, loaded

NAME = "check"
EXAMPLES = (
    "Examples: walkthrough check cooking · walkthrough check chai cooking --format markdown > errata.md · "
    "walkthrough check mine.yaml --against tensors.npz --names names.yaml"
)


def command(
    scenarios: Scenarios,
    format: Annotated[ReportFormat, typer.Option(help="How the report is written.")] = ReportFormat.table,
    every: Annotated[bool, typer.Option("--all", help="List the numbers that are exact too.")] = False,
    against: Annotated[
        Path | None,
        typer.Option(help="Compare with these intermediates: .npz, .safetensors or a .json trace.", metavar="FILE"),
    ] = None,
    names: Annotated[
        Path | None,
        typer.Option(help="YAML or JSON: their names → our paths, for --against.", metavar="FILE"),
    ] = None,
) -> None:
    """Judge published numbers: exact, rounding, inherited or wrong. Status 1 if one is wrong."""
    if names is not None and against is None:
        raise typer.BadParameter("only together with --against", param_hint="--names")
    fine = _judge(scenarios, format, every) if against is None else _compare(scenarios, against, names, format)
    if not fine:
        raise typer.Exit(1)


def _judge(scenarios: list[str], format: ReportFormat, every: bool) -> bool:
    """Reports on the published numbers; whether none is wrong."""
    from rich.console import Console

    import walkthrough
    from walkthrough.checking.check import check
    from walkthrough.views import errata

    reports = []
    for name in scenarios:
        scenario = loaded(name)
        reports.append(check(scenario, walkthrough.trace(scenario), name))
    if format is ReportFormat.json:
        text = errata.as_json(reports)
    elif format is ReportFormat.markdown:
        text = errata.as_markdown(reports, every)
    else:
        text = errata.as_text(reports, every, Console().width)
    typer.echo(text, nl=False)
    return not any(report.summary["wrong"] for report in reports)


def _compare(scenarios: list[str], file: Path, names: Path | None, format: ReportFormat) -> bool:
    """Reports on somebody else's intermediates; whether no step differs."""
    from rich.console import Console

    from walkthrough.checking.against import compare
    from walkthrough.checking.tensors import TensorsError, matched, read_names, read_tensors
    from walkthrough.cli.arguments import traced
    from walkthrough.text import printable
    from walkthrough.views import against as view

    tensors = read_tensors(file)
    renamed = read_names(names) if names is not None else {}
    comparisons = []
    for name in scenarios:
        trace = traced(name)
        theirs, unused = matched(tensors, renamed, trace)
        if not theirs:
            said = "\n".join(view.not_compared(unused)) if unused else "the file holds no tensors"
            raise TensorsError(f"nothing in {printable(file.name)} could be compared with {printable(name)}:\n{said}")
        comparisons.append(compare(trace, theirs, unused, name))
    if format is ReportFormat.json:
        text = view.as_json(comparisons)
    elif format is ReportFormat.markdown:
        text = view.as_markdown(comparisons)
    else:
        text = view.as_text(comparisons, Console().width)
    typer.echo(text, nl=False)
    return all(one.first is None for one in comparisons)
