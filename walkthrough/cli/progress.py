"""Progress of long work: one line on standard error while it lasts, where that is a terminal; nothing in a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from walkthrough.cli.stopping import undone_if_stopped
from walkthrough.text import printable

if TYPE_CHECKING:
    from walkthrough.recording.trace import Trace

PATIENCE = 1.0
"""Seconds before anything is shown."""
_PAUSE = 0.2


class Progress:
    """What is shown of work that goes on: it is loading, trains, has calculated so many values, or writes a file."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.trace: Trace | None = None
        self.steps = 1
        self.said = ""
        self.writing = ""
        self._shown = ""

    def watch(self, trace: Trace, steps: int = 1) -> None:
        """The loading is over; from now on this becomes more, in so many steps of training."""
        self.trace = trace
        self.steps = steps
        self._step = 1

    def show(self) -> None:
        """Puts the present state in the place of the one shown before."""
        text = self._state()
        self._write(f"\r{text.ljust(len(self._shown))}")
        self._shown = text

    def _state(self) -> str:
        if self.said:
            return self.said
        if self.writing:
            return f"writing {printable(self.writing)} …"
        if self.trace is None:
            return "loading …"
        if self.steps > 1:
            with contextlib.suppress(RuntimeError, StopIteration):  # it grows while we look
                self._step = _training_step(next(reversed(self.trace.values))) or self._step
            return f"training … step {self._step:,} of {self.steps:,}"
        return f"calculating … {len(self.trace):,} values"

    def remove(self) -> None:
        """Leaves an empty line, if anything was shown."""
        if self._shown:
            self._write(f"\r{' ' * len(self._shown)}\r")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # nobody can be told
            self.stream.write(text)
            self.stream.flush()


def _training_step(path: str) -> int | None:
    """3 of `train.3.loss.mean`."""
    words = path.split(".")
    return int(words[1]) if words[0] == "train" and len(words) > 1 else None


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
