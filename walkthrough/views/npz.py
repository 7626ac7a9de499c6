"""The trace as an .npz file: one float64 array for each path, including other names of a value."""

from __future__ import annotations

import shutil
import tempfile
from typing import BinaryIO

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the file; the same trace gives the same bytes."""
    arrays = {path: value.array for value in trace.select(*options.steps) for path in (value.path, *value.also)}
    if out.seekable():
        np.savez(out, allow_pickle=False, **arrays)
        return
    with tempfile.TemporaryFile() as file:  # an archive written into a pipe would have other bytes
        np.savez(file, allow_pickle=False, **arrays)
        file.seek(0)
        shutil.copyfileobj(file, out)
