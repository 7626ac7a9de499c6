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


def drop_typed() -> None:
    """Forgets the keys that were pressed ahead on a terminal: they answer nothing that was not asked yet."""
    if not sys.stdin.isatty():
        return
    try:
        import termios
    except ImportError:  # Windows
        import msvcrt

        while msvcrt.kbhit():  # type: ignore[attr-defined, unused-ignore]
            msvcrt.getwch()  # type: ignore[attr-defined, unused-ignore]
    else:
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
