"""The trace as an .npz file: one float64 array for each path, further names of a value included."""

from __future__ import annotations

import io

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.document import Options

SUFFIXES = (".npz",)


def write(trace: Trace, options: Options) -> bytes:
    """The file; the same trace gives the same bytes."""
    arrays = {path: value.array for value in trace.select(*options.steps) for path in (value.path, *value.also)}
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()
