"""Failures as messages: what a user can mend ends in one message on standard error and status 2, not in a traceback."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from walkthrough.errors import UserError
from walkthrough.text import escape_label, pluralize


def run_cli(application: Callable[[], object]) -> int:
    """Runs the application and prints the message of its failure; gives the exit status."""
    _open_streams()
    status = _run(application)
    try:
        sys.stderr.flush()
    except OSError:  # nobody can be told
        _silence(sys.__stderr__)
    return status


def _run(application: Callable[[], object]) -> int:
    try:
        application()
        sys.stdout.flush()
    except SystemExit as stop:
        return _status(stop)
    except BrokenPipeError:
        _silence(sys.__stdout__)
        return 0  # whoever read us has seen enough
    except KeyboardInterrupt:
        return 130
    except Exception as failure:
        message = _message(failure)
        if message is None:
            raise
        print_error(message)
        if isinstance(failure, OSError):
            _silence(sys.__stdout__)  # a full disk would complain once more
        return 2
    return 0


def _open_streams() -> None:
    """Standard output and error that can be written to: a closed one leads nowhere, no character is refused."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - for as long as we run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _status(stop: SystemExit) -> int:
    if _is_broken_pipe(stop):  # typer and rich say 1; but whoever read us has seen enough
        _silence(sys.__stdout__)
        return 0
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.__stdout__)
    except OSError as failure:
        print_failure(failure)
        _silence(sys.__stdout__)
        return 2
    return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2


def _is_broken_pipe(stop: BaseException) -> bool:
    """Whether a closed pipe is what a library ended the program for."""
    cause: BaseException | None = stop
    while cause is not None and not isinstance(cause, BrokenPipeError):
        cause = cause.__context__
    return cause is not None


def _silence(stream: TextIO | None) -> None:
    """Lets Python's own last flush find an open file."""
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _message(failure: Exception) -> str | None:
    """The message of a failure that a user can mend; None for any other, which is a defect of ours."""
    from walkthrough.scenario.yaml.problems import ScenarioError

    if isinstance(failure, ScenarioError):
        several = len(failure.problems) > 1
        return str(failure) + (
            f"\n\n{pluralize(len(failure.problems), 'problem')} in {failure.source}" if several else ""
        )
    if isinstance(failure, OSError):
        reason = failure.strerror or str(failure)
        if isinstance(failure, FileNotFoundError) and failure.filename:
            folder = Path(os.fsdecode(failure.filename)).parent
            reason = reason if folder.exists() else f"there is no folder {escape_label(str(folder))}"
        return f"{escape_label(str(failure.filename))}: {reason}" if failure.filename else reason
    if isinstance(failure, UserError):
        return str(failure)
    if isinstance(failure, MemoryError):
        return "the numbers of this scenario do not fit into memory"
    return None


def print_failure(failure: Exception) -> None:
    """Prints the message of a failure that a user can mend."""
    print_error(_message(failure) or str(failure))


def print_error(message: str) -> None:
    """Prints a line on standard error, whatever characters that can show."""
    encoding = sys.stderr.encoding or "ascii"
    with contextlib.suppress(OSError):  # nobody can be told
        print(message.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)
