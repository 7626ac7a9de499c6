"""Shapes: what each matrix must be, what its file gives, and the sizes that follow; rows × columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from walkthrough.scenario.matrices import Matrix, Size
from walkthrough.scenario.problems import Positioned, Problems, WeightsError
from walkthrough.scenario.schema import Dimensions, LayerNorm, Norm
from walkthrough.scenario.sections import Section
from walkthrough.text import counted

MOST_NUMBERS = 200_000_000
"""Numbers that a few words of a file may ask for, by `init` and by long sequences: 1.6 GB as float64."""

_REMEDIES = {
    "n": "add tokens: […]",
    "m": "add tokens: […]",
    "vocabulary": "add vocabulary: […] to the output_head",
    "(heads·d_k)": "say it with dimensions: {d_k: …}",
    "(heads·d_v)": "say it with dimensions: {d_v: …}",
}


class Axis(NamedTuple):
    """One dimension: its symbol, such as d_model, and its size where known; `likely` is only for messages."""

    symbol: str
    size: Size = None
    likely: Size = None

    def __str__(self) -> str:
        return str(self.size or self.likely or self.symbol)


@dataclass
class Shapes:
    """Compares matrices with what is expected of them, and fills in the shapes that nobody wrote.

    dimensions:  the sizes that the scenario states
    out_in:      weights are out×in (`matrix_convention: column`)
    most_numbers: how many may be made
    """

    problems: Problems
    dimensions: Dimensions
    out_in: bool = False
    folder: Path = field(default_factory=Path)
    weights_file: str | None = None
    most_numbers: float = MOST_NUMBERS
    _asked_for: int = 0

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
            message = f"{matrix.name} has {counted(matrix.columns or 0, 'number')}, expected {axis.symbol} = {axis}"
            self.problems.add(matrix, message, key=matrix.path)
        return axis.size if axis.size is not None else matrix.columns

    def inward(self, matrix: Matrix | None) -> Size:
        """The in size of a weight, where the matrix itself tells."""
        if matrix is None:
            return None
        self.resolve(matrix)
        return matrix.columns if self.out_in else matrix.rows

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
        from walkthrough.scenario.weights import tensor_shape  # wanted only where there are files

        try:
            matrix.rows, matrix.columns = tensor_shape(matrix, self.folder, self.weights_file)
        except WeightsError as error:
            node = matrix.tensor.node.get(error.key) or matrix
            self.problems.add(node, str(error), key=matrix.path, help=error.help)
            matrix.tensor = None

    def norm(self, norm: Norm | None, options: LayerNorm | None, width: Size) -> None:
        """A layer norm of vectors of a width; what it does not say, `options` say."""
        if norm is not None:
            self.vector(norm.gamma, Axis("d_model", width))
            self.vector(norm.beta, Axis("d_model", width))
        saying = norm if norm is not None and norm.variance is not None else options
        if saying is not None and saying.variance == "sample" and width == 1:
            message = "the sample variance divides by d − 1: it needs vectors of at least two numbers, these have one"
            self.problems.add(saying.at("variance"), message, key=saying.key_of("variance"))

    def missing(self, section: Section, name: str, what: str) -> None:
        """Notes that a key is missing, and what belongs there."""
        self.problems.add(section, f"{name} is missing: {what}", key=section.key_of(name))

    def reserve(self, numbers: int, node: Positioned, path: str) -> None:
        """Counts numbers that will have to be made; that they are too many is noted once."""
        was_exhausted = self.is_exhausted
        self._asked_for += numbers
        if self.is_exhausted and not was_exhausted:
            message = (
                f"too large: with this {self._asked_for:,} numbers are to be made, at most {self.most_numbers:,} can be"
            )
            self.problems.add(node, message, key=path, help="make the dimensions, or the sequence, smaller")

    @property
    def is_exhausted(self) -> bool:
        """Whether more numbers are asked for than may be made."""
        return self._asked_for > self.most_numbers

    def _fill(self, matrix: Matrix, rows: Axis, columns: Axis) -> None:
        """Gives a matrix that `init` makes its shape; after another problem an unknown size is a consequence."""
        if rows.size is not None and columns.size is not None:
            if matrix.rows is None:
                self.reserve(rows.size * columns.size, matrix, matrix.path)
            matrix.rows, matrix.columns = rows.size, columns.size
        elif not self.problems:
            free = [axis.symbol for axis in (rows, columns) if axis.size is None]
            message = f"the shape of {matrix.name} cannot be inferred: {' and '.join(free)} not known"
            remedies = {_REMEDIES.get(symbol, f"say it with dimensions: {{{symbol}: …}}"): None for symbol in free}
            self.problems.add(matrix, message, key=matrix.path, help="; ".join(remedies))


def _differs(actual: Size, axis: Axis) -> bool:
    return actual is not None and axis.size is not None and actual != axis.size
