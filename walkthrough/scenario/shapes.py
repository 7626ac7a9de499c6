"""Shapes: what each matrix must be, what its file gives, and the sizes that follow. Rows × columns, by symbol and number."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from walkthrough.scenario.matrices import Matrix, Size
from walkthrough.scenario.problems import Problems
from walkthrough.scenario.weights import WeightsError, tensor_shape


@dataclass(frozen=True, slots=True)
class Axis:
    """One dimension: its symbol, such as d_model, and its size where known."""

    symbol: str
    size: Size = None

    def __str__(self) -> str:
        return str(self.size) if self.size is not None else self.symbol


@dataclass
class Shapes:
    """Compares matrices with what is expected of them, and fills in the shapes that nobody wrote.

    out_in:  weights are out×in (`matrix_convention: column`)
    """

    problems: Problems
    out_in: bool = False
    folder: Path = field(default_factory=Path)
    weights_file: str | None = None

    def weight(self, matrix: Matrix | None, inward: Axis, outward: Axis) -> tuple[Size, Size]:
        """The in and out size of a weight matrix, which stands in×out or out×in."""
        if self.out_in:
            outward_size, inward_size = self.matrix(matrix, outward, inward)
            return inward_size, outward_size
        return self.matrix(matrix, inward, outward)

    def matrix(self, matrix: Matrix | None, rows: Axis, columns: Axis) -> tuple[Size, Size]:
        """The rows and columns of a matrix; what is expected where the matrix does not say."""
        if matrix is None:
            return rows.size, columns.size
        self.resolve(matrix)
        if matrix.init is not None:
            self._fill(matrix, rows, columns)
        actual = matrix.rows, matrix.columns
        if _differs(actual[0], rows) or _differs(actual[1], columns):
            found = f"{matrix.rows}×{matrix.columns}"
            expected = f"{rows.symbol}×{columns.symbol} = {rows}×{columns}"
            self.problems.add(matrix, f"{matrix.name} is {found}, expected {expected}", key=matrix.path)
        return (
            rows.size if rows.size is not None else actual[0],
            columns.size if columns.size is not None else actual[1],
        )

    def vector(self, matrix: Matrix | None, axis: Axis) -> Size:
        """The length of a bias, gamma or beta."""
        if matrix is None:
            return axis.size
        self.resolve(matrix)
        if matrix.init is not None:
            self._fill(matrix, Axis("1", 1), axis)
        if matrix.rows is not None and matrix.rows != 1:
            message = f"{matrix.name} is {matrix.rows}×{matrix.columns}, expected a vector of {axis.symbol} = {axis}"
            self.problems.add(matrix, message, key=matrix.path)
        elif _differs(matrix.columns, axis):
            message = f"{matrix.name} has {matrix.columns} numbers, expected {axis.symbol} = {axis}"
            self.problems.add(matrix, message, key=matrix.path)
        return axis.size if axis.size is not None else matrix.columns

    def outward(self, matrix: Matrix | None) -> Size:
        """The out size of a weight, where the matrix itself tells."""
        if matrix is None:
            return None
        self.resolve(matrix)
        return matrix.rows if self.out_in else matrix.columns

    def columns(self, matrix: Matrix | None) -> Size:
        """The columns of a matrix, where it tells."""
        if matrix is None:
            return None
        self.resolve(matrix)
        return matrix.columns

    def resolve(self, matrix: Matrix) -> None:
        """Reads the shape of a tensor from the head of its file; of each file only the head is read."""
        if matrix.tensor is None or matrix.rows is not None:
            return
        try:
            matrix.rows, matrix.columns = tensor_shape(matrix, self.folder, self.weights_file)
        except WeightsError as error:
            self.problems.add(matrix, str(error), key=matrix.path, help=error.help)
            matrix.tensor = None

    def _fill(self, matrix: Matrix, rows: Axis, columns: Axis) -> None:
        free = [axis.symbol for axis in (rows, columns) if axis.size is None]
        if free:
            names = ", ".join(f"{symbol}: …" for symbol in free)
            message = f"the shape of {matrix.name} cannot be inferred: {' and '.join(free)} not known"
            self.problems.add(matrix, message, key=matrix.path, help=f"say it with dimensions: {{{names}}}")
            matrix.init = None
        else:
            matrix.rows, matrix.columns = rows.size, columns.size


def _differs(actual: Size, axis: Axis) -> bool:
    return actual is not None and axis.size is not None and actual != axis.size
