"""The command line: a small file for each command; it loads a scenario, makes a trace, hands it to a view, writes."""

from __future__ import annotations

import gc
import os
import sys

_NEW_OBJECTS = 200_000
"""New objects before garbage is collected: imports make tens of thousands, and none of them is garbage."""


def main() -> None:
    """Runs the command line; every foreseeable failure ends in one message on standard error and status 2.

    Nothing is imported before this begins, so that Ctrl-C ends the imports too without a traceback.
    """
    try:
        from walkthrough.cli.stopping import handle_signals

        handle_signals()
    except KeyboardInterrupt:
        sys.exit(130)
    _use_one_thread()
    gc.set_threshold(_NEW_OBJECTS)
    from walkthrough.cli.app import application, commands_to_load
    from walkthrough.cli.failures import run_cli

    app = application(commands_to_load(sys.argv[1:]))
    status = run_cli(lambda: app(prog_name="walkthrough"))
    gc.freeze()  # the process ends: nothing needs to be collected
    sys.exit(status)


def _use_one_thread() -> None:
    """Before numpy is imported: steadier, and 50 to 100 ms less start-up. The user's own setting wins."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(name, "1")
