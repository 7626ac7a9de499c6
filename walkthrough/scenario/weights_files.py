"""The kinds of weights files: the shape of a tensor from the head of the file, its numbers when they are wanted."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from zipfile import ZipFile

from walkthrough.scenario.problems import WeightsError
from walkthrough.text import did_you_mean, printable

_CHUNK = 2**20


MOST_NUMBERS = 250_000_000
"""Numbers of one tensor: 2 GB as float64, against archives that are small only on disk."""


class WeightsFile(Protocol):
    """A file of tensors."""

    def shape(self, name: str | None) -> list[int]:
        """The shape of a tensor of real numbers; raises WeightsError."""

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        """Its numbers, or those of the rows from the first to the last, counted from 1."""


class _Safetensors:
    def __init__(self, path: Path) -> None:
        self.path = path

    def _slice(self, name: str | None) -> Any:
        from safetensors import SafetensorError, safe_open

        try:
            import ml_dtypes  # noqa: F401  (numpy learns bfloat16 by this import)

            opened: Any = safe_open(str(self.path), "np")
            names = list(opened.keys())
        except (SafetensorError, OSError, ValueError) as error:
            raise WeightsError(f"{shown(self.path.name)} is no safetensors file: {error}", "file") from None
        return opened.get_slice(_known(name, names))

    def shape(self, name: str | None) -> list[int]:
        sliced = self._slice(name)
        kind = sliced.get_dtype()
        if not kind.startswith(("F", "BF", "I", "U")) or (kind.startswith("F8") and kind not in _FLOAT8):
            raise WeightsError(f"the tensor holds {kind}, expected real numbers", "tensor")
        return list(sliced.get_shape())

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        sliced = self._slice(name)
        if kind := _FLOAT8.get(sliced.get_dtype()):
            return self._float8(str(name), kind)[slice(rows[0] - 1, rows[1]) if rows else slice(None)]
        return sliced[rows[0] - 1 : rows[1]] if rows else sliced[:]

    def _float8(self, name: str, kind: str) -> Any:
        """A tensor of a type that the library cannot hand to numpy."""
        import ml_dtypes
        import numpy as np

        with self.path.open("rb") as file:
            head = json.loads(file.read(int.from_bytes(file.read(8), "little")))[name]
            start, end = head["data_offsets"]
            file.seek(start, 1)  # offsets count from the end of the head
            return np.frombuffer(file.read(end - start), getattr(ml_dtypes, kind)).reshape(head["shape"])


class _Npy:
    """One array, mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _array(self) -> Any:
        import numpy as np

        with _readable(self.path):
            array = np.load(self.path, mmap_mode="r", allow_pickle=False)
            if not isinstance(array, np.ndarray):
                raise WeightsError(f"{shown(self.path.name)} is an archive; its name should end in .npz", "file")
            return array

    def shape(self, name: str | None) -> list[int]:
        array = self._array()
        _check_kind(array.dtype)
        return list(array.shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        array = self._array()
        return array[rows[0] - 1 : rows[1]] if rows else array


class _Npz:
    """An archive of arrays, each read when it is wanted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def shape(self, name: str | None) -> list[int]:
        """From the head of the member; the rest is passed over once, so that a damaged one is found now."""
        with _readable(self.path), ZipFile(self.path) as archive:
            names = [member.removesuffix(".npy") for member in archive.namelist()]
            with archive.open(_known(name, names) + ".npy") as member:
                shape, _, dtype = npy_head(member)
                _check_kind(dtype)
                if math.prod(shape) <= MOST_NUMBERS:
                    while member.read(_CHUNK):
                        pass
        return list(shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        import numpy as np

        with _readable(self.path), np.load(self.path, allow_pickle=False) as members:
            array = members[_known(name, list(members.files))]
        return array[rows[0] - 1 : rows[1]] if rows else array


def npy_head(member: Any) -> tuple[tuple[int, ...], bool, Any]:
    """Shape, whether columns go before rows, and type, from the head of an .npy file."""
    from numpy.lib import format as npy

    version = npy.read_magic(member)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, is_turned, dtype = read(member)
    if any(size < 0 for size in shape):
        raise ValueError("a size below zero")
    return shape, is_turned, dtype


def _check_kind(dtype: Any) -> None:
    if dtype.kind not in "fiu":
        held = "Python objects" if dtype.kind == "O" else str(dtype)
        raise WeightsError(f"the tensor holds {held}, expected real numbers", "tensor")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Whatever numpy and zipfile raise for a damaged file, as one kind of error."""
    try:
        yield
    except (WeightsError, MemoryError):
        raise
    except Exception as error:
        reason = "it holds Python objects" if "Python objects" in str(error) or "pickle" in str(error) else str(error)
        raise WeightsError(f"{shown(path.name)} cannot be read: {reason}", "file") from None


def _known(name: str | None, names: list[str]) -> str:
    if name in names and name is not None:
        return name
    if name is None:
        raise WeightsError("no tensor is named", help=f"add tensor: …; the file has {_listed(names)}")
    help = did_you_mean(name, names) or f"it has {_listed(names)}"
    raise WeightsError(f"the file has no tensor {shown(name)}", "tensor", help)


def _listed(names: list[str]) -> str:
    more = ", …" if len(names) > 6 else ""
    return ", ".join(map(shown, names[:6])) + more or "none"


def shown(name: str) -> str:
    """A name from the file or the scenario, in quotes."""
    return f"'{printable(name)}'"


_FLOAT8 = {"F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}
KINDS: dict[str, Callable[[Path], WeightsFile]] = {".safetensors": _Safetensors, ".npz": _Npz, ".npy": _Npy}
