"""What each number of a calculation may have come out as, given what was printed: one set of affine forms a value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from walkthrough.expressions.bounds.affine import Affine, Forms, numbers
from walkthrough.expressions.bounds.intervals import FLOAT64
from walkthrough.expressions.tree.aliases import Array, Flags, Places
from walkthrough.judging.recipes import Recipe, Recipes, copies
from walkthrough.judging.symbols import Known, Symbols, gathered, joined, unlinked
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

_CERTAIN = 1e-12
"""So near, relatively, float64 comes to a number that nothing uncertain goes into."""

_LARGE = 1e30
"""Sums of products of smaller numbers are finite."""

Freedom = Callable[[Value], Digits | None]
"""How far an unpublished value may have been rounded; None: not at all."""


class Spread:
    """The forms of every value that is asked for, computed once.

    freedom:   how far unpublished values may have been rounded
    margins:   the margin of given matrices, where inputs are rounded prints
    roundoff:  the unit roundoff of the author's arithmetic
    recipes:   how cells are computed, shared by all calculations of a trace
    """

    def __init__(
        self,
        freedom: Freedom = lambda value: None,
        margins: Mapping[Value, float] | None = None,
        roundoff: float = FLOAT64,
        recipes: Recipes | None = None,
    ) -> None:
        self.freedom = freedom
        self.margins = margins or {}
        self.roundoff = roundoff
        self.recipes = recipes or Recipes()
        self.symbols = Symbols()
        self.unprinted: Spread | None = None
        self._printed: dict[Value, _Prints] = {}
        self._known: dict[Value, Known] = {}
        self._computed: dict[Value, Known] = {}

    def fork(self, unprinted: Spread | None = None) -> Spread:
        """Another calculation that has begun in the same way; `unprinted`: has the numbers that are not printed."""
        other = Spread(self.freedom, self.margins, self.roundoff, self.recipes)
        other.unprinted = unprinted
        other.symbols = self.symbols
        other._printed = {value: prints.copy() for value, prints in self._printed.items()}
        other._known, other._computed = dict(self._known), dict(self._computed)
        return other

    def carry(self, value: Value, at: Places | int, low: Array | float, high: Array | float) -> None:
        """Goes on with numbers from these intervals. at: their places, row by row"""
        if value not in self._printed:
            size = value.array.size
            self._printed[value] = _Prints(np.zeros(size), np.zeros(size), np.zeros(size, dtype=bool))
        prints = self._printed[value]
        prints.low[at], prints.high[at], prints.are[at] = low, high, True
        self._known.pop(value, None)

    def is_printed(self, value: Value, row: int, column: int | slice = slice(None)) -> bool:
        """Whether a number was printed, or any of a row."""
        prints = self._printed.get(value)
        return prints is not None and row < value.shape[0] and bool(prints.are.reshape(value.shape)[row, column].any())

    def known(self, value: Value) -> Known:
        """The cells of a value as the calculation goes on with them: computed the first first, without recursion."""
        waiting = [value]
        while waiting:
            step = waiting[-1]
            needs = () if step in self._known or step in self._computed or self._is_held(step) else step.inputs
            missing = [given for given in dict.fromkeys(needs) if given not in self._known]
            waiting += missing
            if not missing:
                waiting.pop()
                if step not in self._known:
                    self._known[step] = self._continued(step)
        return self._known[value]

    def computed(self, value: Value, operands: int | None = None) -> Known:
        """The cells of a value as its inputs give them. operands: these were rounded to so many decimals first"""
        if operands is not None and value.operation is not None:
            return self._evaluated(value, operands)
        if value not in self._computed:
            self._computed[value] = self._given(value) if value.operation is None else self._evaluated(value)
        return self._computed[value]

    def is_surely_bounded(self, value: Value) -> bool:
        """Whether it is plain, without any computation, that not every number at all could come out of a value."""
        recipe = self.recipes.of(value)
        return recipe is not None and recipe.is_bounded and all(map(self._is_tame, value.inputs))

    def _is_tame(self, value: Value) -> bool:
        """Whether all of a value was given, or printed, and none of it is very large."""
        if value.operation is None:
            return bool((np.abs(value.array) < _LARGE).all())
        prints = self._printed.get(value)
        return prints is not None and bool(
            (prints.are & (np.abs(prints.low) < _LARGE) & (np.abs(prints.high) < _LARGE)).all()
        )

    def _is_held(self, value: Value) -> bool:
        """Whether all of a value was printed."""
        prints = self._printed.get(value)
        return not value.array.size if prints is None else bool(prints.are.all())

    def _given(self, value: Value) -> Known:
        """Given numbers: with a margin where they are rounded prints; unknown ones may be anything."""
        array = value.array.ravel()
        margin = np.full(array.size, self.margins.get(value, 0.0))
        if self.roundoff > FLOAT64:  # the author's program rounded its inputs too
            margin = margin + np.abs(array) * self.roundoff
        margin = np.where(np.isfinite(array), margin, 0.0)
        known = unlinked(numbers(array), ~np.isnan(array))
        return self.symbols.varied(known, margin) if margin.any() else known

    def _evaluated(self, value: Value, operands: int | None = None) -> Known:
        parts = [self.known(given) for given in value.inputs]
        if operands is None and self._is_certain(value, parts):
            return unlinked(_around(value), ~_never(value))
        recipe = self.recipes.of(value)
        if recipe is None:
            return unlinked(numbers(np.full(value.array.size, np.nan)), _never(value))
        if operands is not None:
            parts = [self.symbols.varied(part, np.full(len(part.exact), 0.5 * 10.0**-operands)) for part in parts]
        return self._by_recipe(value, recipe, parts)

    def _is_certain(self, value: Value, parts: Sequence[Known]) -> bool:
        """Whether nothing uncertain goes into a value."""
        if self.roundoff > FLOAT64 or not parts or np.isnan(value.array).any():
            return False
        return all(part.exact.all() for part in parts)

    def _by_recipe(self, value: Value, recipe: Recipe, parts: Sequence[Known]) -> Known:
        cells = joined(parts) if parts else unlinked(numbers(np.zeros(0)), np.zeros(0, dtype=bool))
        with np.errstate(all="ignore"):
            forms = [batch.evaluated(cells.forms, Affine(self.roundoff)) for batch in recipe.batches]
        exact = _never(value)
        if self.roundoff <= FLOAT64:
            for batch in recipe.batches:
                exact[batch.places] = cells.exact[batch.leaves].all(axis=1)
            exact &= ~np.isnan(value.array.ravel())
        found = gathered([batch.places for batch in recipe.batches], forms, cells.ids, exact)
        if exact.any():
            found.forms = _with_exact(value, found.forms, exact)
        # a hidden score is the trace's own, whatever the score was
        found.exact = exact | _is_point(found.forms, value.array.ravel())
        return found

    def _continued(self, value: Value) -> Known:
        """With the printed numbers in their places, and what was not printed as rounded as it may be."""
        if self._is_held(value):
            known, half = unlinked(numbers(value.array.ravel()), _never(value)), np.zeros(value.array.size)
        else:
            known = (self.unprinted or self).computed(value)
            half = self._half_units(value, known)
        if value in self._printed:
            known, half = _with_printed(value, known, half, self._printed[value])
        return known if value.operation is None and value not in self._printed else self.symbols.varied(known, half)

    def _half_units(self, value: Value, known: Known) -> Array:
        """Half a unit of the decimals that each number may have been rounded to; 0 where there was nothing to round."""
        digits = None if copies(value) else self.freedom(value)
        if digits is None:
            return np.zeros(value.array.size)
        low, high = known.forms.low, known.forms.high
        unit = digits.unit(np.fmax(np.abs(low), np.abs(high)))
        with np.errstate(all="ignore"):
            units = known.forms.centre / unit
            is_short = np.abs(units - np.round(units)) <= 1e-9 + 1e-12 * np.abs(units)
        is_fixed = low == high
        settled = ((known.exact | is_fixed) & is_short) | (is_fixed & ~np.isfinite(low))
        return np.where(settled, 0.0, unit / 2)


class _Prints(NamedTuple):
    """What the printed numbers of a value stand for, row by row, and which of them were printed."""

    low: Array
    high: Array
    are: Flags

    def copy(self) -> _Prints:
        """The same, to be changed."""
        return _Prints(self.low.copy(), self.high.copy(), self.are.copy())


def _with_printed(value: Value, known: Known, half: Array, prints: _Prints) -> tuple[Known, Array]:
    """Cells with the printed ones in their places, and how far each is off by a rounding of its own."""
    at = np.flatnonzero(prints.are)
    low, high = prints.low[at], prints.high[at]
    with np.errstate(invalid="ignore"):
        middle, play = (low + high) / 2, (high - low) / 2
    finite = np.isfinite(middle)
    forms = known.forms
    columns = [one.copy() for one in (forms.centre, forms.rest, forms.low, forms.high, half)]
    new = np.where(finite, middle, 0.0), np.where(finite, 0.0, np.inf), middle, middle, np.where(finite, play, 0.0)
    for column, numbers_of in zip(columns, new, strict=True):
        column[at] = numbers_of
    coefficients = None if forms.coefficients is None else forms.coefficients.copy()
    if coefficients is not None:
        coefficients[at] = 0.0
    exact, held = known.exact.copy(), np.full(value.array.size, np.nan)
    exact[at], held[at] = middle == value.array.ravel()[at], middle
    centre, rest, low, high, half = columns
    return Known(known.ids, Forms(centre, coefficients, rest, low, high), exact, held=held), half


def _around(value: Value) -> Forms:
    """Numbers that nothing uncertain goes into, as near as float64 knows them."""
    array = value.array
    size = np.where(np.abs(array) < 1e4, np.abs(array), 0.0).max(axis=1, keepdims=True, initial=0.0)
    slack = _CERTAIN * np.abs(array) + 1e-14 * (10 + size)
    return numbers(array.ravel(), np.where(np.isfinite(slack), slack, 0.0).ravel())


def _with_exact(value: Value, forms: Forms, exact: Flags) -> Forms:
    """The trace's own numbers where nothing uncertain goes into them."""
    own = _around(value)
    columns = [np.where(exact, getattr(own, name), getattr(forms, name)) for name in ("centre", "rest", "low", "high")]
    coefficients = forms.coefficients
    if coefficients is not None:
        coefficients[exact] = 0.0
    return Forms(columns[0], coefficients, columns[1], columns[2], columns[3])


def _never(value: Value) -> Flags:
    return np.zeros(value.array.size, dtype=bool)


def _is_point(forms: Forms, numbers_of: Array) -> Flags:
    """Where a number is all that is possible."""
    return np.asarray((forms.low == numbers_of) & (forms.high == numbers_of))
