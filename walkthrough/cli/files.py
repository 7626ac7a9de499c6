"""Writing files: whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO

import typer

from walkthrough.cli.stopping import cleanup_on_signal
from walkthrough.text import escape_label

_BINARY = getattr(os, "O_BINARY", 0)


def write_file(name: str, content: bytes) -> None:
    """Writes a file that is there already as bytes; as `stream_file`."""
    stream_file(name, lambda out: out.write(content))


def stream_file(name: str, write: Callable[[BinaryIO], object]) -> None:
    """Writes a file under a temporary name and renames it, so that a failure leaves no file and harms no old one.

    write: is given the open file
    `-` is standard output; a device or pipe is written to as it is. Raises OSError.
    """
    if name == "-":
        write(sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    status = _status(name)
    if status is not None and not stat.S_ISREG(status.st_mode):
        with open(name, "wb") as file:  # a device or pipe; for a folder the system's own message
            write(file)
        return
    if status is not None and not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    mode = stat.S_IMODE(status.st_mode) if status else 0o666 & ~_umask()
    _replace(name, Path(os.path.realpath(name)), write, mode)


def keep_apart(read: Sequence[str], written: Sequence[str]) -> None:
    """Raises BadParameter where a file would be written over one that is read, or over another one."""
    taken = {Path(name).resolve() for name in read if Path(name).exists()}
    for name in written:
        path = Path(name).resolve()
        if name != "-" and path in taken:
            raise typer.BadParameter(f"{escape_label(name)} would be overwritten; give each file a name of its own")
        taken.add(path)


def _status(name: str) -> os.stat_result | None:
    """What the file system has under that name, links followed; None where there is nothing."""
    try:
        return os.stat(name)
    except FileNotFoundError:
        if name.endswith(("/", os.sep)):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name) from None
        return None


def _replace(name: str, target: Path, write: Callable[[BinaryIO], object], mode: int) -> None:
    """Puts what is written in the place of `target`, which the user called `name`."""
    temporary = target.with_name(f".walkthrough-{os.urandom(8).hex()}.part")

    def remove() -> None:
        with contextlib.suppress(OSError):
            os.unlink(temporary)

    with cleanup_on_signal(remove):  # from before the file is there, so that nothing comes in between
        try:
            with _create(temporary, name) as file:
                write(file)
            os.chmod(temporary, mode)
            os.replace(temporary, target)
        except BaseException:
            remove()
            raise


def _create(temporary: Path, name: str) -> BinaryIO:
    """A new file that nobody else may read; where it cannot be made, the error is about the user's own name."""
    try:
        return os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb")
    except OSError as failure:
        raise OSError(failure.errno, failure.strerror, name) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
