"""Safetensors files: a head in JSON that says where each tensor lies, then their bytes; and indexes of several such.

The format: https://huggingface.co/docs/safetensors. Read here rather than by its library, so that a head is read once
and a fault is reported in our words.
"""

from __future__ import annotations

import json
import math
import os
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from walkthrough.errors import reason_of
from walkthrough.scenario.file_checks import find_name, no_real_numbers, unreadable
from walkthrough.scenario.tensors.short_floats import SHORT_FLOATS, read_short
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import in_quotes

_LONGEST_HEAD = 100_000_000
_TYPES = {
    **{f"F{bits}": f"<f{bits // 8}" for bits in (16, 32, 64)},
    **{f"I{bits}": f"<i{bits // 8}" for bits in (8, 16, 32, 64)},
    **{f"U{bits}": f"<u{bits // 8}" for bits in (8, 16, 32, 64)},
}


class _Tensor(NamedTuple):
    """A tensor in a file: its type, its shape, and where its bytes begin and end."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


class Safetensors:
    """One file of tensors."""

    def __init__(self, path: Path) -> None:
        self.path = path
        status = path.stat()
        self._tensors = _head(path, status.st_size, status.st_mtime_ns)

    def names(self) -> list[str]:
        return list(self._tensors)

    def shape(self, name: str | None) -> list[int]:
        tensor = self._tensors[find_name(name, self.names())]
        if tensor.kind not in _TYPES and tensor.kind not in SHORT_FLOATS:
            raise no_real_numbers(tensor.kind)
        if math.prod(tensor.shape) * _bytes(tensor.kind) != tensor.end - tensor.begin:
            raise _damaged(self.path)
        return list(tensor.shape)

    def kind(self, name: str) -> str:
        """The type of a tensor, as the file calls it: F32, BF16, …"""
        return self._tensors[find_name(name, self.names())].kind

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        shape = self.shape(name)
        tensor = self._tensors[find_name(name, self.names())]
        size, begin = _bytes(tensor.kind), tensor.begin
        if rows:
            width = math.prod(shape[1:]) * size
            begin, shape = begin + (rows[0] - 1) * width, [rows[1] - rows[0] + 1, *shape[1:]]
        with self.path.open("rb") as file:
            file.seek(begin)
            content = file.read(math.prod(shape) * size)
        if len(content) != math.prod(shape) * size:
            raise _damaged(self.path)
        return _numbers(tensor.kind, content).reshape(shape)


def _bytes(kind: str) -> int:
    """How many bytes a number of this type takes."""
    return int(_TYPES[kind][-1]) if kind in _TYPES else SHORT_FLOATS[kind].bytes


def _numbers(kind: str, content: bytes) -> Any:
    import numpy as np

    return np.frombuffer(content, _TYPES[kind]) if kind in _TYPES else read_short(SHORT_FLOATS[kind], content)


def _damaged(path: Path) -> WeightsError:
    return WeightsError(f"{in_quotes(path.name)} is not a safetensors file, or it is damaged", "file")


@lru_cache(maxsize=256)
def _head(path: Path, size: int, changed: int) -> dict[str, _Tensor]:
    """The tensors of a file; `size` and `changed` make it be read again when it is another."""
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if size < 8 or length > min(size - 8, _LONGEST_HEAD):
            raise _damaged(path)
        written = file.read(length)
    try:
        entries = json.loads(written)
        entries.pop("__metadata__", None)
        tensors = {name: _entry(entry, 8 + length) for name, entry in entries.items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):  # OverflowError: Infinity
        raise _damaged(path) from None
    if any(tensor.end > size for tensor in tensors.values()):
        raise _damaged(path)
    return tensors


def _entry(entry: dict[str, Any], start: int) -> _Tensor:
    """One tensor of the head, whose offsets count from the head's end."""
    begin, end = (int(offset) for offset in entry["data_offsets"])
    shape = tuple(int(size) for size in entry["shape"])
    if not 0 <= begin <= end or any(size < 0 for size in shape):
        raise ValueError
    return _Tensor(str(entry["dtype"]), shape, start + begin, start + end)


class SafetensorsIndex:
    """A checkpoint in several files, and the index that says which tensor is in which."""

    def __init__(self, path: Path) -> None:
        self.path = path
        status = path.stat()
        self._files = _index(path, status.st_size, status.st_mtime_ns)

    def names(self) -> list[str]:
        return list(self._files)

    def shape(self, name: str | None) -> list[int]:
        return self._part(name).shape(name)

    def kind(self, name: str) -> str:
        """The type of a tensor, as its file calls it."""
        return self._part(name).kind(name)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        return self._part(name).read(name, rows)

    def _part(self, name: str | None) -> Safetensors:
        """The file that holds a tensor."""
        path = self.path.parent / self._files[find_name(name, self.names())]
        try:
            part = Safetensors(path)
        except OSError as error:
            raise unreadable(self.path, f"its file {in_quotes(path.name)}: {reason_of(error)}") from None
        if name not in part.names():
            raise unreadable(self.path, f"{in_quotes(path.name)} has no tensor {in_quotes(str(name))}")
        return part


@lru_cache(maxsize=16)
def _index(path: Path, size: int, changed: int) -> dict[str, str]:
    """Tensor → name of its file."""
    try:
        if size > _LONGEST_HEAD:
            raise ValueError
        files = json.loads(path.read_bytes())["weight_map"]
        if any(b"\0" in os.fsencode(file) for file in files.values()):  # nor is half a character in any name
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise unreadable(path, "it is not an index of safetensors files with a weight_map") from None
    return dict(files)


def kind_of(type_name: str) -> str:
    """What a file calls a type that PyTorch calls `float64`, `bfloat16`, …; empty for what nobody stores."""
    short = {one.name: kind for kind, one in SHORT_FLOATS.items()}
    words = {"float": "F", "int": "I", "uint": "U"}
    plain = {f"{word}{kind[1:]}": kind for word, letter in words.items() for kind in _TYPES if kind[0] == letter}
    return ({"bool": "BOOL"} | plain | short).get(type_name, "")
