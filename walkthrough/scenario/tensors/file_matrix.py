"""A matrix of a large file: its numbers stay there, in their own type, and are read where they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.tensors.weights import has_rows_apart, tensor_array, tensor_rows

_FEW = 1_000_000
"""So many numbers are held at once: one of them may be asked for after the other."""
_BLOCK = 100_000
"""Of more, so many are: 0.8 MB as float64, for which no new memory has to be asked each time."""


def file_matrix(matrix: Matrix, folder: Path, weights_file: str | None) -> Any:
    """The matrix of a file; one that is small, or packed so that no part of it can be read alone, as an array."""
    rows, columns = matrix.rows or 0, matrix.columns or 0
    if rows * columns <= _FEW or not has_rows_apart(matrix, folder, weights_file):
        return tensor_array(matrix, folder, weights_file)
    return FileMatrix(matrix, folder, weights_file, (0, rows), (0, columns))


class FileMatrix:
    """A matrix that numpy can multiply with block by block; any other use of it reads what is wanted.

    rows, columns: the part of the matrix that it is, from the first to behind the last, counted from 0
    """

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(
        self,
        matrix: Matrix,
        folder: Path,
        weights_file: str | None,
        rows: tuple[int, int],
        columns: tuple[int, int],
    ) -> None:
        self._matrix, self._folder, self._weights_file = matrix, folder, weights_file
        self._rows, self._columns, self._is_transposed = rows, columns, False
        self._others: dict[tuple[int, int], float] = {}  # in place of those of the file, by row and column there
        self._change: Callable[[Any], Any] | None = None
        self._last: tuple[int, Any] = -1, None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        sizes = self._rows[1] - self._rows[0], self._columns[1] - self._columns[0]
        return (sizes[1], sizes[0]) if self._is_transposed else sizes

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return self.shape[0] * self.shape[1]

    @property
    def T(self) -> FileMatrix:  # noqa: N802  # as numpy calls it
        """The same with rows and columns swapped."""
        return self._part(self._rows, self._columns, not self._is_transposed)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[Any]:
        return iter(np.asarray(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        numbers = self._read(*self._rows)[:, slice(*self._columns)]
        return np.asarray(numbers.T if self._is_transposed else numbers, dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        """A product with it goes block by block; of anything else it is an array."""
        if ufunc is np.matmul and method == "__call__" and not named and inputs[1] is self:
            return self.__rmatmul__(np.asarray(inputs[0]))
        return getattr(ufunc, method)(*(np.asarray(one) if one is self else one for one in inputs), **named)

    def __rmatmul__(self, x: Any) -> Any:
        """x·W, n×k and k×m → n×m."""
        result = np.zeros((len(x), self.shape[1]))
        for first, last, block in self._blocks():
            if self._is_transposed:
                result[:, first:last] = x @ block.T
            else:
                result += x[:, first:last] @ block
            del block  # before the next one is read: it goes where this was, and no new memory is asked for
        return result

    def __getitem__(self, key: Any) -> Any:
        """A slice without steps of rows, or of both, is a part of it that is not read yet; all else is read."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        if isinstance(rows, slice) and isinstance(columns, slice) and {rows.step, columns.step} <= {None, 1}:
            if self._is_transposed:
                rows, columns = columns, rows
            return self._part(_within(self._rows, rows), _within(self._columns, columns), self._is_transposed)
        if not self._is_transposed and isinstance(rows, int | np.integer):
            return self._row(int(rows))[columns]
        if not self._is_transposed and isinstance(rows, list):
            return np.array([self._row(int(row)) for row in rows])[:, columns]
        return np.asarray(self)[key]

    def __setitem__(self, at: tuple[int, int], number: float) -> None:
        """Another number in place of one of the file, in this part of it and in those taken from it afterwards."""
        row, column = at[::-1] if self._is_transposed else at
        place = self._rows[0] + row, self._columns[0] + column
        self._others, self._last = {**self._others, place: number}, (-1, None)

    def copy(self) -> FileMatrix:
        """The same matrix, whose numbers may become others."""
        return self._part(self._rows, self._columns, self._is_transposed)

    def through(self, change: Callable[[Any], Any]) -> FileMatrix:
        """The same matrix, of which each number becomes another as it is read: a rounded one."""
        changed = self.copy()
        changed._change = change
        return changed

    def ravel(self) -> Any:
        """The numbers row by row, n·m."""
        return np.asarray(self).ravel()

    def tolist(self) -> Any:
        """The numbers as lists."""
        return np.asarray(self).tolist()

    def _row(self, row: int) -> Any:
        """One row, of which the last one that was read is kept."""
        at = self._rows[0] + row % self.shape[0]
        if self._last[0] != at:
            self._last = at, self._read(at, at + 1)[0, slice(*self._columns)]
        return self._last[1]

    def _blocks(self) -> Iterator[tuple[int, int, Any]]:
        """The numbers by rows as stored: the first row, behind the last, and these."""
        first, last = self._rows
        step = max(1, _BLOCK // max(1, self._matrix.columns or 1))
        for start in range(first, last, step):
            end = min(start + step, last)
            yield start - first, end - first, self._read(start, end)[:, slice(*self._columns)]

    def _read(self, first: int, last: int) -> Any:
        """Rows of the whole matrix, as float64."""
        numbers = tensor_rows(self._matrix, self._folder, self._weights_file, first, last)
        for (row, column), number in self._others.items():
            if first <= row < last:
                numbers[row - first, column] = number
        return numbers if self._change is None else self._change(numbers)

    def _part(self, rows: tuple[int, int], columns: tuple[int, int], is_transposed: bool) -> FileMatrix:
        part = copy(self)
        part._rows, part._columns, part._is_transposed, part._last = rows, columns, is_transposed, (-1, None)
        return part


def _within(bounds: tuple[int, int], part: slice) -> tuple[int, int]:
    """The bounds of a slice of what lies between two bounds."""
    first, last, _ = part.indices(bounds[1] - bounds[0])
    return bounds[0] + first, bounds[0] + max(first, last)
