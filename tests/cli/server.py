"""Has the program loaded, and runs it again and again: each time in a fork, a process of its own as users start it.

Only what tests of the command line do between two runs is saved: starting Python, and loading what any run needs.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
from types import SimpleNamespace
from typing import NoReturn


def serve(connection: socket.socket) -> None:
    """Answers each request with the status of a run; comes back in the process that has to be that run."""
    while True:
        request, descriptors, _, _ = socket.recv_fds(connection, 1 << 20, 4)
        if not request:
            os._exit(0)
        child = os.fork()
        if child == 0:
            connection.close()
            return _become(*descriptors, **json.loads(request))
        for one in descriptors:
            os.close(one)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        connection.sendall(str(status).encode())


def _become(stdin: int, stdout: int, stderr: int, arguments: list[str], folder: str, more: dict[str, str]) -> None:
    """Streams, folder, environment and arguments of a process that has just been started with PYTHONUTF8=1."""
    os.environ.update(more)
    for number, descriptor in enumerate((stdin, stdout, stderr)):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(folder)
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv = ["walkthrough", *arguments]


def run_forks(connection: socket.socket) -> NoReturn:
    """Serves; in the process that has to be a run, it is that run."""
    from walkthrough.cli.teaching import learn

    learn.subprocess = SimpleNamespace(run=_run_fork, DEVNULL=None, PIPE=None)  # type: ignore[assignment]
    serve(connection)
    _run()


def _run() -> NoReturn:
    from walkthrough.cli import main

    try:
        main()
    except SystemExit as end:
        os._exit(int(end.code or 0))  # all is written; to take apart what was loaded is half the time of a run
    os._exit(0)


def _run_fork(command: list[str], env: dict[str, str], encoding: str, **_: object) -> SimpleNamespace:
    """What `subprocess.run` gives for a command of the course."""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            _become(os.open(os.devnull, os.O_RDONLY), os.dup(out.fileno()), os.dup(2), command[3:], ".", env)
            _run()
        os.waitpid(child, 0)
        out.seek(0)
        return SimpleNamespace(stdout=out.read().decode(encoding))


def serve_forks(**environment: str) -> socket.socket:
    """The connection to a fork of this process, in which the program is loaded as it is now."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        ours.close()
        os.environ.clear()
        os.environ.update(environment)
        run_forks(theirs)
    theirs.close()
    return ours


if __name__ == "__main__":
    import tests.loaded  # noqa: F401

    run_forks(socket.socket(fileno=int(sys.argv[1])))
