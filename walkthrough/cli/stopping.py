"""Being asked to stop: what is half done is put away first."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager


class _StoppedError(BaseException):
    """The system asks the program to end; no `except Exception` is in its way."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Lets `finally` do its work on SIGTERM, or when the terminal is closed; then the signal ends the program.

    A signal that is ignored, as under nohup, stays so.
    """
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    received: list[int] = []

    def stop(number: int, frame: object) -> None:
        received.append(number)
        raise _StoppedError

    for number in signals:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, stop)
    try:
        yield
    except _StoppedError:
        signal.signal(received[0], signal.SIG_DFL)
        os.kill(os.getpid(), received[0])  # without waiting for a reader of our output
