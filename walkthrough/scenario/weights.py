"""Tensors of weights files: their shapes from the head of the file, their numbers when they are wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walkthrough.scenario.matrices import FileTensor, Matrix
from walkthrough.scenario.problems import WeightsError
from walkthrough.scenario.weights_files import KINDS, MOST_NUMBERS, WeightsFile, shown
from walkthrough.text import counted, did_you_mean

__all__ = ["WeightsError", "tensor_array", "tensor_shape"]


def tensor_shape(matrix: Matrix, folder: Path, default_file: str | None) -> tuple[int, int]:
    """Rows and columns of the matrix, after slicing and transposition. Raises WeightsError."""
    tensor = _of(matrix)
    shape = _open(tensor, folder, default_file).shape(_name(matrix))
    if len(shape) not in (1, 2):
        raise WeightsError(f"the tensor has {counted(len(shape), 'dimension')}, expected 1 or 2", "tensor")
    if 0 in shape:
        raise WeightsError(f"the tensor is empty: {'×'.join(map(str, shape))}", "tensor")
    if len(shape) == 1:
        _check_one_slice(tensor)
        word = "rows" if tensor.rows else "columns"
        rows, columns = 1, _chosen(word, tensor.rows or tensor.columns, shape[0])
    else:
        rows, columns = _chosen("rows", tensor.rows, shape[0]), _chosen("columns", tensor.columns, shape[1])
    if rows * columns > MOST_NUMBERS:
        raise WeightsError(f"the tensor has {rows}×{columns} numbers, more than {MOST_NUMBERS:,}", "tensor")
    return (columns, rows) if tensor.transpose else (rows, columns)


def _check_one_slice(tensor: FileTensor) -> None:
    """A tensor of one dimension may be sliced by rows or by columns, as people think of it."""
    if tensor.rows and tensor.columns:
        raise WeightsError("the tensor has one dimension: rows or columns, not both", "columns")


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
    array = np.asarray(opened.read(_name(matrix), tensor.rows))
    if tensor.columns is not None:
        array = array[..., tensor.columns[0] - 1 : tensor.columns[1]]
    array = np.atleast_2d(array)
    return np.array(array.T if tensor.transpose else array, dtype=np.float64, order="C")


def _of(matrix: Matrix) -> FileTensor:
    assert matrix.tensor is not None, "only for matrices from a file"
    return matrix.tensor


def _name(matrix: Matrix) -> str | None:
    name = _of(matrix).tensor
    return name.replace("{i}", str(matrix.repeat)) if name is not None else None


def _open(tensor: FileTensor, folder: Path, default_file: str | None) -> WeightsFile:
    name = tensor.file or default_file
    if name is None:
        raise WeightsError("no file is named", help="add file: …, or weights_file: … at the top of the scenario")
    path = folder / name
    kind = KINDS.get(path.suffix.lower())
    if kind is None:
        raise WeightsError(f"{shown(name)} is no .safetensors, .npz or .npy file", "file")
    try:
        found = path.is_file()
    except OSError:  # a name that is too long, or a folder that may not be entered
        found = False
    if not found:
        raise WeightsError(f"there is no file {shown(str(path))}", "file", _neighbours(path))
    return kind(path)


def _neighbours(path: Path) -> str:
    """A file of a similar name beside one that is not there."""
    try:
        names = sorted(other.name for other in path.parent.iterdir() if other.suffix in KINDS and other.is_file())
    except (OSError, ValueError):
        return ""
    return did_you_mean(path.name, names)
