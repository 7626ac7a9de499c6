"""When asked to stop, by Ctrl-C or the system: cleans up what is half done, and ends quietly.

Not by an exception: raised in the middle of a library's import, it may come out as another one.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

INTERRUPTED = 130
"""Exit status after Ctrl-C, as a shell has it."""

_cleanups: list[Callable[[], object]] = []


def handle_signals() -> None:
    """Lets Ctrl-C, SIGTERM and a closed terminal end the program like this; a signal that is ignored stays ignored."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # some systems have fewer
        if number is not None and signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(number, _stop)


@contextmanager
def cleanup_on_signal(cleanup: Callable[[], object]) -> Iterator[None]:
    """Has `cleanup` called if the program is stopped in here."""
    _cleanups.append(cleanup)
    try:
        yield
    finally:
        _cleanups.remove(cleanup)


def _stop(number: int, frame: object) -> None:
    for cleanup in reversed(_cleanups):
        with suppress(Exception):
            cleanup()
    if number == signal.SIGINT:
        os._exit(INTERRUPTED)  # without waiting for whoever reads our output
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
