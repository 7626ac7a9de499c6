"""Numpy's files: .npy with one array, .npz with several in a zip archive. Never unpickled."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from walkthrough.scenario.file_checks import check_count, find_name, no_real_numbers, unreadable
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import in_quotes

_CHUNK = 2**20


class _Head(NamedTuple):
    """The header of an array: its shape, its type, whether its columns come first, and where its bytes begin."""

    shape: tuple[int, ...]
    kind: Any
    by_column: bool
    begin: int

    @property
    def end(self) -> int:
        """Where its bytes end."""
        return self.begin + math.prod(self.shape) * int(self.kind.itemsize)


class Npy:
    """One array without a name, mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def names(self) -> list[str]:
        return []

    def shape(self, name: str | None) -> list[int]:
        if name is not None:
            raise WeightsError("an .npy file holds one array, which has no name", "tensor", "remove tensor")
        return list(self._head().shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        import numpy as np

        head = self._head()
        array = np.memmap(self.path, head.kind, "r", head.begin, head.shape, "F" if head.by_column else "C")
        return np.asarray(array[rows[0] - 1 : rows[1]] if rows else array)

    def _head(self) -> _Head:
        with self.path.open("rb") as file:
            if file.read(4) == b"PK\3\4":
                raise WeightsError(f"{in_quotes(self.path.name)} is an archive; its name should end in .npz", "file")
            file.seek(0)
            head = _head(file, self.path)
        if head.kind.kind == "O":
            raise unreadable(self.path, "it holds Python objects")
        _check_kind(head.kind)
        _check_length(self.path, "it", self.path.stat().st_size, head)
        return head


class Npz:
    """An archive of arrays, each read when it is wanted."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _readable(path):
            self._archive = ZipFile(path)  # once: its list of members is read whole
        names = self._archive.namelist()
        self._names = [name.removesuffix(".npy") for name in names if name.endswith(".npy")]

    def names(self) -> list[str]:
        return list(self._names)

    def shape(self, name: str | None) -> list[int]:
        """From the head of the member; the rest is passed over once, so that a damaged one is found now."""
        with self._opened(name) as (member, head):
            while member.read(_CHUNK):
                pass
        return list(head.shape)

    def kind(self, name: str) -> str:
        """The type of an array, as safetensors calls it: F32, I64, …"""
        with self._opened(name) as (_, head):
            return f"{head.kind.kind.upper()}{8 * head.kind.itemsize}"

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        import numpy as np

        with self._opened(name) as (member, head):
            array = np.frombuffer(member.read(head.end - head.begin), head.kind)
        array = array.reshape(head.shape, order="F" if head.by_column else "C")
        return array[rows[0] - 1 : rows[1]] if rows else array

    @contextmanager
    def _opened(self, name: str | None) -> Iterator[tuple[IO[bytes], _Head]]:
        """The member after its header, and the header."""
        own = find_name(name, self._names)
        with _readable(self.path, own), self._archive.open(f"{own}.npy") as member:
            head = _head(member, self.path)
            _check_kind(head.kind)
            check_count(head.shape)
            _check_length(self.path, in_quotes(own), self._archive.getinfo(f"{own}.npy").file_size, head)
            yield member, head


def _head(stream: IO[bytes], path: Path) -> _Head:
    """Shape and type of an array from the head before its bytes."""
    import warnings

    from numpy.lib import format as npy

    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0, (3, 0): npy.read_array_header_2_0}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it was written long ago
            shape, by_column, kind = readers[npy.read_magic(stream)](stream)
    except (OSError, MemoryError, zlib.error, BadZipFile):
        raise
    except Exception:  # whatever a head that is none leads to
        raise unreadable(path, "it is not an .npy file, or it is damaged") from None
    if any(size < 0 for size in shape):
        raise unreadable(path, "it is not an .npy file, or it is damaged")
    return _Head(shape, kind, by_column, stream.tell())


def _check_kind(kind: Any) -> None:
    if kind.kind not in "fiu":
        raise no_real_numbers("Python objects" if kind.kind == "O" else str(kind)[:40])


def _check_length(path: Path, what: str, length: int, head: _Head) -> None:
    """Whether there are as many bytes as the head says."""
    if length != head.end:
        word = "shorter" if length < head.end else "longer"
        shape = "×".join(map(str, head.shape)) or "1"
        raise unreadable(path, f"{what} is {word} than its header says ({shape} numbers of type {head.kind.name})")


@contextmanager
def _readable(path: Path, member: str = "") -> Iterator[None]:
    """Whatever a damaged archive leads to, as one kind of error in our words."""
    try:
        yield
    except (WeightsError, MemoryError):
        raise
    except NotImplementedError:
        raise unreadable(path, f"{in_quotes(member)} has an unknown compression") from None
    except Exception as error:
        if member and "CRC" in str(error):
            raise unreadable(path, f"{in_quotes(member)} is damaged: its checksum is wrong") from None
        if member and "encrypted" in str(error):
            raise unreadable(path, f"{in_quotes(member)} is encrypted") from None
        what = f"{in_quotes(member)} is damaged" if member else "it is not an .npz archive, or it is damaged"
        raise unreadable(path, what) from None
