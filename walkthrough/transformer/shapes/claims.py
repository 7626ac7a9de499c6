"""Matrices of the file against the axes they stand for: what they say of sizes, and what is wrong with it."""

from __future__ import annotations

from walkthrough.recording.axes import Axis
from walkthrough.recording.values import Kind
from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import Positioned, Problems
from walkthrough.text import counted

MOST_NUMBERS = 200_000_000
"""Numbers that a few words of a file may ask for, by `init` and by long sequences: 1.6 GB as float64."""

_REMEDIES = {
    "n": "add tokens: […]",
    "m": "add tokens: […]",
    "vocabulary": "add vocabulary: […] to the output_head",
    "(heads·d_k)": "set it with dimensions: {d_k: …}",
    "(heads·d_v)": "set it with dimensions: {d_v: …}",
    "(kv_heads·d_k)": "set it with dimensions: {d_k: …}",
    "(kv_heads·d_v)": "set it with dimensions: {d_v: …}",
}


class Claim(Record):
    """A matrix, what it is recorded as, and the axes of its rows and columns as it stands in the file."""

    matrix: Matrix
    kind: Kind
    rows: Axis
    columns: Axis
    is_vector: bool

    @property
    def is_faulty(self) -> bool:
        """Whether the matrix has another shape than its axes."""
        matrix = self.matrix
        return _differs(matrix.rows, self.rows) or _differs(matrix.columns, self.columns)


class Claims:
    """All matrices that a walk over shapes has met; numbers to be made are counted, at most so many.

    Where two of them disagree on an axis, the first is believed.
    """

    def __init__(self, problems: Problems, most_numbers: float) -> None:
        self.problems = problems
        self.most_numbers = most_numbers
        self.all: list[Claim] = []
        self._made = 0

    def claim(self, matrix: Matrix, kind: Kind, rows: Axis, columns: Axis, is_vector: bool = False) -> None:
        """A matrix says the sizes of its axes, as far as it has its own."""
        rows.settle(1 if is_vector else matrix.rows, by=matrix)
        columns.settle(matrix.columns, by=matrix)
        self.all.append(Claim(matrix, kind, rows, columns, is_vector))
        self._fill(self.all[-1])

    def of(self, matrix: Matrix) -> Claim | None:
        """What a matrix has claimed."""
        return next((claim for claim in reversed(self.all) if claim.matrix is matrix), None)

    def finish(self) -> None:
        """Gives the matrices that `init` makes their shapes; notes those that have another one than is expected."""
        for claim in self.all:
            self._fill(claim)
        for claim in self.all:
            if claim.is_faulty and claim.matrix not in self.problems:
                self.problems.add(claim.matrix, self._message(claim), key=claim.matrix.path)
        for claim in self.all:
            if claim.matrix.init is not None and not self.problems:
                self._note_unknown(claim)

    def reserve(self, numbers: int, node: Positioned, path: str) -> None:
        """Counts numbers that will have to be made; that they are too many is noted once."""
        was_exhausted = self.is_exhausted
        self._made += numbers
        if self.is_exhausted and not was_exhausted:
            message = f"too large: this brings the total to {self._made:,} numbers, the limit is {self.most_numbers:,}"
            self.problems.add(node, message, key=path, help="make the dimensions, or the sequence, smaller")

    @property
    def is_exhausted(self) -> bool:
        """Whether more numbers are asked for than may be made."""
        return self._made > self.most_numbers

    def _fill(self, claim: Claim) -> None:
        """Gives a matrix that `init` makes the sizes of its axes."""
        matrix, rows, columns = claim.matrix, claim.rows.size, claim.columns.size
        if matrix.init is None or matrix.columns is not None or rows is None or columns is None:
            return
        matrix.rows, matrix.columns = rows, columns
        self.reserve(rows * columns, matrix, matrix.path)

    def _message(self, claim: Claim) -> str:
        matrix, rows, columns = claim.matrix, claim.rows, claim.columns
        found, width = f"{matrix.rows}×{matrix.columns}", self._expected(claim, columns)
        if not claim.is_vector:
            expected = f"{self._expected(claim, rows)}×{width}"
            return f"{matrix.name} is {found}, expected {rows.symbol}×{columns.symbol} = {expected}"
        if matrix.rows != 1:
            return f"{matrix.name} is {found}, expected a vector of {columns.symbol} = {width}"
        return f"{matrix.name} has {counted(matrix.columns or 0, 'number')}, expected {columns.symbol} = {width}"

    def _expected(self, claim: Claim, axis: Axis) -> str:
        """The size of an axis; its symbol where this matrix alone says it."""
        others = (other for other in self.all if other.matrix is not claim.matrix)
        alone = axis.said_by is claim.matrix and not any(
            axis.is_same(side) for other in others for side in (other.rows, other.columns)
        )
        return axis.symbol if alone else str(axis)

    def _note_unknown(self, claim: Claim) -> None:
        matrix, free = claim.matrix, [axis.symbol for axis in (claim.rows, claim.columns) if axis.size is None]
        if free:
            message = f"the shape of {matrix.name} cannot be inferred: {' and '.join(free)} not known"
            remedies = {_REMEDIES.get(symbol, f"set it with dimensions: {{{symbol}: …}}"): None for symbol in free}
            self.problems.add(matrix, message, key=matrix.path, help="; ".join(remedies))


def _differs(actual: int | None, axis: Axis) -> bool:
    return actual is not None and axis.size is not None and actual != axis.size
