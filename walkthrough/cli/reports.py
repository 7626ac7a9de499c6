"""Reports on standard output, in the format that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from walkthrough.cli.arguments import TABLE

if TYPE_CHECKING:
    from walkthrough.views.report.blocks import Report


def print_reports(reports: Sequence[Report], format: str) -> None:
    """Prints reports: a table for the terminal, or a document."""
    from rich.console import Console

    from walkthrough.views.formats import FORMATS
    from walkthrough.views.terminal.terminal import show_reports

    if format != TABLE:
        typer.echo(FORMATS[format].view.text(reports), nl=False)
        return
    show_reports(reports, Console(highlight=False))
