"""A pseudo-terminal of 80 columns, on which keys are pressed."""

from __future__ import annotations

import os
import select
import struct
from collections.abc import Sequence
from contextlib import suppress

import pytest

from tests.cli.program import surroundings

pty = pytest.importorskip("pty")
_PROMPTS = (b"\n> ", b"q: leave\r\n")
"""How what is shown ends where a key is waited for."""


def on_terminal(*command: str, keys: Sequence[str] = (), lines: int = 24, **environment: str) -> tuple[int, str]:
    """The exit status, and what stands on the terminal; what is typed, a text for each prompt."""
    import fcntl
    import termios

    process, terminal = pty.fork()
    if process == 0:  # the child; nothing of the tests may run on here
        os.execve(command[0], command, surroundings(**{"TERM": "xterm", **environment}))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    shown, waiting = b"", list(keys)
    with suppress(OSError):  # what Linux says of a terminal that is closed
        while select.select([terminal], [], [], 20)[0]:
            chunk = os.read(terminal, 65536)
            shown += chunk
            if not chunk:
                break
            if waiting and shown.endswith(_PROMPTS):
                os.write(terminal, waiting.pop(0).encode())
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), shown.decode().replace("\r\n", "\n")
