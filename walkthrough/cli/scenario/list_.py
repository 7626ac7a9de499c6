"""`walkthrough list`: the bundled scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from walkthrough.cli.arguments import TABLE, ReportFormat

if TYPE_CHECKING:
    from walkthrough.scenario.gallery import Listed
    from walkthrough.views.report.blocks import Report

EXAMPLES = "Examples: walkthrough list · walkthrough list --format json | jq '.scenarios[].name'"


def command(format: ReportFormat = TABLE) -> None:
    """List the bundled scenarios in groups."""
    from walkthrough.scenario.gallery import gallery

    if format == TABLE:
        _print(gallery())
        return
    from walkthrough.cli.reports import print_reports

    print_reports([_report(gallery())], format)


def _print(scenarios: Sequence[Listed]) -> None:
    """The groups on the terminal; no report, because reports load numpy."""
    import shutil
    import textwrap

    from walkthrough.scenario.gallery import grouped
    from walkthrough.text import escape_label

    width = max(shutil.get_terminal_size().columns, 20)
    widest = min(max(len(one.name) for one in scenarios), width // 2)
    for at, (title, members) in enumerate(grouped(scenarios)):
        print("\n" * (at > 0) + title)
        for one in members:
            line = f"{one.name:<{widest}}  {escape_label(one.title)}"
            lines = textwrap.wrap(line, width - 2, subsequent_indent=" " * (widest + 2), break_on_hyphens=False)
            print(*(f"  {part}" for part in lines), sep="\n")


def _report(scenarios: Sequence[Listed]) -> Report:
    """The groups as a document, or the scenarios for programs."""
    from walkthrough.scenario.gallery import grouped
    from walkthrough.text import escape_label
    from walkthrough.views.data import document
    from walkthrough.views.report.blocks import Block, Code, Heading, Report, Table
    from walkthrough.views.text.description import plain_text

    lessons = {one.name: plain_text(one.description.strip().partition("\n\n")[0]) for one in scenarios}

    def blocks() -> list[Block]:
        found: list[Block] = []
        for title, members in grouped(scenarios):
            rows = ((Code(one.name), escape_label(one.title)) for one in members)
            found += [Heading(title, ""), Table(("name", "title"), tuple(rows))]
        return found

    entries = [
        {
            "name": one.name,
            "title": one.title,
            "lesson": lessons[one.name],
            "groups": list(one.groups),
            "published": one.published,
        }
        for one in scenarios
    ]
    return Report("Bundled scenarios", blocks, lambda: document("list", {"scenarios": entries}))
