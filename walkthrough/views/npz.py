"""The trace as an .npz file: one float64 array for each path, including other names of a value."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.options import Options

_BLOCK = 4_000_000
"""Numbers of a matrix of a file that are held at once: 32 MB."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the file; the same trace gives the same bytes."""
    with write_arrays(out) as file:
        for value in trace.select(*options.steps):
            for path in (value.path, *value.also):
                file.add(path, value.array)


class ArraysFile:
    """An .npz file that is written array by array, as numpy.savez writes it."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def add(self, name: str, array: Any) -> None:
        """Writes one array; what stands for a matrix of a file is read and written some rows at a time."""
        with self._archive.open(f"{name}.npy", "w", force_zip64=True) as file:
            if isinstance(array, np.ndarray):
                np.lib.format.write_array(file, array, allow_pickle=False)
                return
            rows, columns = array.shape
            header = {"descr": "<f8", "fortran_order": False, "shape": (rows, columns)}
            np.lib.format.write_array_header_1_0(file, header)
            step = max(1, _BLOCK // columns)
            for first in range(0, rows, step):
                file.write(np.ascontiguousarray(array[first : first + step], dtype="<f8").tobytes())


@contextmanager
def write_arrays(out: BinaryIO) -> Iterator[ArraysFile]:
    """An .npz file that goes to `out`; into a pipe when it is whole: written there it would have other bytes."""
    if out.seekable():
        with zipfile.ZipFile(out, "w", allowZip64=True) as archive:
            yield ArraysFile(archive)
        return
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
            yield ArraysFile(archive)
        file.seek(0)
        shutil.copyfileobj(file, out)
