"""Writing files: whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from pathlib import Path


def write_file(name: str, content: bytes) -> None:
    """Writes a file under a temporary name and renames it, so that a failure leaves no file and harms no old one.

    `-` is standard output; a device or pipe is written to as it is. Raises OSError.
    """
    if name == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(name))
    if target.exists() and not target.is_file():
        target.write_bytes(content)  # a device or pipe; for a folder the system's own message
        return
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(13, "Permission denied", name)
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as failure:
        raise OSError(failure.errno, failure.strerror, name) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
