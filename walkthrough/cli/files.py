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

Write = Callable[[BinaryIO], object]
"""Writes the content of a file into it."""
_BINARY = getattr(os, "O_BINARY", 0)


def write_file(name: str, content: bytes) -> None:
    """Writes a file that is there already as bytes; as `stream_files`."""
    stream_files([(name, lambda out: out.write(content))])


def stream_files(files: Sequence[tuple[str, Write]], folder: Path | None = None) -> None:
    """Writes files under temporary names, and renames them when all are written: a failure leaves none, harms none.

    files:  names, each with what is given the open file
    folder: where some of them are; it is made, when all are written, where it is missing
    `-` is standard output; a device or pipe is written to as it is, before the others are renamed. Raises OSError.
    """
    staged: list[tuple[Path, Path]] = []

    def remove() -> None:
        for temporary, _ in staged:
            with contextlib.suppress(OSError):
                os.unlink(temporary)

    with cleanup_on_signal(remove):  # from before a file is there, so that nothing comes in between
        try:
            for name, write in files:
                _write(name, write, staged, folder)
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            for temporary, target in staged:
                os.replace(temporary, target)
        except BaseException:
            remove()
            raise


def _write(name: str, write: Write, staged: list[tuple[Path, Path]], folder: Path | None) -> None:
    """Writes a file. staged: takes the name that it has until all are written, and its own"""
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
    target = Path(os.path.realpath(name))
    home = _nearest(target.parent) if folder is not None and Path(name).parent == folder else target.parent
    temporary = home / f".walkthrough-{os.urandom(8).hex()}.part"
    staged.append((temporary, target))
    with _create(temporary, name) as file:
        write(file)
    os.chmod(temporary, mode)


def _nearest(folder: Path) -> Path:
    """The folder, or where it is missing the nearest one around it that is there. Raises NotADirectoryError."""
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
    return folder


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
