"""What is typed after a question."""

from __future__ import annotations

import sys

import typer

from walkthrough.text import escape_text

_MOST_SHOWN = 200
"""Characters of a line that is piped in."""


def read_typed() -> str | None:
    """A line of standard input after a prompt, None at its end; one that is piped in is shown as if it was typed."""
    typer.echo("> ", nl=False)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        typer.echo()
        return None
    if not sys.stdin.isatty():
        typer.echo(escape_text(line.rstrip("\r\n")[:_MOST_SHOWN]))
    return line
