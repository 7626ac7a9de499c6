"""Tensors of weights files: their shapes from the head of the file, their numbers when they are wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from walkthrough.errors import reason_of
from walkthrough.scenario.file_checks import check_count
from walkthrough.scenario.schema.matrices import FileTensor, Matrix
from walkthrough.scenario.schema.readers import Range
from walkthrough.scenario.tensors.files import WeightsFile, open_weights
from walkthrough.scenario.tensors.npy import Npz
from walkthrough.scenario.yaml.problems import WeightsError
from walkthrough.text import in_quotes, pluralize


def tensor_shape(matrix: Matrix, folder: Path, default_file: str | None) -> tuple[int, int]:
    """Rows and columns of the matrix, after slicing and transposition. Raises WeightsError."""
    tensor = _of(matrix)
    shape = _shape(matrix, _open(tensor, folder, default_file))
    if len(shape) == 1:
        if tensor.rows and tensor.columns:
            raise WeightsError("the tensor has one dimension: give rows or columns, not both", "columns")
        word = "rows" if tensor.rows else "columns"
        rows, columns = 1, _count_chosen(word, tensor.rows or tensor.columns, shape[0])
    else:
        rows, columns = _count_chosen("rows", tensor.rows, shape[0]), _count_chosen("columns", tensor.columns, shape[1])
    return (columns, rows) if tensor.transpose else (rows, columns)


def _shape(matrix: Matrix, opened: WeightsFile) -> list[int]:
    """The shape of the tensor, or of that part of it which `index` takes: one dimension or two."""
    shape, index = opened.shape(matrix.tensor_name), matrix.index
    if index is None:
        shape = without_middle(shape)
    most = 2 if index is None else 3
    if len(shape) not in (most - 1, most):
        help = "index: 0 takes the first matrix of it" if len(shape) == 3 else ""
        expected = f"{most - 1} or {most}{' with an index' if index is not None else ''}"
        raise WeightsError(f"the tensor has {pluralize(len(shape), 'dimension')}, expected {expected}", "tensor", help)
    if 0 in shape:
        raise WeightsError(f"the tensor is empty: {'×'.join(map(str, shape))}", "tensor")
    if index is None:
        return shape
    if index >= shape[0]:
        fault = f"index {index} is asked for, counted from 0, but the tensor {'×'.join(map(str, shape))} has {shape[0]}"
        raise WeightsError(fault, "index")
    return shape[1:]


def without_middle(shape: list[int]) -> list[int]:
    """Of three dimensions the outer two, where the middle one is 1: a convolution of each feature by itself."""
    return [shape[0], shape[2]] if len(shape) == 3 and shape[1] == 1 else shape


def _count_chosen(word: str, chosen: list[Range] | None, size: int) -> int:
    """How many rows or columns are taken."""
    for first, last, _ in chosen or ():
        if last > size:
            raise WeightsError(f"{word} {first} to {last} are asked for, but the tensor has {size}", word)
    return size if chosen is None else sum((last - first) // step + 1 for first, last, step in chosen)


def tensor_array(matrix: Matrix, folder: Path, default_file: str | None) -> Any:
    """The numbers as a float64 array with two dimensions; of the leading dimension only what is asked for is read."""
    import numpy as np

    tensor = _of(matrix)
    check_count(tensor_shape(matrix, folder, default_file))
    array = np.atleast_2d(_numbers_of(matrix, tensor.rows, folder, default_file))
    return np.ascontiguousarray(array.T if tensor.transpose else array)


def take_matrix(matrix: Matrix, whole: Any) -> Any:
    """The matrix that the numbers of a whole tensor make, sliced and transposed as the scenario says."""
    import numpy as np

    tensor = _of(matrix)
    array = whole.reshape(without_middle(whole.shape)) if matrix.index is None else whole[matrix.index]
    if tensor.rows is not None:
        array = array[_slice(tensor.rows)]
    if tensor.columns is not None:
        array = array[..., _slice(tensor.columns)]
    array = np.atleast_2d(array)
    return array.T if tensor.transpose else array


def has_rows_apart(matrix: Matrix, folder: Path, default_file: str | None) -> bool:
    """Whether some rows of the matrix can be read without the others: they lie one after the other in the file."""
    tensor = _of(matrix)
    is_one_run = tensor.rows is None or (len(tensor.rows) == 1 and tensor.rows[0][2] == 1)
    if tensor.transpose or matrix.index is not None or not is_one_run:
        return False
    opened = _open(tensor, folder, default_file)
    return not isinstance(opened, Npz) and len(opened.shape(matrix.tensor_name)) == 2


def tensor_rows(matrix: Matrix, folder: Path, default_file: str | None, first: int, last: int) -> Any:
    """The rows of a matrix from the first to behind the last, counted from 0; only where they lie apart."""
    import numpy as np

    rows = _of(matrix).rows
    start = (rows[0][0] if rows is not None else 1) + first
    return np.atleast_2d(_numbers_of(matrix, [(start, start + last - first - 1, 1)], folder, default_file))


def _numbers_of(matrix: Matrix, rows: list[Range] | None, folder: Path, default_file: str | None) -> Any:
    """The numbers of some rows, or of all, as float64."""
    import numpy as np

    tensor = _of(matrix)
    opened = _open(tensor, folder, default_file)
    try:
        array = _read(matrix, rows, opened)
    except OSError as error:
        raise WeightsError(f"the file cannot be read: {reason_of(error)}", "file") from None
    if tensor.columns is not None:
        array = array[..., _slice(tensor.columns)]
    with np.errstate(all="ignore"):  # what is too large for a float64 becomes infinite, and that is reported
        array = array.astype(np.float64)
    _check_finite(array, matrix, rows)
    return array


def _read(matrix: Matrix, rows: list[Range] | None, opened: WeightsFile) -> Any:
    """The rows that are wanted."""
    import numpy as np

    name = matrix.tensor_name
    if matrix.index is not None:
        array = np.asarray(opened.read(name, [matrix.index + 1, matrix.index + 1]))[0]
        return array if rows is None else array[_slice(rows)]
    first, last = (min(one[0] for one in rows), max(one[1] for one in rows)) if rows is not None else (1, 0)
    array = np.asarray(opened.read(name, None if rows is None else [first, last]))
    array = array.reshape(without_middle(list(array.shape)))
    return array if rows is None else array[_slice(rows, first)]


def _slice(ranges: list[Range], origin: int = 1) -> Any:
    """The index of numpy that takes these; `origin` is the number of the first."""
    if len(ranges) == 1:
        first, last, step = ranges[0]
        return slice(first - origin, last - origin + 1, step)
    return [number - origin for number in _numbers(ranges)]


def _numbers(ranges: list[Range]) -> list[int]:
    """The numbers of all that are taken, in their order."""
    return [number for first, last, step in ranges for number in range(first, last + 1, step)]


def _check_finite(array: Any, matrix: Matrix, rows: list[Range] | None) -> None:
    """Raises WeightsError where a number of the tensor is none; in given scores −∞ stands for a hidden one."""
    import numpy as np

    bad = ~np.isfinite(array)
    if matrix.hidden:
        bad &= array != -np.inf
    if not bad.any():
        return
    tensor = _of(matrix)
    place = [int(at) for at in np.argwhere(bad)[0]]
    chosen = [rows, tensor.columns] if len(place) == 2 else [rows or tensor.columns]
    stored = [_numbers(own)[at] if own else at + 1 for own, at in zip(chosen, place, strict=True)]
    row, column = stored if len(stored) == 2 else (1, *stored)
    counts = {"NaN": int(np.isnan(array[bad]).sum()), "∞": int(np.isinf(array[bad]).sum())}
    kinds = [pluralize(count, kind, kind) for kind, count in counts.items() if count]
    name = f"tensor {in_quotes(matrix.tensor_name or '')}" if tensor.tensor else "the array"
    name += f"[{matrix.index}]" if matrix.index is not None else ""
    raise WeightsError(f"{name} has {' and '.join(kinds)}, the first in row {row}, column {column}", "tensor")


def _of(matrix: Matrix) -> FileTensor:
    assert matrix.tensor is not None, "only for matrices from a file"
    return matrix.tensor


def _open(tensor: FileTensor, folder: Path, default_file: str | None) -> WeightsFile:
    name = tensor.file or default_file
    if name is None:
        raise WeightsError("no file is named", help="add file: …, or weights_file: … at the top of the scenario")
    return open_weights(folder / name, name)
