"""Tensors of weights files: their shapes from the head of the file, their numbers when they are wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walkthrough.scenario.file_checks import check_count
from walkthrough.scenario.schema.matrices import FileTensor, Matrix
from walkthrough.scenario.tensors.files import WeightsFile, open_weights
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import in_quotes, pluralize

__all__ = ["WeightsError", "tensor_array", "tensor_shape"]


def tensor_shape(matrix: Matrix, folder: Path, default_file: str | None) -> tuple[int, int]:
    """Rows and columns of the matrix, after slicing and transposition. Raises WeightsError."""
    tensor = _of(matrix)
    shape = _open(tensor, folder, default_file).shape(matrix.tensor_name)
    if len(shape) not in (1, 2):
        raise WeightsError(f"the tensor has {pluralize(len(shape), 'dimension')}, expected 1 or 2", "tensor")
    if 0 in shape:
        raise WeightsError(f"the tensor is empty: {'×'.join(map(str, shape))}", "tensor")
    if len(shape) == 1:
        _check_one_slice(tensor)
        word = "rows" if tensor.rows else "columns"
        rows, columns = 1, _count_chosen(word, tensor.rows or tensor.columns, shape[0])
    else:
        rows, columns = _count_chosen("rows", tensor.rows, shape[0]), _count_chosen("columns", tensor.columns, shape[1])
    check_count((rows, columns))
    return (columns, rows) if tensor.transpose else (rows, columns)


def _check_one_slice(tensor: FileTensor) -> None:
    """A tensor of one dimension may be sliced by rows or by columns, as people think of it."""
    if tensor.rows and tensor.columns:
        raise WeightsError("the tensor has one dimension: give rows or columns, not both", "columns")


def _count_chosen(word: str, chosen: list[int] | None, size: int) -> int:
    """How many rows or columns are taken."""
    if chosen is None:
        return size
    if chosen[1] > size:
        raise WeightsError(f"{word} {chosen[0]} to {chosen[1]} are asked for, but the tensor has {size}", word)
    return chosen[1] - chosen[0] + 1


def tensor_array(matrix: Matrix, folder: Path, default_file: str | None) -> Any:
    """The numbers as a float64 array with two dimensions; only the rows asked for are read."""
    import numpy as np

    tensor = _of(matrix)
    opened = _open(tensor, folder, default_file)
    try:
        array = np.asarray(opened.read(matrix.tensor_name, tensor.rows))
    except OSError as error:
        raise WeightsError(f"the file cannot be read: {(error.strerror or str(error)).lower()}", "file") from None
    if tensor.columns is not None:
        array = array[..., tensor.columns[0] - 1 : tensor.columns[1]]
    with np.errstate(all="ignore"):  # what is too large for a float64 becomes infinite, and that is reported
        array = np.atleast_2d(array).astype(np.float64)
    _check_finite(array, matrix)
    return np.ascontiguousarray(array.T if tensor.transpose else array)


def _check_finite(array: Any, matrix: Matrix) -> None:
    """Raises WeightsError where a number of the tensor is none; in given scores −∞ stands for a hidden one."""
    import numpy as np

    bad = ~np.isfinite(array)
    if matrix.hidden:
        bad &= array != -np.inf
    if not bad.any():
        return
    tensor = _of(matrix)
    row, column = (int(at) for at in np.argwhere(bad)[0])
    row += tensor.rows[0] if tensor.rows else 1
    column += tensor.columns[0] if tensor.columns else 1
    kinds = [pluralize(int(count), kind, kind) for count, kind in _kinds(array[bad]) if count]
    name = f"tensor {in_quotes(matrix.tensor_name or '')}" if tensor.tensor else "the array"
    raise WeightsError(f"{name} has {' and '.join(kinds)}, the first in row {row}, column {column}", "tensor")


def _kinds(numbers: Any) -> list[tuple[int, str]]:
    """How many of them are NaN, and how many infinite."""
    import numpy as np

    return [(np.isnan(numbers).sum(), "NaN"), (np.isinf(numbers).sum(), "∞")]


def _of(matrix: Matrix) -> FileTensor:
    assert matrix.tensor is not None, "only for matrices from a file"
    return matrix.tensor


def _open(tensor: FileTensor, folder: Path, default_file: str | None) -> WeightsFile:
    name = tensor.file or default_file
    if name is None:
        raise WeightsError("no file is named", help="add file: …, or weights_file: … at the top of the scenario")
    return open_weights(folder / name, name)
