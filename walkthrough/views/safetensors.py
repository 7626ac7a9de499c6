"""The trace as a .safetensors file: one float64 tensor for each path, including other names of a value.

The format: https://huggingface.co/docs/safetensors. A head in JSON, then the numbers, each tensor right behind the one
before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import numpy as np

from walkthrough.recording.trace import Trace
from walkthrough.views.data import about_trace
from walkthrough.views.options import Options

_ALIGNED = 8
"""The numbers begin at a multiple of so many bytes."""


def write(trace: Trace, options: Options, out: BinaryIO) -> None:
    """Writes the file; the same trace gives the same bytes."""
    named = [(path, value) for value in trace.select(*options.steps) for path in (value.path, *value.also)]
    sizes = {path: ("F64", list(value.shape), 8 * value.array.size) for path, value in named}
    about = {key: str(value) for key, value in about_trace(trace).items()}
    write_tensors(out, sizes, (np.ascontiguousarray(value.array, "<f8").tobytes() for _, value in named), about)


def write_tensors(
    out: BinaryIO,
    entries: Mapping[str, tuple[str, list[int], int]],
    contents: Iterable[bytes],
    about: Mapping[str, str] | None = None,
) -> None:
    """Writes tensors: of each by name its type as the file calls it, its shape and how many bytes it has; these bytes.

    about: what the head says of the whole
    """
    head: dict[str, Any] = {"__metadata__": about} if about else {}
    end = 0
    for name, (kind, shape, size) in entries.items():
        begin, end = end, end + size
        head[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(head, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % _ALIGNED)
    out.write(len(text).to_bytes(8, "little") + text)
    for content in contents:
        out.write(content)
