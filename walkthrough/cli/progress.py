"""Progress of long work: one line on standard error while it lasts, where that is a terminal; nothing in a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sized
from typing import TextIO

from walkthrough.cli.stopping import undone_if_stopped

PATIENCE = 1.0
"""Seconds before anything is shown."""
_PAUSE = 0.2


class Progress:
    """What is said of work that goes on: it is loading, or so many values have been calculated."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.values: Sized | None = None
        self._shown = ""

    def watch(self, values: Sized) -> None:
        """The loading is over; from now on these become more."""
        self.values = values

    def show(self) -> None:
        """Puts the present state in the place of the one shown before."""
        text = "loading …" if self.values is None else f"calculating … {len(self.values):,} values"
        self._write(f"\r{text.ljust(len(self._shown))}")
        self._shown = text

    def remove(self) -> None:
        """Leaves an empty line, if anything was shown."""
        if self._shown:
            self._write(f"\r{' ' * len(self._shown)}\r")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody can be told
            self.stream.write(text)
            self.stream.flush()


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """Shows, from another thread, how the work inside goes on once it has taken a while."""
    shown = Progress(sys.stderr)
    if not sys.stderr.isatty():
        yield shown
        return
    from threading import Event, Thread

    done = Event()

    def run() -> None:
        pause = PATIENCE
        while not done.wait(pause):
            shown.show()
            pause = _PAUSE
        shown.remove()

    thread = Thread(target=run, daemon=True)
    thread.start()
    try:
        with undone_if_stopped(shown.remove):
            yield shown
    finally:
        done.set()
        thread.join()
