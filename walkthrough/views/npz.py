"""The trace as an .npz file: one float64 array for each path, including other names of a value."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from contextlib import nullcontext
from typing import Any, BinaryIO

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options

_BLOCK = 4_000_000
"""Numbers of a matrix of a file that are held at once: 32 MB."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the file; the same trace gives the same bytes. Into a pipe it goes whole: there it would have others."""
    with nullcontext(out) if out.seekable() else tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            for value in trace.select(*options.steps):
                for path in (value.path, *value.also):
                    _add(archive, path, value.array)
        if file is not out:
            file.seek(0)
            shutil.copyfileobj(file, out)


def _add(archive: zipfile.ZipFile, name: str, array: Any) -> None:
    """Writes one array as numpy.savez does; what stands for a matrix of a file is read some rows at a time."""
    with archive.open(f"{name}.npy", "w", force_zip64=True) as file:
        if isinstance(array, np.ndarray):
            np.lib.format.write_array(file, array, allow_pickle=False)
            return
        rows, columns = array.shape
        header = {"descr": "<f8", "fortran_order": False, "shape": (rows, columns)}
        np.lib.format.write_array_header_1_0(file, header)
        step = max(1, _BLOCK // columns)
        for first in range(0, rows, step):
            file.write(np.ascontiguousarray(array[first : first + step], dtype="<f8").tobytes())
