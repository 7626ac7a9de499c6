"""Being asked to stop, by Ctrl-C or the system: what is half done is undone, and the program ends without a trace.

Not by an exception: raised in the middle of a library's import, it may come out as another one.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
"""Exit status after Ctrl-C, as a shell has it."""

_undo: list[Callable[[], object]] = []


def listen() -> None:
    """From now on Ctrl-C, SIGTERM and a closed terminal end the program so; where they are ignored they stay so."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # some systems have fewer
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


@contextmanager
def undone_if_stopped(undo: Callable[[], object]) -> Iterator[None]:
    """Has `undo` called if the program is stopped in here."""
    _undo.append(undo)
    try:
        yield
    finally:
        _undo.remove(undo)


def _stop(number: int, frame: object) -> None:
    for undo in reversed(_undo):
        with suppress(Exception):
            undo()
    if number == signal.SIGINT:
        os._exit(INTERRUPTED)  # without waiting for whoever reads our output
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
