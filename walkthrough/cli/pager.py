"""Long output on a terminal goes through the user's pager: `$PAGER`, else `less`; short output, and pipes, never."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from shutil import get_terminal_size, which
from typing import IO, TYPE_CHECKING, TextIO, cast

from walkthrough.cli.failures import print_error
from walkthrough.text import in_quotes

if TYPE_CHECKING:
    import subprocess

_ESCAPE, _LESS = "\x1b", "FRX"
"""less: leave a short output on the screen (F), show colours (R), do not clear the screen (X)."""

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
    out = _Paged(sys.stdout, command)
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


class _Paged(io.TextIOBase):
    """Text that waits until it is longer than the screen; then, and what follows, it goes to the pager."""

    def __init__(self, screen: TextIO, command: str) -> None:
        self._screen = screen
        self._command = command
        self._size = get_terminal_size()
        self._waiting: list[str] = []
        self._lines = 0
        self._pager: subprocess.Popen[str] | None = None
        self._interrupted = signal.getsignal(signal.SIGINT)

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the screen: signs that it lacks are spelled out before they come here."""
        return self._screen.encoding

    def isatty(self) -> bool:
        """It is read on a terminal: in colour, and as wide as that."""
        return True

    def fileno(self) -> int:
        """That of the screen, whose size counts."""
        return self._screen.fileno()

    def writable(self) -> bool:
        """Text is written to it."""
        return True

    def write(self, text: str) -> int:
        """Keeps the text, or hands it on."""
        if self._pager is not None:
            self._pipe.write(text)
            return len(text)
        self._waiting.append(text)
        self._lines += self._rows(text)
        if self._lines >= self._size.lines:
            self._start()
        return len(text)

    def _rows(self, text: str) -> int:
        """How many lines of the screen a text takes."""
        plain = len(text) if _ESCAPE not in text else 0
        return max(text.count("\n"), plain // max(self._size.columns, 1))

    def _start(self) -> None:
        import subprocess

        self._screen.flush()
        environment = {"LESS": _LESS, **os.environ}
        encoding = self.encoding
        self._pager = subprocess.Popen(
            self._command, shell=True, stdin=subprocess.PIPE, env=environment, encoding=encoding, errors="replace"
        )
        if hasattr(signal, "SIGINT"):
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # from now on it is the pager's to answer
        self._pipe.write("".join(self._waiting))

    @property
    def _pipe(self) -> IO[str]:
        assert self._pager is not None
        assert self._pager.stdin is not None
        return self._pager.stdin

    def finish(self) -> None:
        """Prints what still waits, or waits until the reader leaves the pager."""
        if self._pager is None:
            self._screen.write("".join(self._waiting))
            self._screen.flush()
            return
        with contextlib.suppress(BrokenPipeError):
            self._pipe.close()
        self._pager.wait()
        signal.signal(signal.SIGINT, self._interrupted)
