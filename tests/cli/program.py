"""The program as users start it: a process of its own, with surroundings of its own."""

from __future__ import annotations

import os
import subprocess
import sys

from typer.testing import CliRunner, Result

from walkthrough.cli.app import application

app = application()

PROGRAM = (sys.executable, "-m", "walkthrough")


def surroundings(**more: str) -> dict[str, str]:
    """Environment variables: nothing of the tests' own terminal."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT", "PYTHONPATH") if name in os.environ}
    return {**kept, "COLUMNS": "80", "LANG": "C.UTF-8", "PYTHONUTF8": "1", "TERM": "dumb", **more}


def run(*arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end."""
    return subprocess.run(
        [*PROGRAM, *arguments], input=stdin, capture_output=True, encoding="utf-8", env=surroundings(**more), timeout=60
    )


def shell(command: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Runs a shell command in which `walkthrough` is the program; bash, for PIPESTATUS."""
    line = f'walkthrough() {{ "{sys.executable}" -m walkthrough "$@"; }}; {command}'
    return subprocess.run(
        ["bash", "-c", line],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        env=surroundings(**more),
        timeout=60,
    )


def invoke(*arguments: str) -> Result:
    """Runs a command inside this process: quicker, and a failure is `result.exception`."""
    return CliRunner().invoke(app, list(arguments))
