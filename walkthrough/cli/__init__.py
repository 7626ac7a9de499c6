"""The command line: one small file a command; each loads a scenario, makes a trace, hands it to a view, writes."""

from __future__ import annotations

import sys

from walkthrough.cli.app import application, needed
from walkthrough.cli.failures import reported


def main() -> None:
    """Runs the command line; every foreseeable failure ends in one message on standard error and status 2."""
    app = application(needed(sys.argv[1:]))
    sys.exit(reported(lambda: app(prog_name="walkthrough")))
