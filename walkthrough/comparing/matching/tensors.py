"""An engineer's own tensors beside steps of a trace: as they were given, as they are read, and what fits no step."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from walkthrough.comparing.matching.files import TensorsError
from walkthrough.comparing.matching.readings import Reading
from walkthrough.comparing.thresholds import OF_A_FORMAT, ROUNDINGS
from walkthrough.number_formats import FLOATS, FloatFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.tensors.short_floats import short_float


class ExternalTensor(Record):
    """One of their matrices beside ours: its name, and its numbers in our layout.

    epsilon, smallest: of its float type, or of what stands for it
    is_transposed:     it is ours transposed
    words:             how it was read, where its shape left a choice
    excuse:            why numbers may be farther off than float64 explains, which is their type
    tolerance:         by how much numbers may be off, where somebody has said so
    format:            the number format that they were calculated in, where somebody has said so
    rows:              which of its rows were given, where not all were; the others are as they should be
    drift:             how far other roundings of steps before it, which were not given, carry each row, n×1
    terms:             how large the numbers are that a gradient is computed from, where these may cancel
    """

    value: Value
    name: str
    array: Array
    epsilon: float
    smallest: float
    is_transposed: bool = False
    words: str = ""
    excuse: str = ""
    tolerance: float | None = None
    format: FloatFormat | None = None
    rows: tuple[int, ...] = ()
    drift: Array | float = 0.0
    terms: float = 0.0

    @property
    def given(self) -> Array:
        """Its numbers, and none in rows that were not given."""
        return self.array if not self.rows else np.where(self.is_given, self.array, np.nan)

    @property
    def is_given(self) -> Any:
        """Whether each row was given, n×1."""
        rows = np.arange(len(self.array))[:, None]
        return np.isin(rows, self.rows) if self.rows else np.full(rows.shape, True)

    @property
    def is_by_type(self) -> bool:
        """Whether nothing but its float type says by how much its numbers may be off."""
        return self.tolerance is None and self.format is None


class Theirs(NamedTuple):
    """A tensor, and all the ways in which it may be read.

    excuse: why its numbers may be farther off than float64 explains, which is their type
    beside: what else came first in the tuple that a module returned, where nobody said what this is
    kept:   the format that its numbers are kept in, where that is coarser than float32
    is_of_batch: it may hold rows of several sequences
    """

    name: str
    readings: list[Reading]
    epsilon: float
    smallest: float
    excuse: str = ""
    shape: tuple[int, ...] = ()
    beside: str = ""
    kept: FloatFormat | None = None
    tolerance: float | None = None
    format: FloatFormat | None = None
    is_of_batch: bool = False

    def calculated_in(self, format: FloatFormat | None) -> Theirs:
        """The same tensor, calculated in a number format, whatever type it is kept in."""
        if format is None:
            return self
        return self._replace(format=format, epsilon=2 * format.roundoff, smallest=format.smallest)

    def within(self, tolerance: float | None) -> Theirs:
        """The same tensor, as if calculated in a format in which a number may be off by this much."""
        coarse = self.epsilon if tolerance is None else max(self.epsilon, 2 * tolerance / OF_A_FORMAT)
        return self._replace(tolerance=tolerance, epsilon=coarse)

    def read(self, reading: Reading, why: str = "") -> list[ExternalTensor]:
        """The matrices of one reading, and why it was chosen; of heads that share one it counts once."""
        words = reading.words
        if words and len(self.readings) > 1:
            words += f" (one of {len(self.readings)} ways to read its shape: {why})"
        found: list[ExternalTensor] = []
        for value, array in reading.pieces:
            if not any(one.value is value and np.array_equal(one.array, array, equal_nan=True) for one in found):
                is_transposed = reading.is_transposed
                precision = self.epsilon, self.smallest
                stated = self.tolerance, self.format
                found.append(
                    ExternalTensor(
                        value, self.name, array, *precision, is_transposed, words, self.excuse, *stated, reading.rows
                    )
                )
        return found


class NotCompared(NamedTuple):
    """A tensor that fits no step, its shape where it has one, why, and the steps that its name stands for, if any.

    own: what a step of an optimizer does that the scenario lacks: of a gradient the norm that it goes into and the sum
         of its squares, of an update the matrices and what they are from then on
    """

    theirs: str
    shape: tuple[int, ...] | None
    why: str
    meant: tuple[Value, ...] = ()
    own: Sequence[tuple[Value, Array]] = ()


_HELD = {"O": "Python objects", "U": "text", "S": "text", "c": "complex numbers"}


_FLOAT32 = np.finfo(np.float32)
_OF_A_LAYOUT = 2e-6 / ROUNDINGS
"""Of float64 tensors beside tables in float32: so many roundings are 2e-6 of the largest number of a row."""


_ROUNDED = "off by no more than rounding to float32 explains"
_TABLES = "off by no more than 2e-6 of the largest number of the row: transformers keeps tables in float32"


def precision_of_numbers(array: Any, has_float32_tables: bool) -> tuple[float, float, str]:
    """The precision of an array's type; of float32, where its numbers have no more digits than that; and why.

    has_float32_tables: their program is known to keep some tables in float32, whatever the type of the rest
    Raises TensorsError for what holds no real numbers.
    """
    epsilon, smallest = precision_of(array.dtype)
    if epsilon < _FLOAT32.eps and array.dtype.kind == "f":
        with np.errstate(all="ignore"):
            if np.array_equal(array.astype(np.float32).astype(array.dtype), array, equal_nan=True):
                return float(_FLOAT32.eps), float(_FLOAT32.smallest_subnormal), _ROUNDED
        if has_float32_tables:
            return _OF_A_LAYOUT, smallest, _TABLES
    return epsilon, smallest, ""


def short_format(dtype: Any) -> FloatFormat | None:
    """The number format of a float type that is coarser than float32; None of any other."""
    known = (one for one in FLOATS if one.name == dtype.name and one.name != "float32")
    return short_float(dtype) or next(known, None)


def precision_of(dtype: Any) -> tuple[float, float]:
    """The distance from 1 to the next number of a float type, and its smallest number; of whole numbers, float64's.

    Raises TensorsError for what holds no real numbers.
    """
    limits: Any
    if (short := short_float(dtype)) is not None:
        return 2 * short.roundoff, short.smallest
    if dtype.isbuiltin == 2:  # a type that a library has taught numpy, which then has been imported
        limits = sys.modules[dtype.type.__module__].finfo(dtype)
    elif dtype.kind not in "biuf":
        raise TensorsError(f"it holds {_HELD.get(dtype.kind, 'no plain numbers')}, expected real numbers")
    else:
        limits = np.finfo(dtype if dtype.kind == "f" else np.float64)
    return float(limits.eps), float(limits.smallest_subnormal)
