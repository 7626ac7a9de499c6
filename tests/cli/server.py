"""Has the program loaded, and runs it again and again: each time in a fork, a process of its own as users start it.

Only what tests of the command line do between two runs is saved: starting Python, and loading what any run needs.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
from contextlib import suppress


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
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    sys.stdout = open(1, "w", encoding="utf-8", errors="surrogateescape")  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    sys.argv = ["walkthrough", *arguments]


if __name__ == "__main__":
    import walkthrough
    from walkthrough.cli import main

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the program does, before numpy is imported
    for module in pkgutil.walk_packages(walkthrough.__path__, "walkthrough."):
        if not module.name.endswith("__main__"):
            with suppress(ImportError):  # of what is not installed
                importlib.import_module(module.name)
    gc.freeze()

    serve(socket.socket(fileno=int(sys.argv[1])))
    main()
