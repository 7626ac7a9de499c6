"""Progress of long work: a line on standard error while it lasts, where that is a terminal; nothing in a pipe."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING

from walkthrough.cli.stopping import cleanup_on_signal

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from walkthrough.recording.trace import Trace

PATIENCE = 2.0
"""Seconds before anything is shown."""


class Progress:
    """The line that is shown of work in progress: a text, or how far a calculation has come."""

    def __init__(self) -> None:
        self.text = "loading …"
        self._trace: Trace | None = None
        self._began = 0.0
        self._live: Live | None = None

    def watch(self, trace: Trace) -> None:
        """From now on the line says how far this trace has come."""
        self._trace, self._began = trace, monotonic()

    def __rich__(self) -> Text:
        """The line at this moment."""
        from rich.text import Text

        if self._trace is None:
            return Text(self.text)
        return Text(f"{self._trace.progress} …" if self._trace.progress else self._layer(self._trace))

    def _layer(self, trace: Trace) -> str:
        """Which layer of a single pass is at hand, and how long the others take where each takes as long."""
        count = f"calculating: {len(trace):,} values …"
        if trace.layer is None:
            return count
        number, layers = trace.layer
        done = number - 1
        left = round((monotonic() - self._began) / done * (layers - done)) if done else 0
        return f"layer {number} of {layers}" + (f" · {left // 60}:{left % 60:02} left" if done else "")

    def start(self) -> None:
        """Begins to show the line, which rich then redraws from a thread of its own."""
        from rich.console import Console
        from rich.live import Live

        self._live = Live(
            self, console=Console(file=sys.stderr), transient=True, redirect_stdout=False, redirect_stderr=False
        )
        self._live.start()

    def stop(self) -> None:
        """Removes the line, if it is shown."""
        if self._live is not None:
            with contextlib.suppress(OSError, ValueError):  # the terminal is gone
                self._live.stop()


@contextlib.contextmanager
def progress() -> Iterator[Progress]:
    """Shows the progress of the work inside once it has taken a while."""
    shown = Progress()
    if not sys.stderr.isatty():
        yield shown
        return
    from threading import Timer

    timer = Timer(PATIENCE, shown.start)
    timer.daemon = True
    timer.start()
    try:
        with cleanup_on_signal(shown.stop):
            yield shown
    finally:
        timer.cancel()
        timer.join()
        shown.stop()
