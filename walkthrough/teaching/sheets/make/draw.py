"""Draws other given numbers for a matrix from a seed, with the digits and the spread of its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from functools import cached_property

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Flags
from walkthrough.judging.margins import decimals_in
from walkthrough.recording.selectors import SelectorError
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.teaching.sheets.sheet import SheetError
from walkthrough.text import in_quotes, pluralize

_FIXED = ("gamma", "beta", "alpha", "b", "sinks", "choice_bias")
"""Names of given vectors that stay as they are unless they are asked for; so do those that begin with `b_`."""
_NEVER = ("mask", "targets")
_MOST_STEPS = 2**53
"""A float tells no more numbers apart."""
_MOST_REPEATS = 1000

_CHOICE = 2
"""So many times as many different rows as are asked for: of four rows of 0 and 1, neighbours would share columns."""

Part = tuple[slice, slice]
_WHOLE: Part = slice(None), slice(None)

Rows = list[list[str]]
"""A drawn matrix: its numbers as texts."""


class DrawnMatrix(Record, eq=False):
    """A given matrix that is drawn.

    array:    its own numbers
    decimals: how many each number has
    is_share: each row adds up to 1
    weights:  the parts of it that are weights, as slices
    """

    matrix: Matrix
    array: Array
    decimals: int
    is_share: bool
    weights: tuple[Part, ...]

    @classmethod
    def of(cls, matrix: Matrix, array: Array, values: Sequence[Value]) -> DrawnMatrix:
        """The source of a matrix. values: those that are it, or a part of it"""
        made = values[0].digits.count if values[0].digits is not None else 0
        decimals = decimals_in(matrix, array) if matrix.numbers is not None else made
        weights = tuple(_part(value) for value in values if _is_weight(value))
        is_share = values[0].kind.is_distribution
        return cls(matrix, array, max(decimals, 1) if is_share else decimals, is_share, weights)

    @cached_property
    def ends(self) -> tuple[Decimal, Decimal]:
        """The smallest and the largest number that is drawn: its own, and more where they give too few rows.

        So many more that no two rows need be the same, and one, where they would take all the rows that there are.
        """
        low, high = (_shorten(end, self.decimals) for end in _ends(self.array))
        numbers = own = int((high - low).scaleb(self.decimals)) + 1
        shapes = [self.array[part].shape for part in self.weights or (_WHOLE,)]
        while any(numbers**columns < rows for rows, columns in shapes):
            numbers += 1
        numbers += any(numbers**columns < _CHOICE * rows for rows, columns in shapes)
        return low, high + Decimal(numbers - own).scaleb(-self.decimals)

    @cached_property
    def without_empty(self) -> list[Part]:
        """The weights that have no empty row or column: no draw may have one there."""
        return [part for part in self.weights if not _empty_cells(self.array[part]).any()]

    @cached_property
    def of_full_rank(self) -> list[Part]:
        """The parts that every draw has of full rank: all weights, and the whole of what is so itself."""
        parts = self.weights or ([_WHOLE] if _has_full_rank(self.array) else [])
        low, high = self.ends
        return [part for part in parts if low < high and np.isfinite(self.array[part]).all()]

    def draw(self, seed: str) -> Rows:
        """Other numbers; unknown and hidden ones stay. What is poor is drawn again.

        Raises SheetError where that does not end.
        """
        generator = random.Random(f"{seed} {self.matrix.path}")
        rows = [self._draw_row(generator, old) for old in self.array]
        for _ in range(_MOST_REPEATS):
            poor = self._poor(numbers_of(rows))
            if not poor.any():
                return rows
            for row in np.flatnonzero(poor.any(axis=1)).tolist():
                fresh = self._draw_row(generator, self.array[row])
                rows[row] = [new if again else old for new, old, again in zip(fresh, rows[row], poor[row], strict=True)]
        raise SheetError(
            f"no numbers fit for handwork: {self._why_poor(numbers_of(rows))}; choose with --vary what is drawn"
        )

    def _draw_row(self, generator: random.Random, old: Array) -> list[str]:
        if self.is_share:
            return _shares(generator, old.size, self.decimals)
        return [self.draw_number(generator, float(number), *self.ends) for number in old]

    def change(self, generator: random.Random, rows: Rows, is_smaller: bool) -> Rows | None:
        """A draw with another number in one cell, or other shares in one row; None where that is poor.

        is_smaller: None, too, where the number in the cell is not nearer to 0
        """
        row, column = (generator.randrange(size) for size in self.array.shape)
        if self.is_share:
            changed = self._draw_row(generator, self.array[row])
        else:
            number = self.draw_number(generator, float(self.array[row, column]), *self.ends)
            if is_smaller and not abs(_number(number)) < abs(_number(rows[row][column])):
                return None
            changed = [*rows[row][:column], number, *rows[row][column + 1 :]]
        found = [*rows[:row], changed, *rows[row + 1 :]]
        return None if self._poor(numbers_of(found)).any() else found

    def _poor(self, array: Array) -> Flags:
        """The cells of rows and columns of weights that are all 0, and of rows that equal one before.

        Where none is, those of parts that lack a rank.
        """
        poor = np.zeros(array.shape, bool)
        for part in self.without_empty:
            poor[part] = _empty_cells(array[part])
        for part in self.weights or (_WHOLE,):
            again = _repeated(array[part]) & np.isfinite(self.array[part]).any(axis=1)
            poor[part] |= again[:, np.newaxis]
        if not poor.any():
            for part in self.of_full_rank:
                poor[part] = not _has_full_rank(array[part])
        return poor

    def _why_poor(self, array: Array) -> str:
        low, high = self.ends
        numbers = f"with numbers from {low} to {high} of {pluralize(max(self.decimals, 0), 'decimal')}"
        if any(_repeated(array[part]).any() for part in self.weights or (_WHOLE,)):
            return f"{self.matrix.path} has {len(array)} rows, and two of them are the same {numbers}"
        return f"{self.matrix.path} has a row or column of zeros, or too small a rank, {numbers}"

    def draw_number(self, generator: random.Random, old: float, low: Decimal, high: Decimal) -> str:
        """A number between two others; an unknown or hidden one stays."""
        if not np.isfinite(old):
            return "null" if np.isnan(old) else "-.inf"
        steps = round((high - low).scaleb(self.decimals))
        step = int(generator.random() * (steps + 1)) if steps < _MOST_STEPS else generator.randrange(steps + 1)
        return _text(low + Decimal(step).scaleb(-self.decimals), self.decimals)


def sources_to_vary(trace: Trace, arrays: dict[Matrix, Array], selectors: Sequence[str] | None) -> list[DrawnMatrix]:
    """The given matrices to draw. Raises SelectorError where a selector names none that can be drawn."""
    can = [value for value in trace if _can_vary(value)]
    if selectors is None:
        chosen = [value for value in can if not _stays(value)]
    else:
        chosen = []
        for selector in selectors:
            found = [value for value in trace.select(selector) if value in can]
            if not found:
                known = ", ".join(value.path for value in can[:8])
                raise SelectorError(f"{in_quotes(selector)} matches no given matrix of numbers; known: {known}")
            chosen += found
    matrices = dict.fromkeys(value.matrix for value in chosen if value.matrix is not None)
    parts = {one: [value for value in can if value.matrix is one] for one in matrices}
    return [DrawnMatrix.of(one, arrays[one], values) for one, values in parts.items()]


def numbers_of(rows: Rows) -> Array:
    """The numbers that texts stand for."""
    return np.array([[_number(text) for text in row] for row in rows])


def _number(text: str) -> float:
    return _KNOWN[text] if text in _KNOWN else float(text)


def _empty_cells(array: Array) -> Flags:
    """The cells of rows and columns that are all 0."""
    return np.asarray(~array.any(axis=1, keepdims=True) | ~array.any(axis=0, keepdims=True))


def _repeated(array: Array) -> Flags:
    """The rows that equal one before."""
    rows = [tuple(row) for row in array.tolist()]
    return np.array([row in rows[:at] for at, row in enumerate(rows)])


_KNOWN = {"null": float("nan"), "-.inf": -float("inf")}


def _has_full_rank(array: Array) -> bool:
    return bool(np.isfinite(array).all() and np.linalg.matrix_rank(array) == min(array.shape))


def _part(value: Value) -> Part:
    (down, right), (rows, columns) = value.corner, value.shape
    return slice(down, down + rows), slice(right, right + columns)


def _is_weight(value: Value) -> bool:
    name = _last(value)
    return name == "w" or name.startswith("w_")


def _can_vary(value: Value) -> bool:
    """Whether it has numbers that are given, and that could be others: where all are 0 there is no spread."""
    is_number = value.operation is None and value.matrix is not None and not value.holds_ids
    return is_number and _last(value) not in _NEVER and bool(value.array[np.isfinite(value.array)].any())


def _stays(value: Value) -> bool:
    is_vector = value.matrix is not None and value.matrix.is_vector  # b of a low-rank change is a matrix
    return is_vector and (_last(value) in _FIXED or _last(value).startswith("b_"))


def _last(value: Value) -> str:
    """What a matrix is called; the original of a quantized one as that one."""
    return value.path.removesuffix(".original").rpartition(".")[2]


def _ends(array: Array) -> tuple[Decimal, Decimal]:
    """The smallest and the largest number; where all are the same, that number on either side of zero."""
    finite = array[np.isfinite(array)]
    if not finite.size:
        return Decimal(0), Decimal(0)
    low, high = Decimal(repr(float(finite.min()))), Decimal(repr(float(finite.max())))
    return (low, high) if low < high else (-abs(low), abs(low))


def _shorten(number: Decimal, decimals: int) -> Decimal:
    """A number with so many decimals at most."""
    has = -int(number.as_tuple().exponent)
    return number if has <= decimals else round(number, decimals)


def _shares(generator: random.Random, count: int, decimals: int) -> list[str]:
    """Numbers that add up to 1."""
    whole = 10**decimals
    cuts = sorted(int(generator.random() * (whole + 1)) for _ in range(count - 1))
    parts = [after - before for before, after in zip([0, *cuts], [*cuts, whole], strict=True)]
    return [_text(Decimal(part).scaleb(-decimals), decimals) for part in parts]


def _text(number: Decimal, decimals: int) -> str:
    return f"{number + 0:.{max(decimals, 0)}f}"
