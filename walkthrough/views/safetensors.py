"""The trace as a .safetensors file: one float64 tensor for each path, including other names of a value.

The format: https://huggingface.co/docs/safetensors. A head in JSON, then the numbers, each tensor at a multiple of 8
bytes and right behind the one before.
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.data import about_trace
from walkthrough.views.options import Options

_BYTES = 8


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the file; the same trace gives the same bytes."""
    named = [(path, value) for value in trace.select(*options.steps) for path in (value.path, *value.also)]
    about = {key: str(value) for key, value in about_trace(trace).items()}
    head: dict[str, Any] = {"__metadata__": about}
    end = 0
    for path, value in named:
        begin, end = end, end + value.array.size * _BYTES
        head[path] = {"dtype": "F64", "shape": list(value.shape), "data_offsets": [begin, end]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % _BYTES)
    out.write(len(text).to_bytes(8, "little"))
    out.write(text)
    for _, value in named:
        out.write(np.ascontiguousarray(value.array, "<f8").tobytes())
