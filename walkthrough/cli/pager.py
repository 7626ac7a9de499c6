"""Long output on a terminal goes through the user's pager: `$PAGER`, else `less`; short output, and pipes, never."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from shutil import get_terminal_size, which
from typing import IO, TYPE_CHECKING, TextIO

from walkthrough.cli.failures import print_error
from walkthrough.text import in_quotes

if TYPE_CHECKING:
    import subprocess

_LESS = "FRX"
"""What less is told: leave a short output on the screen (F), show colours (R), do not clear the screen (X)."""
_SHELL = {*"'\"\\$=;|&<>()`~"}
"""With one of these in it, the name of the program is the shell's to find."""


@contextlib.contextmanager
def pager(wanted: bool = True) -> Iterator[TextIO]:
    """Where to print: standard output, by way of the pager once there is more than the screen holds.

    When the reader leaves the pager early, the next text raises BrokenPipeError, as it does in a pipe.
    """
    command = _command() if wanted and sys.stdout.isatty() else ""
    if not command:
        yield sys.stdout
        return
    out = PagerStream(sys.stdout, command)
    try:
        yield out
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


class PagerStream(io.StringIO):
    """Text that waits in here until it is longer than the screen; then it, and what follows, goes to the pager."""

    def __init__(self, screen: TextIO, command: str) -> None:
        super().__init__()
        self._screen = screen
        self._command = command
        self._room = get_terminal_size().lines
        self._pager: subprocess.Popen[str] | None = None
        self._on_interrupt = signal.getsignal(signal.SIGINT)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the screen: characters that it lacks are spelled out before they come here."""
        return self._screen.encoding

    def isatty(self) -> bool:
        """It is read on a terminal: in colour, and as wide as that."""
        return True

    def fileno(self) -> int:
        """That of the screen, whose size counts."""
        return self._screen.fileno()

    def write(self, text: str) -> int:
        """Keeps the text, or hands it on."""
        if self._pager is None:
            super().write(text)
            self._room -= text.count("\n")
            if self._room <= 0:
                self._start()
        else:
            self._pipe.write(text)
        return len(text)

    def _start(self) -> None:
        import subprocess

        self._screen.flush()
        environment = {"LESS": _LESS, **os.environ}
        self._pager = subprocess.Popen(
            self._command, shell=True, stdin=subprocess.PIPE, env=environment, encoding=self.encoding, errors="replace"
        )
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # from now on it is the pager's to answer
        self._pipe.write(self.getvalue())

    @property
    def _pipe(self) -> IO[str]:
        assert self._pager is not None
        assert self._pager.stdin is not None
        return self._pager.stdin

    def finish(self) -> None:
        """Prints what is still waiting, or waits until the reader leaves the pager."""
        if self._pager is None:
            self._screen.write(self.getvalue())
            self._screen.flush()
            return
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        self._pager.wait()
        signal.signal(signal.SIGINT, self._on_interrupt)
