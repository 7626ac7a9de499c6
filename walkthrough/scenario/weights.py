"""Tensors of weights files: their shapes from the head of the file, their numbers when they are wanted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from walkthrough.scenario.matrices import FileTensor, Matrix
from walkthrough.text import counted, did_you_mean, printable

_CHUNK = 2**20


class WeightsError(ValueError):
    """A tensor that cannot be had: at which key of its mapping, and what may help."""

    def __init__(self, message: str, key: str = "", help: str = "") -> None:
        super().__init__(message)
        self.key = key
        self.help = help


MOST_NUMBERS = 250_000_000
"""Numbers of one tensor: 2 GB as float64, against archives that are small only on disk."""


def tensor_shape(matrix: Matrix, folder: Path, default_file: str | None) -> tuple[int, int]:
    """Rows and columns of the matrix, after slicing and transposition. Raises WeightsError."""
    tensor = _of(matrix)
    shape = _open(tensor, folder, default_file).shape(_name(matrix))
    if len(shape) not in (1, 2):
        raise WeightsError(f"the tensor has {counted(len(shape), 'dimension')}, expected 1 or 2", "tensor")
    sizes = [1, *shape] if len(shape) == 1 else list(shape)
    if 0 in sizes:
        raise WeightsError(f"the tensor is empty: {'×'.join(map(str, shape))}", "tensor")
    rows = _chosen("rows", tensor.rows, sizes[0])
    columns = _chosen("columns", tensor.columns, sizes[1])
    if rows * columns > MOST_NUMBERS:
        raise WeightsError(f"the tensor has {rows}×{columns} numbers, more than {MOST_NUMBERS:,}", "tensor")
    return (columns, rows) if tensor.transpose else (rows, columns)


def _chosen(word: str, chosen: list[int] | None, size: int) -> int:
    """How many rows or columns are taken."""
    if chosen is None:
        return size
    if chosen[1] > size:
        raise WeightsError(f"{word} {chosen[0]} to {chosen[1]} are asked for, the tensor has {size}", word)
    return chosen[1] - chosen[0] + 1


def tensor_array(matrix: Matrix, folder: Path, default_file: str | None) -> Any:
    """The numbers as a float64 array with two dimensions; only the rows asked for are read."""
    import numpy as np

    tensor = _of(matrix)
    opened = _open(tensor, folder, default_file)
    array = opened.read(_name(matrix), tensor.rows)
    array = np.atleast_2d(np.asarray(array))
    if tensor.columns is not None:
        array = array[:, tensor.columns[0] - 1 : tensor.columns[1]]
    return np.array(array.T if tensor.transpose else array, dtype=np.float64, order="C")


def _of(matrix: Matrix) -> FileTensor:
    assert matrix.tensor is not None, "only for matrices from a file"
    return matrix.tensor


def _name(matrix: Matrix) -> str | None:
    name = _of(matrix).tensor
    return name.replace("{i}", str(matrix.repeat)) if name is not None else None


def _open(tensor: FileTensor, folder: Path, default_file: str | None) -> Any:
    name = tensor.file or default_file
    if name is None:
        raise WeightsError("no file is named", help="add file: …, or weights_file: … at the top of the scenario")
    path = folder / name
    kind = _KINDS.get(path.suffix.lower())
    if kind is None:
        raise WeightsError(f"{_shown(name)} is no .safetensors, .npz or .npy file", "file")
    try:
        found = path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be entered
        found = False
    if not found:
        raise WeightsError(f"there is no file {_shown(str(path))}", "file", _neighbours(path))
    return kind(path)


def _neighbours(path: Path) -> str:
    """A file of a similar name beside one that is not there."""
    try:
        names = sorted(other.name for other in path.parent.iterdir() if other.suffix in _KINDS and other.is_file())
    except (OSError, ValueError):
        return ""
    return did_you_mean(path.name, names)


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
            raise WeightsError(f"{_shown(self.path.name)} is no safetensors file: {error}", "file") from None
        return opened.get_slice(_known(name, names))

    def shape(self, name: str | None) -> list[int]:
        sliced = self._slice(name)
        if not sliced.get_dtype().startswith(("F", "BF", "I", "U")):
            raise WeightsError(f"the tensor holds {sliced.get_dtype()}, expected real numbers", "tensor")
        return list(sliced.get_shape())

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        sliced = self._slice(name)
        return sliced[rows[0] - 1 : rows[1]] if rows and len(sliced.get_shape()) == 2 else sliced[:]


class _Npy:
    """One array, mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _array(self) -> Any:
        import numpy as np

        with _readable(self.path):
            array = np.load(self.path, mmap_mode="r", allow_pickle=False)
            if not isinstance(array, np.ndarray):
                raise WeightsError(f"{_shown(self.path.name)} is an archive; its name should end in .npz", "file")
            return array

    def shape(self, name: str | None) -> list[int]:
        array = self._array()
        _check_kind(array.dtype)
        return list(array.shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        array = self._array()
        return array[rows[0] - 1 : rows[1]] if rows and array.ndim == 2 else array


class _Npz:
    """An archive of arrays, each read when it is wanted."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def shape(self, name: str | None) -> list[int]:
        """From the head of the member; the rest is passed over once, so that a damaged one is found now."""
        with _readable(self.path), ZipFile(self.path) as archive:
            names = [member.removesuffix(".npy") for member in archive.namelist()]
            with archive.open(_known(name, names) + ".npy") as member:
                shape, dtype = _npy_head(member)
                _check_kind(dtype)
                if math.prod(shape) <= MOST_NUMBERS:
                    while member.read(_CHUNK):
                        pass
        return list(shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        import numpy as np

        with _readable(self.path), np.load(self.path, allow_pickle=False) as members:
            array = members[_known(name, list(members.files))]
        return array[rows[0] - 1 : rows[1]] if rows and array.ndim == 2 else array


def _npy_head(member: Any) -> tuple[tuple[int, ...], Any]:
    """Shape and type from the head of an .npy file."""
    from numpy.lib import format as npy

    version = npy.read_magic(member)
    read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, _, dtype = read(member)
    return shape, dtype


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
        raise WeightsError(f"{_shown(path.name)} cannot be read: {reason}", "file") from None


def _known(name: str | None, names: list[str]) -> str:
    if name in names and name is not None:
        return name
    if name is None:
        raise WeightsError(
            "no tensor is named", help="add tensor: …; the file has " + ", ".join(map(_shown, names[:6]))
        )
    help = did_you_mean(name, names) or "it has " + ", ".join(map(_shown, names[:6])) if names else "it has none"
    raise WeightsError(f"the file has no tensor {_shown(name)}", "tensor", help)


def _listed(names: list[str]) -> str:
    more = ", …" if len(names) > 6 else ""
    return ", ".join(map(_shown, names[:6])) + more or "none"


def _shown(name: str) -> str:
    return f"'{printable(name)}'"


_KINDS: dict[str, type[Any]] = {".safetensors": _Safetensors, ".npz": _Npz, ".npy": _Npy}
