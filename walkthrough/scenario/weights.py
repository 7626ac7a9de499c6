"""Tensors of weights files: their shapes from the head of the file, their numbers when they are wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walkthrough.scenario.matrices import FileTensor, Matrix
from walkthrough.text import did_you_mean, printable


class WeightsError(ValueError):
    """A tensor that cannot be had; `help` says what may be meant."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def tensor_shape(matrix: Matrix, folder: Path, default_file: str | None) -> tuple[int, int]:
    """Rows and columns of the matrix, after slicing and transposition."""
    tensor = _of(matrix)
    shape = _open(tensor, folder, default_file).shape(_name(matrix))
    if len(shape) not in (1, 2):
        raise WeightsError(f"the tensor has {len(shape)} dimensions, expected 1 or 2")
    shape = [1, *shape] if len(shape) == 1 else list(shape)
    for axis, chosen in enumerate((tensor.rows, tensor.columns)):
        if chosen is not None:
            if chosen[1] > shape[axis]:
                word = ("rows", "columns")[axis]
                raise WeightsError(f"{word} {chosen[0]} to {chosen[1]} are asked for, the tensor has {shape[axis]}")
            shape[axis] = chosen[1] - chosen[0] + 1
    return (shape[1], shape[0]) if tensor.transpose else (shape[0], shape[1])


def tensor_array(matrix: Matrix, folder: Path, default_file: str | None) -> Any:
    """The numbers as a float64 array with two dimensions; only the rows asked for are read."""
    import numpy as np

    tensor = _of(matrix)
    opened = _open(tensor, folder, default_file)
    array = opened.read(_name(matrix), tensor.rows)
    array = np.atleast_2d(np.asarray(array))
    if tensor.columns is not None:
        array = array[:, tensor.columns[0] - 1 : tensor.columns[1]]
    return np.ascontiguousarray((array.T if tensor.transpose else array).astype(np.float64))


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
        raise WeightsError(f"{printable(name)!r} is no .safetensors, .npz or .npy file")
    if not path.is_file():
        raise WeightsError(f"there is no file {printable(str(path))!r}")
    return kind(path)


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
            raise WeightsError(f"{printable(self.path.name)!r} is no safetensors file: {error}") from None
        return opened.get_slice(_known(name, names))

    def shape(self, name: str | None) -> list[int]:
        return list(self._slice(name).get_shape())

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        sliced = self._slice(name)
        return sliced[rows[0] - 1 : rows[1]] if rows and len(sliced.get_shape()) == 2 else sliced[:]


class _Numpy:
    """.npz, read member by member, and .npy, mapped into memory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def _array(self, name: str | None) -> Any:
        import numpy as np

        try:
            if self.path.suffix.lower() == ".npy":
                return np.load(self.path, mmap_mode="r", allow_pickle=False)
            with np.load(self.path, allow_pickle=False) as members:
                return members[_known(name, list(members.files))]
        except WeightsError:
            raise
        except Exception as error:  # numpy and zipfile raise many kinds for a damaged file
            raise WeightsError(f"{printable(self.path.name)!r} cannot be read: {error}") from None

    def shape(self, name: str | None) -> list[int]:
        array = self._array(name)
        if array.dtype.kind not in "fiu":
            raise WeightsError(f"the tensor holds {array.dtype}, expected real numbers")
        return list(array.shape)

    def read(self, name: str | None, rows: list[int] | None) -> Any:
        array = self._array(name)
        return array[rows[0] - 1 : rows[1]] if rows and array.ndim == 2 else array


def _known(name: str | None, names: list[str]) -> str:
    if name in names and name is not None:
        return name
    if name is None:
        raise WeightsError("which tensor?", help="add tensor: …; the file has " + ", ".join(names[:6]))
    raise WeightsError(f"the file has no tensor {printable(name)!r}", help=did_you_mean(name, names))


_KINDS: dict[str, type[Any]] = {".safetensors": _Safetensors, ".npz": _Numpy, ".npy": _Numpy}
