"""`walkthrough check`: judges printed numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from walkthrough.cli.arguments import Scenarios

NAME = "check"
EXAMPLES = "Examples: walkthrough check cooking · walkthrough check chai cooking --format markdown > errata.md"


class Format(StrEnum):
    """How a report is written."""

    table = "table"
    markdown = "markdown"
    json = "json"


def command(
    scenarios: Scenarios,
    format: Annotated[Format, typer.Option(help="How the report is written.")] = Format.table,
    every: Annotated[bool, typer.Option("--all", help="List the numbers that are exact too.")] = False,
) -> None:
    """Judge published numbers: exact, rounding, inherited or wrong. Status 1 if one is wrong."""
    from rich.console import Console

    import walkthrough
    from walkthrough.checking.check import check
    from walkthrough.views import errata

    reports = []
    for name in scenarios:
        scenario = walkthrough.load_scenario(name)
        reports.append(check(scenario, walkthrough.trace(scenario), name))
    if format is Format.json:
        text = errata.as_json(reports)
    elif format is Format.markdown:
        text = errata.as_markdown(reports, every)
    else:
        text = errata.as_text(reports, every, Console().width)
    typer.echo(text, nl=False)
    if any(report.summary["wrong"] for report in reports):
        raise typer.Exit(1)
