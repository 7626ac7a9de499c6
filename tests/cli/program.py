"""The program as users start it: a process of its own, with surroundings of its own."""

from __future__ import annotations

import atexit
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import IO

from typer.testing import CliRunner, Result

from walkthrough.cli.app import application, commands_to_load

PROGRAM = (sys.executable, "-m", "walkthrough")


def surroundings(**more: str) -> dict[str, str]:
    """Environment variables: nothing of the tests' own terminal."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT", "PYTHONPATH") if name in os.environ}
    return {**kept, "COLUMNS": "80", "LANG": "C.UTF-8", "PYTHONUTF8": "1", "TERM": "dumb", **more}


def run(*arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end; where Python itself may start as ever, in a fork that has it loaded already."""
    if hasattr(os, "fork") and not any(name.startswith(("PYTHON", "LC_")) for name in more):
        return _forked(arguments, stdin, more)
    return started(*arguments, stdin=stdin, **more)


def refusal(*arguments: str, stdin: str = "", **more: str) -> str:
    """What is said of a command that cannot be carried out: status 2, no output and no traceback; lines are joined."""
    done = run(*arguments, stdin=stdin, **more)
    assert (done.returncode, done.stdout, "Traceback" in done.stderr) == (2, "", False), done.stderr
    return " ".join(done.stderr.replace("│", " ").split())


def started(*arguments: str, stdin: str = "", **more: str) -> subprocess.CompletedProcess[str]:
    """Starts the program, and runs it to its end."""
    return subprocess.run(
        [*PROGRAM, *arguments], input=stdin, capture_output=True, encoding="utf-8", env=surroundings(**more), timeout=60
    )


def _forked(arguments: tuple[str, ...], stdin: str, more: dict[str, str]) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(stdin.encode())
        given.seek(0)
        status = ask(_server(), arguments, os.getcwd(), given, out, errors, **more)
        texts = [file.seek(0) or file.read().decode().replace("\r\n", "\n") for file in (out, errors)]
    return subprocess.CompletedProcess([*PROGRAM, *arguments], status, *texts)


def ask(server: socket.socket, arguments: Sequence[str], folder: str, *streams: IO[bytes], **more: str) -> int:
    """The status of a run by tests/cli/server.py; its streams are standard input, output and errors."""
    request = json.dumps({"arguments": arguments, "folder": folder, "more": more}).encode()
    socket.send_fds(server, [request], [one.fileno() for one in streams])
    return int(server.recv(100))


@cache
def _server() -> socket.socket:
    """The connection to tests/cli/server.py, which ends with it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(60)
    command = [sys.executable, "-m", "tests.cli.server", str(theirs.fileno())]
    folder = Path(__file__).parents[2]
    process = subprocess.Popen(command, cwd=folder, env=surroundings(), pass_fds=[theirs.fileno()])
    theirs.close()
    atexit.register(lambda: (ours.close(), process.wait(10)))
    return ours


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
    return CliRunner().invoke(application(commands_to_load(arguments)), arguments)
