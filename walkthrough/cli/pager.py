"""Long output on a terminal goes through the user's pager: `$PAGER`, else `less`; short output, and pipes, never."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from shutil import which
from typing import TextIO, cast

from walkthrough.cli.failures import print_error
from walkthrough.text import in_quotes

_SHELL = {*"'\"\\$=;|&<>()`~"}
"""With one of these in it, the name of the program is the shell's to find."""


@contextlib.contextmanager
def paged(wanted: bool = True) -> Iterator[TextIO]:
    """Where to print: standard output, by way of the pager once there is more than the screen holds.

    When the reader leaves the pager early, the next text raises BrokenPipeError, as it does in a pipe.
    """
    command = _command() if wanted and sys.stdout.isatty() else ""
    if not command:
        yield sys.stdout
        return
    from walkthrough.cli.screen import Paged

    out = Paged(sys.stdout, command)
    try:
        yield cast("TextIO", out)
    finally:
        out.finish()


def _command() -> str:
    """The pager as a command line; empty where there is none, or none is wanted."""
    command = os.environ.get("PAGER", "less").strip()
    if command in ("", "cat"):
        return ""
    program = command.split()[0]
    if _SHELL & {*program} or which(program):
        return command
    if "PAGER" in os.environ:
        print_error(f"the pager {in_quotes(program)} is not found; see PAGER")
    return ""
