"""Matrices as a file gives them: numbers in lists, a tensor of a weights file, or an initialisation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from walkthrough.scenario.nodes import Mapping, Node, Scalar, Sequence, described
from walkthrough.scenario.readers import (
    Choice,
    Flag,
    JsonSchema,
    ListOf,
    Place,
    Real,
    Text,
    Whole,
    number_hint,
    real_number,
)
from walkthrough.scenario.sections import Section, SectionOf, key

Size = int | None
"""The number of rows or columns; None where it is not known (yet)."""

INITS = ("zeros", "ones", "identity", "normal", "xavier_uniform")


@dataclass
class FileTensor(Section):
    """A tensor of a .safetensors, .npz or .npy file; any float type is widened to float64."""

    file: str | None = key(Text(), "path of the file, relative to the scenario; default: weights_file")
    tensor: str | None = key(Text(), "name of the tensor; {i} is the number of a repeated layer, from 0")
    transpose: bool = key(Flag(), "exchange rows and columns, after slicing", default=False)
    rows: list[int] | None = key(ListOf(Whole()), "[first, last] row of the tensor as stored, from 1, both included")
    columns: list[int] | None = key(ListOf(Whole()), "[first, last] column of the tensor as stored, from 1")


@dataclass
class Init(Section):
    """Numbers made by a rule; random ones by numpy's default_rng(seed), afresh for each matrix."""

    init: str = key(Choice(INITS), "the rule", default="zeros", required=True)
    std: float = key(Real(least=0), "standard deviation, for normal", default=0.02)
    seed: int = key(Whole(least=0, most=2**32 - 1), "seed of the random numbers; layer i of a repeat adds i", default=1)


@dataclass(eq=False)
class Matrix:
    """One matrix or vector of the file: where it stands, its shape as far as known, and what it is made of."""

    node: Node
    path: str
    rows: Size = None
    columns: Size = None
    numbers: list[list[float]] | None = None
    tensor: FileTensor | None = None
    init: Init | None = None
    repeat: int = 0
    is_vector: bool = False

    @property
    def line(self) -> int:
        """Line in the file."""
        return self.node.line

    @property
    def column(self) -> int:
        """Column in the file."""
        return self.node.column

    @property
    def name(self) -> str:
        """The last part of its key."""
        return self.path.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class MatrixReader:
    """A matrix; `vector`: a list of numbers, a matrix of one row; `unknowns`: null stands for an unknown number."""

    vector: bool = False
    unknowns: bool = False
    either: bool = False

    def read(self, node: Node, place: Place) -> Matrix | None:
        if isinstance(node, Mapping):
            return self._made(node, place)
        if not isinstance(node, Sequence) or not node.items:
            place.reject(node, "a list of numbers" if self.vector else "a list of rows")
            return None
        is_vector = self.vector or (self.either and not isinstance(node.items[0], Sequence))
        if is_vector and isinstance(node.items[0], Sequence) and len(node.items) == 1:
            node = node.items[0]  # a vector written as a matrix of one row
        rows = [self._row(node, place)] if is_vector else self._rows(node, place)
        if rows is None or any(row is None for row in rows):
            return Matrix(node, place.path, is_vector=is_vector)  # its numbers are at fault: nothing more is said of it
        numbers = [row for row in rows if row is not None]
        return Matrix(node, place.path, len(numbers), len(numbers[0]), numbers, is_vector=is_vector)

    def _rows(self, node: Sequence, place: Place) -> list[list[float] | None] | None:
        if not all(isinstance(row, Sequence) for row in node.items):
            wrong = next(row for row in node.items if not isinstance(row, Sequence))
            place.reject(wrong, "a row, a list of numbers", help="a matrix is a list of rows: [[1, 0], [0, 1]]")
            return None
        rows = [self._row(row, place.at(index)) for index, row in enumerate(node.items, 1)]
        widths = [len(row.items) for row in node.items if isinstance(row, Sequence)]
        usual = max(set(widths), key=widths.count)
        for index, (row, width) in enumerate(zip(node.items, widths, strict=True), 1):
            if width != usual:
                message = (
                    f"{place.path.rpartition('.')[2]} is ragged: row {index} has {width} numbers, the others {usual}"
                )
                place.problems.add(row, message, key=place.path)
                return None
        return rows

    def _row(self, node: Node, place: Place) -> list[float] | None:
        if not isinstance(node, Sequence) or not node.items:
            place.reject(node, "a list of numbers")
            return None
        row = [self._number(item, place) for item in node.items]
        return None if None in row else row  # type: ignore[return-value]

    def _number(self, node: Node, place: Place) -> float | None:
        number = real_number(node)
        if number is not None and (math.isfinite(number) or (self.unknowns and number == -math.inf)):
            return number
        if self.unknowns and isinstance(node, Scalar) and node.value is None:
            return math.nan
        expected = "a number or null (unknown)" if self.unknowns else "a finite number"
        place.reject(node, expected, help=number_hint(node))
        return None

    def _made(self, node: Mapping, place: Place) -> Matrix | None:
        if node.get("init") is not None:
            init: Init | None = SectionOf(Init).read(node, place)
            return Matrix(node, place.path, init=init, repeat=place.repeat, is_vector=self.vector) if init else None
        if node.get("file") is None and node.get("tensor") is None:
            help = "numbers in lists, {file: …, tensor: …} or {init: …}"
            place.problems.add(node, f"expected a matrix, found {described(node)}", key=place.path, help=help)
            return None
        tensor: FileTensor | None = SectionOf(FileTensor).read(node, place)
        for name in ("rows", "columns"):
            chosen = getattr(tensor, name)
            if chosen is not None and (len(chosen) != 2 or chosen[0] > chosen[1]):
                place.problems.add(node, f"{name} takes [first, last], counted from 1", key=f"{place.path}.{name}")
        return Matrix(node, place.path, tensor=tensor, repeat=place.repeat, is_vector=self.vector) if tensor else None

    def schema(self) -> JsonSchema:
        number: JsonSchema = {"type": ["number", "null"] if self.unknowns else "number"}
        row = {"type": "array", "items": number, "minItems": 1}
        rows = {"type": "array", "items": row, "minItems": 1}
        lists = [row, rows] if self.either or self.vector else [rows]
        return {"anyOf": [*lists, {"$ref": "#/$defs/FileTensor"}, {"$ref": "#/$defs/Init"}]}


@dataclass(eq=False)
class Table:
    """Embeddings by word: the words in the order written, and their vectors."""

    node: Node
    path: str
    words: tuple[str, ...]
    matrix: Matrix


@dataclass(frozen=True, slots=True)
class TableReader:
    """Embeddings: a mapping token → vector, or a matrix by id or by position."""

    def read(self, node: Node, place: Place) -> Table | Matrix | None:
        if not isinstance(node, Mapping) or _is_made(node):
            found: Any = MatrixReader().read(node, place)
            return found  # type: ignore[no-any-return]
        if not node.entries:
            place.reject(node, "a mapping token → vector, or a matrix")
            return None
        vectors = Sequence([vector for _, vector in node.entries], node.line, node.column)
        rows = []
        for word, vector in node.entries:
            rows.append(MatrixReader()._row(vector, place.at(word.text)))
        matrix = Matrix(vectors, place.path)
        if None not in rows and self._same_length(node, place):
            numbers = [row for row in rows if row is not None]
            matrix = Matrix(vectors, place.path, len(numbers), len(numbers[0]), numbers)
        return Table(node, place.path, tuple(word.text for word, _ in node.entries), matrix)

    def _same_length(self, node: Mapping, place: Place) -> bool:
        widths = [len(vector.items) for _, vector in node.entries if isinstance(vector, Sequence)]
        usual = max(set(widths), key=widths.count)
        for (word, vector), width in zip(node.entries, widths, strict=True):
            if width != usual:
                message = f"the vector of {word.text!r} has {width} numbers, the others {usual}"
                place.problems.add(vector, message, key=place.at(word.text).path)
        return set(widths) == {usual}

    def schema(self) -> JsonSchema:
        vector = {"type": "array", "items": {"type": "number"}, "minItems": 1}
        return {"anyOf": [{"type": "object", "additionalProperties": vector}, MatrixReader().schema()]}


def _is_made(node: Mapping) -> bool:
    """Whether a mapping is {file: …} or {init: …} rather than token → vector: its values are words."""
    return any(isinstance(node.get(name), Scalar) for name in ("file", "tensor", "init"))
