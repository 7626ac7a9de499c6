"""Text on its way to a terminal: it waits until there is more than the screen holds, and goes to a pager then."""

from __future__ import annotations

import contextlib
import io
import os
import signal
from shutil import get_terminal_size
from typing import IO, TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    import subprocess

_ESCAPE, _LESS = "\x1b", "FRX"
"""less: leave a short output on the screen (F), show colours (R), do not clear the screen (X)."""


class Paged(io.TextIOBase):
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
