"""One recorded matrix: its numbers, and where they come from."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from walkthrough.expressions.fold.folding import Folded, expand
from walkthrough.expressions.tree.nodes import Expression
from walkthrough.number_formats import FloatFormat, NumberFormat
from walkthrough.operations.definition import NO_SETTINGS, Array, Composite, Operation, Shape
from walkthrough.recording.axes import Axes, Axis
from walkthrough.recording.labels import Labels, numbered_labels
from walkthrough.recording.rounding import Digits
from walkthrough.recording.selectors import SelectorError
from walkthrough.records import NONE

NO_FACTS: Mapping[str, object] = {}


class Kind(NamedTuple):
    """A kind of value: the last part of its path, its symbol, its title, and where languages have its words.

    is_distribution: the numbers are shares of a whole, and a heat map helps to see them
    ids:     the columns, counted from 0, that hold ids, not quantities
    counts:  those of them whose ids are numbers, as of a beam: they stand for no words
    trained: a given matrix that training changes
    series:  one row after the other in time: of a long table every n-th row is shown
    fixed:   a matrix that decides what is calculated, such as ids and masks: no number of it may be changed or rounded
    axes:    of a parameter its axes, inward and outward, as the schema declares them
    outcome: what comes out of the model, where it is that: `prediction`, `answer` (all that was generated) or `loss`
    words:   the key of its words in every language's file: title, purpose, reason, source; by default its name
    reason:  the key of its reason and source, where it shares them with other kinds; by default that of its words
    facts:   what stands in the blanks of these words; a kind stands for its title
    """

    name: str
    symbol: str
    title: str
    is_distribution: bool = False
    ids: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    trained: bool = False
    series: bool = False
    fixed: bool = False
    words: str = ""
    reason: str = ""
    facts: Mapping[str, object] = NO_FACTS
    outcome: str = ""
    axes: tuple[str, str] | None = None

    @property
    def key(self) -> str:
        """Under which languages have its words."""
        return self.words or self.name

    def is_called(self, printed: str) -> bool:
        """Whether it is printed so: its symbol, such as S', or its title, whatever the case."""
        return printed.replace("′", "'") == self.symbol or printed.casefold() == self.title.casefold()


def with_index(symbol: str, index: str) -> str:
    """A symbol with one more index, before the number of its training step: W_1(2) → W_1,3(2)."""
    name, bracket, step = symbol.partition("(")
    return f"{name}{',' if '_' in name else '_'}{index}{bracket}{step}"


class Guard(NamedTuple):
    """A bound on the largest number of each row: whether all rows keep to it decided which steps are calculated."""

    size: float
    is_kept: bool

    def holds(self, array: Array) -> bool:
        """Whether the same is calculated from these numbers."""
        largest = np.fmax.reduce(np.abs(np.maximum.reduce(array, axis=1)))  # of numbers, where there are any
        return bool(largest > self.size) != self.is_kept


class Stop(NamedTuple):
    """Whether a search was over after a table: its first total, divided, was not above the last score that is kept.

    place: of the total in the table's first input, counted row by row; divisor, scores: what it was compared with
    """

    place: int
    divisor: Value
    scores: Value
    is_over: bool


_BLOCK = 100_000
"""Numbers that are looked at together: of a large matrix all of them would be too many."""


def blocks(array: Array) -> Iterator[tuple[int, Array]]:
    """An array by rows: the first row of each block, and the block; of a large file one block is read at a time."""
    step = max(1, _BLOCK // max(1, array.shape[1]))
    return ((first, np.asarray(array[first : first + step])) for first in range(0, array.shape[0], step))


def finite_sizes(numbers: Array) -> Array:
    """The size of each number, 0 of one that is not finite."""
    sizes: Array = np.where(np.isfinite(numbers), np.abs(numbers), 0.0)
    return sizes


def _largest(numbers: Array) -> float:
    """The size of the largest number that is finite; 0 where there is none."""
    size = float(max(numbers.max(initial=0.0), -numbers.min(initial=0.0)))
    if math.isfinite(size):
        return size
    return float(finite_sizes(numbers).max(initial=0.0))


class Origin(NamedTuple):
    """A rule or a file that given numbers come from: the key of its words, and what stands in their blanks."""

    words: str
    facts: Mapping[str, object] = NO_FACTS


class Source:
    """Where the numbers of a given value come from.

    origin:  a rule, a file; None where they are in the scenario
    matrix:  the matrix of the scenario that they are, or are a part of; None for others
    written: which numbers of that matrix are in the scenario after all, whatever its origin
    """

    __slots__ = ("matrix", "origin", "written")

    def __init__(self, origin: Origin | None = None, matrix: Any = None, written: Array | None = None) -> None:
        self.origin = origin
        self.matrix = matrix
        self.written = written


NO_SOURCE = Source()


class Value:
    """A recorded matrix, always with two dimensions: its axes, and its array; over shapes it has axes alone.

    path, also:  its name, and further names of the same value
    operation:   how it was computed; None for a matrix that was given
    inputs:      the values it was computed from, in the order of the operation's operands
    settings:    keyword arguments of the operation
    composite:   the same value as one function of earlier values (softmax of exp, sum and quotient), or None
    parts:       of a composite the values inside it by name, as far as its gradient needs them; never the value itself
    names:       what its ids stand for, where they stand for words
    like:        the value whose labels it has, where they do not follow from the inputs: a gradient's parameter
    before:      the same step in the pass before, where the model runs several times
    digits:      what by-hand arithmetic rounded it to, or None
    format:      the number format that it was rounded to instead, or None
    source:      where the numbers of a given matrix come from
    corner:      row and column of its first number in the scenario's matrix
    loss:        of the first gradient of a training step: what it is the gradient of, in the end; None for others
    chosen_by:   the prediction whose last word has decided that this is calculated, and from what; None for most
    tree:        of what was chosen from tables: all that was kept on the way (`Branch`); empty for most
    residue:     what has been found out about the last bits of its numbers; None until somebody asks
    guard:       the step is there only while its first input keeps to it; None for most
    stop:        what has decided that there are steps behind it, or none; None for most
    weight:      the value, and its column from 0, that says for each row how much that counts; None for most
    """

    array: Array
    also: tuple[str, ...] = ()
    source: Source = NO_SOURCE
    corner: tuple[int, int] = (0, 0)
    composite: tuple[Composite, tuple[Value, ...], Mapping[str, Any]] | None = None
    parts: Mapping[str, Value] = NONE
    names: dict[int, str] | None = None
    before: Value | None = None
    like: Value | None = None
    loss: Value | None = None
    digits: Digits | None = None
    format: NumberFormat | None = None
    chosen_by: Value | None = None
    guard: Guard | None = None
    weight: tuple[Value, int] | None = None
    stop: Stop | None = None
    tree: tuple[Branch, ...] = ()
    residue: Any = None
    _unknown: bool | None = None
    _largest: float | None = None

    def __init__(
        self,
        path: str,
        kind: Kind,
        array: Array | None,
        operation: Operation | None = None,
        inputs: tuple[Value, ...] = (),
        settings: Mapping[str, Any] = NO_SETTINGS,
        rows: Labels | Callable[[], Labels] | None = None,
        columns: Labels | None = None,
        shape: Shape | None = None,
        axes: Axes | None = None,
    ) -> None:
        self.path = path
        self.kind = kind
        self.operation = operation
        self.inputs = inputs
        self.settings = settings
        self._rows = rows
        self._columns = columns
        self._axes = axes
        self._shape = shape
        self.array = array  # type: ignore[assignment]  # over shapes it is never asked for
        if array is None:
            self._unknown = False
        elif shape is None:
            self._shape = array.shape

    def __getattr__(self, name: str) -> Any:
        """Numbers that were let go are asked for; there is nothing else that a value may lack."""
        if name != "array":
            raise AttributeError(name)
        raise SelectorError(f"the numbers of {self.path} were let go when nothing needed them any more: ask for it too")

    def let_go(self) -> None:
        """Forgets the numbers, of which nothing is needed any more; where they come from stays known."""
        self.mark_unknown()
        del self.array

    def mark_unknown(self) -> None:
        """Notes of a given matrix whether it holds unknown numbers, while it has those that are given."""
        if self.operation is None:
            # what a rule or a file makes holds none, and a large file need not be read for it
            is_made = self.origin is not None and self.written is None
            self._unknown = not is_made and any(np.isnan(block).any() for _, block in blocks(self.array))

    def use_format(self, format: NumberFormat) -> None:
        """Rounds the numbers to a format, but for what decides what is calculated."""
        if not self.kind.fixed:
            self.format, self.array = format, self.in_format(format, self.array)

    def in_format(self, format: NumberFormat, array: Array) -> Array:
        """An array of this shape as a format holds it, but for ids; of a large file as it is read."""
        if self.kind.fixed:
            return array
        like = None
        if not isinstance(format, FloatFormat):  # whole numbers take their scale from the largest of all
            like = np.array([_largest(self.quantities(block)) for _, block in blocks(array)])
        if not isinstance(array, np.ndarray):
            return array.through(partial(format.round, like=like))
        rounded = np.empty_like(array)
        for first, block in blocks(array):
            rounded[first : first + len(block)] = format.round(block, like)
        for column in self.kind.ids:
            rounded[:, column] = array[:, column]
        return rounded

    def quantities(self, array: Array) -> Array:
        """What an array of this shape holds beside ids."""
        return np.delete(array, self.kind.ids, axis=1)

    @property
    def is_let_go(self) -> bool:
        """Whether its numbers were let go."""
        return "array" not in self.__dict__

    @property
    def shape(self) -> Shape:
        """Rows and columns; over shapes 0 is an unknown size, which may still be found."""
        return self._shape or (self.axes[0].size or 0, self.axes[1].size or 0)

    @property
    def has_numbers(self) -> bool:
        """Whether it has an array; where a calculation is over shapes, no value has."""
        return self._shape is not None

    @property
    def has_size(self) -> bool:
        """Whether its shape is known."""
        return self.has_numbers or None not in (self.axes[0].size, self.axes[1].size)

    @property
    def origin(self) -> Origin | None:
        """Where a given matrix comes from, in words; empty where it is in the scenario."""
        return self.source.origin

    @property
    def matrix(self) -> Any:
        """The matrix of the scenario that it is, or is a part of; None for others."""
        return self.source.matrix

    @property
    def axes(self) -> Axes:
        """The axes of rows and columns; over arrays their sizes are what the array has."""
        if self._axes is None:
            assert self._shape is not None
            rows, columns = self._shape
            self._axes = Axis("rows", rows), Axis("columns", columns)
        return self._axes

    @property
    def written(self) -> Array | None:
        """Which numbers are in the scenario after all, though it has an origin; None where none are."""
        if self.source.written is None:
            return None
        (down, right), (rows, columns) = self.corner, self.shape
        return self.source.written[down : down + rows, right : right + columns]

    @property
    def rows(self) -> Labels:
        """The label of each row."""
        if self._rows is None:
            self._rows = self._labels(0)
        elif not isinstance(self._rows, tuple):  # labels that were not made before somebody wants them
            self._rows = self._rows()
        return self._rows

    @property
    def columns(self) -> Labels:
        """The label of each column."""
        if self._columns is None:
            self._columns = self._labels(1)
        return self._columns

    @property
    def unknown(self) -> bool:
        """Whether its nans are unknown numbers: it depends on one that the file leaves unknown, or leaves out rows."""
        waiting = [self]
        while waiting:  # no recursion: a stack of layers may be deeper than Python's own
            value = waiting[-1]
            unsettled = [given for given in value.inputs if given._unknown is None]
            if value._unknown is None and unsettled:
                waiting += unsettled
                continue
            if value.operation is None and value._unknown is None:
                value.mark_unknown()
            elif value._unknown is None:
                value._unknown = any(given._unknown for given in value.inputs)
            waiting.pop()
        return bool(self._unknown) or self.leaves_out

    @property
    def leaves_out(self) -> bool:
        """Whether it has no numbers in the rows that its operation leaves out, and numbers in all others."""
        if self.operation is None or self.operation.left_out is None or not self.has_numbers:
            return False
        rows = self.operation.left_out(*(given.array for given in self.inputs), **self.settings)
        return bool(rows) and not np.isnan(np.delete(self.array, rows, axis=0)).any()

    @property
    def largest(self) -> float:
        """The size of the largest number that is finite; 0 where there is none."""
        if self._largest is None:
            self._largest = max((_largest(block) for _, block in blocks(self.array)), default=0.0)
        return self._largest

    @property
    def is_broken(self) -> bool:
        """Whether it holds a nan or +∞; −∞ is a hidden score, and in order."""
        return bool((np.isnan(self.array) | (self.array == np.inf)).any())

    @property
    def holds_ids(self) -> bool:
        """Whether a column holds ids rather than quantities."""
        return bool(self.kind.ids)

    def is_id(self, column: int) -> bool:
        """Whether a column, counted from 0, holds ids."""
        return column in self.kind.ids

    def is_word(self, column: int) -> bool:
        """Whether a column, counted from 0, holds ids that stand for words."""
        return self.names is not None and column in self.kind.ids and column not in self.kind.counts

    @property
    def word_column(self) -> int:
        """The last column of ids: the first quantity is behind it."""
        return max(self.kind.ids)

    @property
    def can_change(self) -> bool:
        """Whether it holds given numbers that may be changed: not ids and masks."""
        return self.operation is None and self.matrix is not None and not self.kind.fixed

    def _labels(self, dimension: int) -> Labels:
        """An axis takes the labels of the first input axis that the operation gives the same name."""
        value, at = self, dimension
        while (labels := value._columns if at else value._rows) is None:
            source = value._label_source(at)
            if source is None:
                return numbered_labels(self.shape[dimension])
            value, at = source
        return labels if isinstance(labels, tuple) else labels()

    def _label_source(self, dimension: int) -> tuple[Value, int] | None:
        """The value and dimension that an axis has its labels from."""
        if self.like is not None:
            return self.like, dimension
        if self.operation is not None:
            axes, result = self.operation.axes
            for value, names in zip(self.inputs, axes, strict=False):
                if result[dimension] in names:
                    return value, 0 if names[0] == result[dimension] else 1
        return None

    def cell(self, row: int, column: int) -> Expression:
        """How the number at (row, column), counted from 0, comes from the inputs; a ValueError for a given matrix."""
        if self.operation is None:
            raise ValueError(f"{self.path} is given, not computed")
        (piece,) = (one for one in self.fold() if row in one.rows and column in one.columns)
        return expand(piece, row, column)

    def fold(self) -> Folded:
        """How all numbers are computed, folded into few expressions; none where given."""
        if self.operation is None:
            return ()
        return self.operation.fold([value.shape for value in self.inputs], self.settings)

    @property
    def formula(self) -> Expression | None:
        """The formula over the inputs; None for a given matrix."""
        return self.operation.formula(len(self.inputs), **self.settings) if self.operation else None

    @property
    def constants(self) -> dict[str, float]:
        """The numbers that names in the formula stand for, such as d_k; none of a given matrix."""
        names = self.operation.names if self.operation else None
        return names(*(value.shape for value in self.inputs), **self.settings) if names else {}

    def bare(self) -> Value:
        """The same numbers and labels, without where they come from."""
        bare = type(self)(self.path, self.kind, self.array, rows=self.rows, columns=self.columns)
        bare.source, bare.corner = self.source, self.corner
        return bare

    def without_history(self) -> Value:
        """The same value, whose inputs are bare: it can still be worked out, and holds on to nothing before them."""
        inputs = tuple(given.bare() for given in self.inputs)
        alone = type(self)(
            self.path, self.kind, self.array, self.operation, inputs, self.settings, self.rows, self.columns
        )
        alone.names, alone.source = self.names, Source(self.origin)
        alone.digits, alone.format = self.digits, self.format
        alone._unknown = self.unknown  # a nan that was calculated is not one of the file
        return alone

    def with_numbers(self, array: Array, inputs: tuple[Value, ...] | None = None) -> Value:
        """The same step with other numbers, and on request other inputs; nothing is remembered of the old ones."""
        other = copy.copy(self)
        other.array, other.inputs = array, self.inputs if inputs is None else inputs
        other.residue = other._largest = other._unknown = None
        return other

    def become(self, operation: Operation, settings: Mapping[str, Any]) -> None:
        """Has the numbers of another operation on the same inputs from now on, and the labels that it had."""
        self._rows, self._columns = self.rows, self.columns
        self.operation, self.settings = operation, settings
        self.array = operation.forward(*(given.array for given in self.inputs), **settings)

    def __repr__(self) -> str:
        return f"<{self.path} {self.shape[0]}×{self.shape[1]}>"


def unknown_value(rows: Axis, columns: Axis) -> Value:
    """What takes the place of a value that a fault of the file leaves out: nothing is known of it but its axes."""
    return Value("", Kind("", "?", ""), None, axes=(rows, columns))


class Branch(NamedTuple):
    """One row of a table, and what goes on from it.

    row:       of `table`: its word, and behind it the total so far
    score:     the table and row with its score, where it goes no further
    is_chosen: whether it is the end of what was chosen
    """

    table: Value
    row: int
    score: tuple[Value, int] | None
    is_chosen: bool
    children: tuple[Branch, ...] = ()
