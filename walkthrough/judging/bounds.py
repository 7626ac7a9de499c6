"""What each number of a calculation may have come out as, given what was printed: affine forms, one set for each step.

A number that was printed may be anything that rounds to the print; one that was not may have been rounded on the way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count

import numpy as np

from walkthrough.expressions.bounds.affine import AffineArithmetic
from walkthrough.expressions.bounds.forms import FLOAT64, Forms, numbers
from walkthrough.expressions.bounds.matrices import forms_of
from walkthrough.expressions.tree.aliases import Array, Flags, Places
from walkthrough.expressions.tree.looked_up import has_looked_up
from walkthrough.expressions.tree.nodes import Cell
from walkthrough.judging.assumption import RoundingRule, copies
from walkthrough.number_formats import OF_FLOAT64
from walkthrough.operations.softmax import HIDES, divide_rows, row_sum
from walkthrough.recording.recalculation import Evaluator
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

_MOST_SYMBOLS = 1000
"""Noise symbols of one step; of more, the smallest are put together, one for each cell."""
_MOST_CELLS = 4096
"""In a larger step no cell has a noise symbol of its own."""


@dataclass(slots=True, eq=False)
class StepBounds:
    """The forms of all cells of a step.

    symbols:  the noise symbols that the coefficients belong to
    is_exact: nothing uncertain goes into any of the cells
    """

    forms: Forms
    symbols: Places
    is_exact: bool = False

    @property
    def are_bounded(self) -> Flags:
        """Of which cells not every number at all could come out."""
        low, high = self.forms.low, self.forms.high
        return np.isneginf(high) | (np.isfinite(low) & np.isfinite(high))


class Bounds(Evaluator[StepBounds]):
    """The bounds of every step. What is given of a step are two arrays, the least and the largest numbers: 2×n×m.

    rounding_rule: what unpublished steps may have been rounded to
    margins:       the margin of given matrices, where inputs are rounded prints
    roundoff:      the unit roundoff of the author's arithmetic
    rounds_e:      e is rounded like what is looked up
    """

    def __init__(
        self,
        rounding_rule: RoundingRule = lambda value: None,
        margins: Mapping[Value, float] | None = None,
        roundoff: float = FLOAT64,
        rounds_e: bool = False,
    ) -> None:
        super().__init__({})
        self.rounds_e = rounds_e
        self.rounding_rule = rounding_rule
        self.margins = margins or {}
        self.roundoff = roundoff
        self._numbers = count()  # of the noise symbols, of all calculations that have begun in the same way

    def compute(self, value: Value, operands: int | None = None) -> StepBounds:
        """The numbers of a step as its inputs give them. operands: the decimals that these were rounded to first"""
        if operands is not None and value.operation is not None:
            return self._evaluate(value, operands)
        if value not in self._computed:
            self._computed[value] = self._from_file(value) if value.operation is None else self._evaluate(value)
        return self._computed[value]

    def may_choose(self, value: Value, at: At, word: int) -> bool:
        """Whether some choice that the margins allow gives the word with this id."""
        source, (row, column) = chosen_by(value, at)
        if source.operation is None or "ids" not in source.settings:
            return bool(source.array[row, column] == word)
        only = tuple(float(one == word) for one in source.settings["ids"])
        parts = [self.carry(given) for given in source.inputs]
        pieces = source.operation.fold([given.shape for given in source.inputs], {**source.settings, "ids": only})
        forms = forms_of(pieces, source.shape, _join(parts)[0], AffineArithmetic(self.roundoff))
        return bool(forms.high[row, column] >= 1)

    def is_choice_bounded(self, value: Value, at: At) -> bool:
        """Whether not every word at all could be chosen."""
        source, (row, _) = chosen_by(value, at)
        if "ids" not in source.settings:
            return True
        bounds = [self.carry(given).are_bounded for given in source.inputs]
        own = [one[row] if len(one) == source.shape[0] and len(bounds) == 1 else one for one in bounds]
        return all(bool(one.all()) for one in own)

    def is_given(self, value: Value) -> bool:
        """Whether all of a step was printed."""
        return super().is_given(value) or not value.array.size

    def _needed(self, value: Value) -> tuple[Value, ...]:
        return () if value in self._computed else super()._needed(value)

    def _from_file(self, value: Value) -> StepBounds:
        """Given numbers: with a margin where they are rounded prints; unknown ones may be anything."""
        margin = np.full(value.shape, self.margins.get(value, 0.0))
        if self.roundoff > FLOAT64:  # the author's program rounded its inputs too
            margin = margin + np.abs(value.array) * self.roundoff
        margin = np.where(np.isfinite(value.array), margin, 0.0)
        return self._round(_without_links(numbers(value.array), not np.isnan(value.array).any()), margin)

    def _evaluate(self, value: Value, operands: int | None = None) -> StepBounds:
        parts = [self.carry(given) for given in value.inputs]
        digits = self.rounding_rule(value)
        e = float(digits.round(np.array(math.e))) if self.rounds_e and digits is not None else math.e
        if digits is not None and not _looks_up(value):
            digits = None
        if operands is not None:
            parts = [self._round(part, np.full(part.forms.low.shape, 0.5 * 10.0**-operands)) for part in parts]
        elif self._is_certain(value, parts) and digits is None and e == math.e:
            return _without_links(_around(value), is_exact=True)
        forms, symbols = _join(parts)
        look_up = None if digits is None else partial(_rounded_or_not, digits=digits)
        found = forms_of(value.fold(), value.shape, forms, AffineArithmetic(self.roundoff), look_up, e)
        if (ones := _are_one(value, forms)) is not None:
            found = _set_to_one(found, ones)
        if found.coefficients is None:
            return _without_links(found, is_exact=False)
        is_used = found.coefficients.any(axis=(0, 1))
        found.coefficients = found.coefficients[..., is_used]
        return StepBounds(found, symbols[is_used])

    def _is_certain(self, value: Value, parts: Sequence[StepBounds]) -> bool:
        """Whether these inputs, and the arithmetic, leave nothing uncertain."""
        is_exact = self.roundoff <= FLOAT64 and all(part.is_exact for part in parts)
        return is_exact and not bool(np.isnan(value.array).any())

    def _carry_on(self, value: Value) -> StepBounds:
        """With the printed numbers in their places, and what was not printed as rounded as it may be."""
        if self.is_given(value):
            bounds, half = _without_links(numbers(value.array), is_exact=True), np.zeros(value.shape)
        else:
            bounds = self.compute(value)
            half = self._half_units(value, bounds)
        if value in self.given:
            is_printed = self._is_given.get(value, np.full(value.shape, True))
            bounds, half = _put_prints_in(value, bounds, half, self.given[value], is_printed)
        elif value.operation is None:
            return bounds
        return self._round(bounds, half)

    def _half_units(self, value: Value, bounds: StepBounds) -> Array:
        """Half a unit of the decimals that each number may have been rounded to; 0 where there was nothing to round."""
        is_shown = value.operation is not None and value in self.given  # who prints a part of a copy has rounded it
        digits = None if copies(value) and not is_shown else self.rounding_rule(value)
        if digits is None:
            return np.zeros(value.shape)
        low, high = bounds.forms.low, bounds.forms.high
        with np.errstate(all="ignore"):
            unit = digits.unit(np.fmax(np.abs(low), np.abs(high)))
            units = bounds.forms.centre / unit
            noise = OF_FLOAT64 * (1 + np.abs(units))
            is_short = (np.abs(units - np.round(units)) <= noise) & (bounds.is_exact | (high - low <= noise * unit))
        return np.where(is_short | ((low == high) & ~np.isfinite(low)), 0.0, unit / 2)

    def _round(self, bounds: StepBounds, half: Array) -> StepBounds:
        """The numbers, each off by up to so much more: a symbol of its own, which takes up its linearisation error."""
        if bounds.is_exact and not half.any():
            return bounds
        forms, symbols = bounds.forms, bounds.symbols
        coefficients, rest = forms.coefficients, forms.rest
        if coefficients is not None and len(symbols) > _MOST_SYMBOLS:
            coefficients, symbols, boxed = _condense(coefficients, symbols)
            rest = rest + boxed
        low, high = forms.low - half, forms.high + half
        is_own = np.isfinite(rest) & ((half > 0) | (rest > OF_FLOAT64 * (1 + np.abs(forms.centre))))
        if half.size > _MOST_CELLS:
            return StepBounds(Forms(forms.centre, coefficients, rest + half, low, high), symbols)
        if is_own.any():
            new = np.zeros((*half.shape, int(is_own.sum())))
            new[(*np.nonzero(is_own), np.arange(new.shape[-1]))] = (half + rest)[is_own]
            coefficients = new if coefficients is None else np.concatenate([coefficients, new], axis=-1)
            symbols = np.concatenate([symbols, np.fromiter(self._numbers, np.intp, new.shape[-1])])
        return StepBounds(Forms(forms.centre, coefficients, np.where(is_own, 0.0, rest), low, high), symbols)


At = tuple[int, int]
"""Row and column."""


def chosen_by(value: Value, at: At) -> tuple[Value, At]:
    """The step that chooses a word, or has it of itself, through steps that only copy it; and its place there."""
    while value.operation is not None and "ids" not in value.settings:
        cell = value.cell(*at)
        if not isinstance(cell, Cell):
            break
        value, at = value.inputs[cell.operand], (cell.row, cell.column)
    return value, at


def _put_prints_in(
    value: Value, bounds: StepBounds, half: Array, prints: Array, is_printed: Flags
) -> tuple[StepBounds, Array]:
    """Bounds with the printed numbers in their places, and how far each is off by a rounding of its own."""
    forms, (low, high) = bounds.forms, prints
    with np.errstate(invalid="ignore"):
        middle, play = (low + high) / 2, (high - low) / 2
    is_finite = np.isfinite(middle)
    centre, rest = np.where(is_finite, middle, 0.0), np.where(is_finite, 0.0, np.inf)
    least, most = (np.where(np.isnan(middle), end, middle) for end in (-np.inf, np.inf))
    printed = Forms(centre, None, rest, least, most)
    coefficients = None if forms.coefficients is None else np.where(is_printed[..., None], 0.0, forms.coefficients)
    columns = {
        name: np.where(is_printed, getattr(printed, name), getattr(forms, name))
        for name in ("centre", "rest", "low", "high")
    }
    is_exact = bounds.is_exact and bool((middle == value.array)[is_printed].all())
    new = StepBounds(Forms(**columns, coefficients=coefficients), bounds.symbols, is_exact)
    return new, np.where(is_printed, np.where(is_finite, play, 0.0), half)


def _set_to_one(forms: Forms, flags: Flags) -> Forms:
    """The forms, exactly 1 where they can be nothing else."""
    centre, low, high = (np.where(flags, 1.0, one) for one in (forms.centre, forms.low, forms.high))
    coefficients = None if forms.coefficients is None else np.where(flags[..., None], 0.0, forms.coefficients)
    return Forms(centre, coefficients, np.where(flags, 0.0, forms.rest), low, high)


def _around(value: Value) -> Forms:
    """Numbers that nothing uncertain goes into, as near as float64 knows them."""
    array = value.array
    size = np.where(array > HIDES, np.abs(array), 0.0).max(axis=1, keepdims=True, initial=0.0)
    return numbers(array, OF_FLOAT64 * (1 + size))


def _without_links(forms: Forms, is_exact: bool) -> StepBounds:
    """Numbers that share nothing with others."""
    return StepBounds(forms, np.zeros(0, dtype=np.intp), is_exact)


def _join(parts: Sequence[StepBounds]) -> tuple[list[Forms], Places]:
    """The forms of several steps over the symbols of all of them, and these."""
    used = [part.symbols for part in parts if part.forms.coefficients is not None]
    symbols = np.unique(np.concatenate(used)) if used else np.zeros(0, dtype=np.intp)
    forms = []
    for part in parts:
        one, coefficients = part.forms, None
        if one.coefficients is not None:
            coefficients = np.zeros((*one.low.shape, len(symbols)))
            coefficients[..., np.searchsorted(symbols, part.symbols)] = one.coefficients
        forms.append(Forms(one.centre, coefficients, one.rest, one.low, one.high))
    return forms, symbols


def _condense(coefficients: Array, symbols: Places) -> tuple[Array, Places, Array]:
    """The coefficients of the most important half of the symbols, and what the others come to in each cell."""
    order = np.argsort(np.abs(coefficients).sum(axis=(0, 1)))
    few, many = order[: -_MOST_SYMBOLS // 2], np.sort(order[-_MOST_SYMBOLS // 2 :])
    return coefficients[..., many], symbols[many], np.abs(coefficients[..., few]).sum(axis=-1)


def _looks_up(value: Value) -> bool:
    """Whether a step has constants that people look up: √d_k, sine and cosine of a rotation, a sigmoid."""
    return value.operation is not None and any(has_looked_up(piece.expression) for piece in value.fold())


def _rounded_or_not(forms: Forms, digits: Digits) -> Forms:
    """What was looked up: rounded to these digits, or to more of them."""
    half = digits.unit(np.fmax(np.abs(forms.low), np.abs(forms.high))) / 2
    low, high = digits.round(forms.low), digits.round(forms.high)
    off = np.where(forms.low == forms.high, np.fmax(np.abs(low - forms.low), half / 10), half)
    low, high = np.minimum(low, forms.low - half / 10), np.maximum(high, forms.high + half / 10)
    return Forms(forms.centre, forms.coefficients, forms.rest + off, low, high)


def _are_one(value: Value, parts: Sequence[Forms]) -> Flags | None:
    """Which shares can only be 1, however the number was rounded: it is divided by itself, all others are 0.

    parts: the forms of the inputs
    """
    if value.operation is not divide_rows or value.inputs[1].operation is not row_sum:
        return None
    if value.inputs[1].inputs != value.inputs[:1]:  # a sink is added
        return None
    is_some = (parts[0].low != 0) | (parts[0].high != 0)
    return np.asarray(is_some & (is_some.sum(axis=1, keepdims=True) == 1) & (parts[0].low > 0))
