"""Matrices as a file gives them: numbers in lists, a tensor of a weights file, or an initialisation."""

from __future__ import annotations

import math
from itertools import pairwise

from walkthrough.records import Record
from walkthrough.scenario.schema.readers import (
    Choice,
    Context,
    Flag,
    JsonSchema,
    Range,
    Ranges,
    Real,
    Text,
    Whole,
    WordOr,
    all_of,
    number_hint,
    real_number,
)
from walkthrough.scenario.schema.rules import Condition, Exclusion, check_rules
from walkthrough.scenario.schema.sections import Section, SectionOf, key
from walkthrough.scenario.yaml.nodes import ListNode, MappingNode, Node, ScalarNode, describe_node, quote
from walkthrough.text import pluralize

Size = int | None
"""The number of rows or columns; None where it is not known (yet)."""

INITS = ("zeros", "ones", "identity", "normal", "xavier_uniform")


class IndexReader:
    """A whole number from 0, or a counter in quotes."""

    def read(self, node: Node, context: Context) -> int | str | None:
        if isinstance(node, ScalarNode) and node.text in ("{i}", "{e}"):
            return node.text
        if isinstance(node, ScalarNode) and not isinstance(node.value, str):
            return Whole(least=0).read(node, context)
        help = 'write index: "{e}", in quotes' if isinstance(node, MappingNode) else ""
        context.reject(node, 'a whole number, "{i}" or "{e}"', help=help)
        return None

    def schema(self) -> JsonSchema:
        return {"anyOf": [{"enum": ["{i}", "{e}"]}, Whole(least=0).schema()]}


QUANTIZATIONS = ("absmax", "zero_point")
GRANULARITIES = ("tensor", "row", "column")


class Group(Section):
    """Neighbouring numbers of a row that have a scale in common."""

    group: int = key(Whole(least=1), "how many; it divides the length of a row", required=True)


class Quantize(Section):
    """A weight in few bits: whole numbers times a scale."""

    method: str = key(Choice(QUANTIZATIONS), "whole numbers counted from 0, or from a zero point", default="absmax")
    bits: int = key(Whole(least=2, most=8), "of each whole number", default=8)
    per: str | Group = key(
        WordOr(GRANULARITIES, SectionOf(Group), "{group: N}"), "which numbers have a scale in common", default="tensor"
    )
    group: int | None = key(
        Whole(least=1),
        "short for per: {group: N}",
        excludes=Exclusion(("per",), "group cannot be combined with per", "", here=True),
    )

    @property
    def size(self) -> int | None:
        """How many neighbouring numbers of a row have a scale in common; None where it is not a group."""
        return self.per.group if isinstance(self.per, Group) else self.group

    @property
    def granularity(self) -> str:
        """Which numbers have a scale in common: those of the tensor, of a row, of a column, of a group."""
        return "group" if self.size is not None else str(self.per)


class QuantizeReader:
    """The name of a method, or a mapping that says more."""

    _either = WordOr(QUANTIZATIONS, SectionOf(Quantize), "a mapping such as {bits: 4}")

    def read(self, node: Node, context: Context) -> Quantize | None:
        found: str | Quantize | None = self._either.read(node, context)
        if isinstance(found, str):
            return Quantize(node=MappingNode([], node.line, node.column), path=context.path, method=found)
        check_rules(found, context.problems)
        return found

    def schema(self) -> JsonSchema:
        return self._either.schema()


_KEPT = "kept in few bits, and used as what these stand for: absmax, zero_point or a mapping"


class FileTensor(Section):
    """A tensor of a .safetensors, .npz or .npy file; any float type is widened to float64."""

    file: str | None = key(Text(), "path of the file, relative to the scenario; default: weights_file")
    tensor: str | None = key(
        Text(), "name of the tensor; {i} is the number of a repeated layer, {e} of a repeated expert, from 0"
    )
    transpose: bool = key(Flag(), "swap rows and columns, after slicing", default=False)
    index: int | str | None = key(
        IndexReader(),
        "which matrix of a tensor of three dimensions, or vector of one of two, from 0; {i} and {e} as in tensor",
    )
    rows: list[Range] | None = key(
        Ranges(), "[first, last] row of the tensor as stored, from 1, both included; with a step, or a list of such"
    )
    columns: list[Range] | None = key(Ranges(), "[first, last] column of the tensor as stored, in the same way")
    quantize: Quantize | None = key(QuantizeReader(), _KEPT)


def _but_for(*rules: str) -> dict[Condition, str]:
    """Where a key of `Init` has no effect: beside all rules but these."""
    return {("init", rule): f"init is {rule}" for rule in INITS if rule not in rules}


class Init(Section):
    """Numbers made by a rule; random ones with numpy's default_rng(seed), restarted for each matrix."""

    init: str = key(Choice(INITS), "the rule", default="zeros", required=True)
    std: float = key(Real(least=0), "standard deviation, for normal", default=0.02, idle=_but_for("normal"))
    seed: int = key(
        Whole(least=0, most=2**32 - 1),
        "seed of the random numbers; layer i of a repeat adds i",
        default=1,
        idle=_but_for("normal", "xavier_uniform"),
    )
    quantize: Quantize | None = key(QuantizeReader(), _KEPT)


class Matrix(Record, eq=False, frozen=False):
    """One matrix or vector of the file: its place, its shape as far as known, and what it is made of.

    hidden:   it may hold −∞, for a hidden score
    quantize: how its numbers are kept in few bits; what these stand for is used
    adapter:  the low-rank change that is added to it wherever it is used
    """

    node: Node
    path: str
    rows: Size = None
    columns: Size = None
    numbers: list[list[float]] | None = None
    tensor: FileTensor | None = None
    init: Init | None = None
    repeat: int = 0
    expert: int = 0
    is_vector: bool = False
    hidden: bool = False
    quantize: Quantize | None = None
    adapter: Adapter | None = None

    @property
    def line(self) -> int:
        """Line in the file."""
        return self.node.line

    @property
    def column(self) -> int:
        """Column in the file."""
        return self.node.column

    @property
    def is_derived(self) -> bool:
        """Whether other numbers are used than its own, which are not trained: those that it stands for, or a sum."""
        return self.quantize is not None or self.adapter is not None

    @property
    def name(self) -> str:
        """The last part of its key."""
        path = self.path if self.quantize is None else self.path.removesuffix(".values")
        return path.rpartition(".")[2]

    @property
    def tensor_name(self) -> str | None:
        """What its tensor is called in the file, with the number of its layer; None where the file has only one."""
        name = self.tensor.tensor if self.tensor is not None else None
        return None if name is None else self._counted(name)

    @property
    def index(self) -> int | None:
        """Which part of its tensor it is, with the number of its layer or expert; None for a whole tensor."""
        index = self.tensor.index if self.tensor is not None else None
        return None if index is None else int(self._counted(str(index)))

    def _counted(self, text: str) -> str:
        return text.replace("{i}", str(self.repeat)).replace("{e}", str(self.expert))


class MatrixReader(Record):
    """A matrix.

    vector:   a list of numbers, a matrix of one row
    single:   one number, a matrix of one row and one column
    either:   a list of numbers is a vector, a list of rows a matrix
    unknowns: null stands for an unknown number
    hidden:   -.inf stands for a hidden score
    whole:    null stands for a whole matrix that nobody printed
    listed:   numbers in lists, made by nothing
    as_is:    what it is, where its own numbers are used: none that stand for others in few bits, or have a change
    """

    vector: bool = False
    single: bool = False
    either: bool = False
    unknowns: bool = False
    hidden: bool = False
    whole: bool = False
    listed: bool = False
    as_is: str = ""

    def read(self, node: Node, context: Context) -> Matrix | None:
        if isinstance(node, MappingNode) and not self.listed:
            matrix = self._made(node, context)
            if self.as_is and matrix is not None and matrix.is_derived:
                message = f"{self.as_is} is not quantized, and has no low-rank change"
                context.problems.add(node, message, key=context.path)
            return matrix
        if self.whole and isinstance(node, ScalarNode) and node.value is None:
            return None
        if self.single and isinstance(node, ScalarNode) and not (isinstance(node.value, str) or node.value is None):
            return Matrix(node, context.path, 1, 1, [[self._number(node, context)]], is_vector=True)
        if not isinstance(node, ListNode) or not node.items:
            expected = "a number" if self.single else "a list of numbers" if self.vector else "a list of rows"
            expected += " or a list" if self.single and self.either else ""
            context.reject(node, expected, help=number_hint(node))
            return None
        nested = isinstance(node.items[0], ListNode)
        if self.vector and nested and len(node.items) == 1:
            node = node.items[0]  # a vector written as a matrix of one row
        if self.vector or (self.either and not nested):
            row = self.row(node, context)
            rows = None if row is None else [row]
        else:
            rows = self._rows(node, context)
        matrix = Matrix(node, context.path, is_vector=self.vector or (self.either and not nested))
        if rows:  # otherwise its numbers are at fault, and that is reported already
            matrix.rows, matrix.columns, matrix.numbers = len(rows), len(rows[0]), rows
        return matrix

    def row(self, node: Node, context: Context) -> list[float] | None:
        """One row of numbers."""
        if not isinstance(node, ListNode) or not node.items:
            context.reject(node, "a list of numbers")
            return None
        return [number for item in node.items for number in [self._number(item, context), *[0.0] * (_count(item) - 1)]]

    def _rows(self, node: Node, context: Context) -> list[list[float]] | None:
        assert isinstance(node, ListNode)
        for row in node.items:
            if not isinstance(row, ListNode):
                context.reject(row, "a row, a list of numbers", help="a matrix is a list of rows: [[1, 0], [0, 1]]")
                return None
        name = context.path.rpartition(".")[2]
        rows = all_of(self.row(row, context.at(at)) for at, row in enumerate(node.items, 1))
        even = even_lengths([(f"{name} is ragged: row {at}", row) for at, row in enumerate(node.items, 1)], context)
        return rows if even else None

    def _number(self, node: Node, context: Context) -> float:
        """The number; a faulty one becomes 0, so that the shape of its matrix can still be checked."""
        number = real_number(node)
        if number is not None and (math.isfinite(number) or (self.hidden and number == -math.inf)):
            return number
        if self.unknowns and isinstance(node, ScalarNode) and node.value is None:
            return math.nan
        others = [*(["-.inf (hidden)"] if self.hidden else []), *(["null (unknown)"] if self.unknowns else [])]
        help = number_hint(node)
        if isinstance(node, ScalarNode) and node.value is None:
            help = "null, an unknown number, is only allowed in given values: q, k, v, scores, weights and outputs"
        context.reject(node, " or ".join(["a number" if others else "a finite number", *others]), help=help)
        return 0.0

    def _made(self, node: MappingNode, context: Context) -> Matrix | None:
        """Numbers, a tensor of a file, an initialisation, or a base with a low-rank change.

        A faulty one leaves a matrix that gets no further reports.
        """
        kind = next((kind for name, kind in _MADE.items() if node.get(name)), None)
        if kind is None:
            help = "numbers in lists, {file: …, tensor: …} or {init: …}"
            context.problems.add(node, f"expected a matrix, found {describe_node(node)}", key=context.path, help=help)
            return None
        matrix = Matrix(
            node,
            context.path,
            repeat=context.repeat or 0,
            expert=context.expert or 0,
            is_vector=self.vector,
            hidden=self.hidden,
        )
        before = len(context.problems)
        if kind is Adapter and self.vector:
            context.problems.add(node, "a low-rank change is one of a matrix, not of a vector", key=context.path)
            return matrix
        made = SectionOf(kind).read(node, context)
        if len(context.problems) > before:
            return matrix
        if isinstance(made, Adapter):
            return _adapted(made, context)
        if isinstance(made, Written):
            matrix = self._written(made, context)
        elif isinstance(made, Init):
            matrix.init = made
            check_rules(made, context.problems)
        else:
            matrix.tensor = made
            _warn_of_counters(made, context)
        matrix.quantize = made.quantize
        return matrix

    def _written(self, made: Written, context: Context) -> Matrix:
        """The numbers in lists."""
        matrix = made.values
        if matrix.is_vector and not (self.vector or self.either):
            help = "a matrix is a list of rows: [[1, 0], [0, 1]]"
            context.problems.add(matrix, "expected a list of rows, found a list of numbers", help=help)
        matrix.is_vector, matrix.hidden = matrix.is_vector or self.vector, self.hidden
        return matrix

    def schema(self) -> JsonSchema:
        number: JsonSchema = {"type": ["number", "null"] if self.unknowns else "number"}
        row = {"type": "array", "items": number, "minItems": 1}
        rows = {"type": "array", "items": row, "minItems": 1}
        lists = [row, rows] if self.either or self.vector else [rows]
        lists = [number, *lists] if self.single else lists
        nothing: list[JsonSchema] = [{"type": "null"}] if self.whole else []
        kinds = () if self.listed else ("FileTensor", "Init", "Written", "Adapter")
        made: list[JsonSchema] = [{"$ref": f"#/$defs/{kind}"} for kind in kinds]
        return {"anyOf": [*lists, *made, *nothing]}


class Written(Section):
    """Numbers in lists, kept in few bits."""

    values: Matrix = key(MatrixReader(either=True, listed=True), "the numbers, in lists", required=True)
    quantize: Quantize | None = key(QuantizeReader(), _KEPT, required=True)


class Adapter(Section):
    """A matrix and a low-rank change of it (LoRA): base + alpha/r · a·b."""

    base: Matrix = key(MatrixReader(), "the matrix that is changed; it is not trained", required=True)
    a: Matrix = key(MatrixReader(), "in×r; with matrix_convention: column r×in", required=True)
    b: Matrix = key(MatrixReader(), "r×out; with matrix_convention: column out×r", required=True)
    alpha: float = key(Real(), "what a·b is multiplied by, and divided by r", required=True)
    r: int | None = key(Whole(least=1), "the rank: how many columns a has, and rows b")


_MADE: dict[str, type[Written | Init | FileTensor | Adapter]] = {
    "values": Written,
    "base": Adapter,
    "init": Init,
    "file": FileTensor,
    "tensor": FileTensor,
    "quantize": Written,
    "alpha": Adapter,
}
"""What a mapping with this key is."""


def _adapted(made: Adapter, context: Context) -> Matrix:
    """The base, with its change."""
    for name, part in (("base", made.base), ("a", made.a), ("b", made.b)):
        if part.adapter is not None:
            context.problems.fault(made, name, f"{name} has a change of its own: there is one for each weight")
        elif part.quantize is not None and name != "base":
            message = f"{name} is quantized: only the base can be, as a and b are trained"
            context.problems.fault(made, name, message)
    made.base.adapter = made
    return made.base


def _warn_of_counters(tensor: FileTensor, context: Context) -> None:
    """{i} and {e} count where a layer, or an expert, is repeated."""
    counted = {"{i}": (context.repeat, "layers"), "{e}": (context.expert, "experts")}
    for counter, (number, what) in counted.items():
        for name in ("tensor", "index"):
            if number is None and counter in str(getattr(tensor, name)):
                message = f"{counter} is 0 here: it counts the {what} of a repeat"
                context.problems.warn(tensor.at(name), message, key=tensor.key_of(name))


def even_lengths(rows: list[tuple[str, Node]], context: Context) -> bool:
    """Whether all rows have as many numbers as most of them; those that have not are noted, empty ones are left."""
    lengths = [_length(row) for _, row in rows if isinstance(row, ListNode) and row.items]
    usual = max(dict.fromkeys(lengths), key=lengths.count, default=0)  # of two as frequent ones, the first
    for name, row in rows:
        if isinstance(row, ListNode) and (count := _length(row)) not in (0, usual):
            message = f"{name} has {pluralize(count, 'number')}, the others have {usual}"
            if count > usual:
                help = decimal_comma_hint(row)
            else:
                help = next(filter(None, (decimal_comma_hint(other, mixed=True) for _, other in rows)), "")
            context.problems.add(row, message, key=context.path, help=help)
    return set(lengths) == {usual}


def _length(row: ListNode) -> int:
    """How many numbers a row has."""
    return sum(map(_count, row.items))


def _count(item: Node) -> int:
    """How many numbers an item of a row is meant as: several, where a comma is missing between them."""
    return len(item.text.split()) or 1 if isinstance(item, ScalarNode) else 1


def decimal_comma_hint(row: Node, mixed: bool = False) -> str:
    """What may be meant in a row that is too long: `[1,5, 2]` is three numbers. Empty where all commas have a space.

    mixed: only where some of them have one
    """
    items = row.items if isinstance(row, ListNode) else []
    pairs = [(one, two) for one, two in pairwise(items) if isinstance(one, ScalarNode) and isinstance(two, ScalarNode)]
    tight = [one.line == two.line and two.column == one.column + len(one.text) + 1 for one, two in pairs]
    for (one, two), is_tight in zip(pairs, tight, strict=True):
        if is_tight and not (mixed and all(tight)) and two.text.isdigit() and one.text.lstrip("+-").isdigit():
            number = f"{one.text}.{two.text}"
            return f"a comma separates numbers: write the decimal point as '.' if {number} is meant"
    return ""


class Table(Record, eq=False):
    """Embeddings by word: the words in the order written, and their vectors."""

    node: Node
    path: str
    words: tuple[str, ...]
    matrix: Matrix


class TableReader:
    """Embeddings: a mapping token → vector, or a matrix by id or by position."""

    def read(self, node: Node, context: Context) -> Table | Matrix | None:
        if not isinstance(node, MappingNode) or _is_made(node):
            return MatrixReader().read(node, context)
        if not node.entries:
            context.reject(node, "a mapping token → vector, or a matrix")
            return None
        numbers = all_of(MatrixReader().row(vector, context.at(word.text)) for word, vector in node.entries)
        named = [(f"the vector of {quote(word.text)}", vector) for word, vector in node.entries]
        matrix = Matrix(node, context.path)
        if even_lengths(named, context) and numbers is not None:
            matrix = Matrix(node, context.path, len(numbers), len(numbers[0]), numbers)
        return Table(node, context.path, tuple(word.text for word, _ in node.entries), matrix)

    def schema(self) -> JsonSchema:
        vector = {"type": "array", "items": {"type": "number"}, "minItems": 1}
        return {"anyOf": [{"type": "object", "additionalProperties": vector}, MatrixReader().schema()]}


def _is_made(node: MappingNode) -> bool:
    """Whether a mapping is {file: …}, {init: …} or the like rather than token → vector: not all of it is lists."""
    values = (node.get(name) for name in ("file", "tensor", "init", "quantize", "alpha"))
    return any(isinstance(one, ScalarNode | MappingNode) for one in values)


class ShapedReader(MatrixReader):
    """A matrix whose shape nothing else says: numbers, or a tensor, which bring their own."""

    def read(self, node: Node, context: Context) -> Matrix | None:
        matrix = super().read(node, context)
        if matrix is not None and matrix.init is not None:
            context.reject(node, "a list of rows, or a tensor of a file")
        return matrix

    def schema(self) -> JsonSchema:
        return {"anyOf": [kind for kind in super().schema()["anyOf"] if kind != {"$ref": "#/$defs/Init"}]}


class GradientReader:
    """A matrix, or a list with one for each step."""

    _one = ShapedReader(as_is="a gradient", single=True, either=True)

    def read(self, node: Node, context: Context) -> list[Matrix] | None:
        if isinstance(node, ListNode) and any(map(_is_matrix, node.items)):
            return all_of(self._one.read(item, context.at(at)) for at, item in enumerate(node.items, 1))
        return all_of([self._one.read(node, context)])

    def schema(self) -> JsonSchema:
        kinds = self._one.schema()["anyOf"]
        return {"anyOf": [*kinds, {"type": "array", "items": {"anyOf": kinds}, "minItems": 1}]}


def _is_matrix(node: Node) -> bool:
    """Whether a node is a matrix by itself, and no number or row of one."""
    rows = node.items if isinstance(node, ListNode) else []
    return isinstance(node, MappingNode) or any(isinstance(row, ListNode) for row in rows)
