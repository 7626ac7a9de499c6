"""What a calculation from the published numbers could have given: the range of every cell, computed when asked for.

Two calculations are followed. `published` goes on with the numbers as printed, right or wrong; `right` puts the right
number in the place of each that was found wrong. Where nothing is wrong they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from walkthrough.checking import corner
from walkthrough.checking.composition import Composition
from walkthrough.checking.digits import Printed
from walkthrough.checking.recipes import Recipe, Recipes, copies
from walkthrough.checking.symbols import Known, Symbols, gathered, joined
from walkthrough.expressions.affine import Affine, Forms, numbers
from walkthrough.expressions.arrays import Array, Flags
from walkthrough.expressions.intervals import FLOAT64, Interval
from walkthrough.expressions.nodes import Expression
from walkthrough.expressions.tight import Patience, tight_interval
from walkthrough.recording.rounding import Digits
from walkthrough.recording.values import Value

_CERTAIN = 1e-12
"""So near, relatively, float64 comes to a number that nothing uncertain goes into."""
_PATIENCE, _EACH = 60_000, 15_000
"""Parts of composed expressions that are looked at in one report, a second's worth, and for one number."""
_CUTS = 300

Made = tuple[Expression, Sequence[Value]]
Freedom = Callable[[Value], Digits | None]
"""How far an unpublished value may have been rounded; None: not at all."""


class Ranges:
    """The ranges of one of the two calculations.

    freedom:   how far unpublished values may have been rounded
    margins:   the margin of given matrices, where inputs are rounded prints
    roundoff:  the unit roundoff of the author's arithmetic
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
        self._printed: dict[Value, dict[tuple[int, int], Interval]] = {}
        self._known: dict[Value, Known] = {}
        self._computed: dict[Value, Known] = {}
        self._patience = Patience(_PATIENCE)
        self._too_large: set[Value] = set()

    def fork(self) -> Ranges:
        """Another calculation that has begun in the same way."""
        other = Ranges(self.freedom, self.margins, self.roundoff, self.recipes)
        other.symbols = self.symbols
        other._printed = {value: dict(cells) for value, cells in self._printed.items()}
        other._known, other._computed = dict(self._known), dict(self._computed)
        other._patience, other._too_large = self._patience, set(self._too_large)
        return other

    def carry(self, value: Value, row: int, column: int, printed: Printed, exact: float, right: bool) -> None:
        """Goes on with a printed number, or with the right one in its place, rounded to the same digits."""
        interval = printed.around(printed.rounded(exact) if right else printed.value)
        if self.roundoff <= FLOAT64:  # a coarser arithmetic has few exact numbers
            if printed.holds(exact) if right else printed.equals(exact):
                interval = exact, exact
        self._printed.setdefault(value, {})[row, column] = interval
        self._known.pop(value, None)

    def cell(self, value: Value, row: int, column: int) -> Interval:
        """The interval of a cell: as printed, or computed from what is before it."""
        return self._interval(self._known_of(value), value, row, column)

    def computed(self, value: Value, row: int, column: int, operands: int | None = None) -> Interval:
        """The interval of a cell computed from its operands, whatever was printed for it itself.

        operands: they were rounded to so many decimals first
        """
        return self._interval(self._computed_of(value, operands), value, row, column)

    def reaches(self, value: Value, row: int, column: int, wanted: Interval, operands: int | None = None) -> bool:
        """Whether a cell can come out within an interval; False only where it is certain that it cannot."""
        known = self._computed_of(value, operands)
        low, high = self._interval(known, value, row, column)
        if not (low <= wanted[1] and wanted[0] <= high):
            return False
        settled = value.operation is None or known.exact[row * value.shape[1] + column] or operands is not None
        if settled or self._surely(known, value, row, column, wanted):
            return True
        if corner.reaches(self, known, value, row, column, wanted):
            return True
        return self._closer(value, row, column, wanted)

    def may_exceed(self, value: Value, row: int, column: int, other: int) -> bool:
        """Whether a number may be as large as another one of its row."""
        known = self._known_of(value)
        at = np.array([row * value.shape[1] + column, row * value.shape[1] + other])
        one, two = (known.forms.take(at[place : place + 1]) for place in (0, 1))
        return bool(Affine(self.roundoff).subtract(one, two).high[0] >= 0)

    def known(self, value: Value) -> Known:
        """The cells of a value as the calculation goes on with them."""
        return self._known_of(value)

    def is_leaf(self, value: Value, row: int, column: int) -> bool:
        """Whether the author had this number before him: given, or printed."""
        return value.operation is None or (row, column) in self._printed.get(value, {})

    def made(self, value: Value, row: int, column: int) -> Made:
        """How a cell is computed: in one go, unless the author may have stopped at a step within it."""
        if value.composite is None or self._stops_within(value, row):
            return value.cell(row, column), value.inputs
        operation, inputs, settings = value.composite
        return operation.cell(row, column, *(given.array for given in inputs), **settings), inputs

    def off(self, value: Value, row: int, column: int) -> float:
        """How far rounding may have moved an unpublished number from what its operands give."""
        half = self._known_of(value).half
        if half is None or self.is_leaf(value, row, column):
            return 0.0
        return float(half[row * value.shape[1] + column])

    def _stops_within(self, value: Value, row: int) -> bool:
        assert value.composite is not None
        outer = set(value.composite[1])
        waiting, inner = list(value.inputs), set()
        while waiting:
            step = waiting.pop()
            if step not in outer and step not in inner:
                inner.add(step)
                waiting += step.inputs
        printed = any(at[0] == row for step in inner for at in self._printed.get(step, ()))
        return printed or any(self.freedom(step) is not None for step in inner if not copies(step))

    @staticmethod
    def _interval(known: Known, value: Value, row: int, column: int) -> Interval:
        at = row * value.shape[1] + column
        return float(known.forms.low[at]), float(known.forms.high[at])

    def _surely(self, known: Known, value: Value, row: int, column: int, wanted: Interval) -> bool:
        """Whether what is bent cannot keep the author's roundings from getting there."""
        at = row * value.shape[1] + column
        centre, surely = float(known.forms.centre[at]), -float(known.forms.rest[at])
        if known.forms.coefficients is not None:
            free = self.symbols.free(known.ids)
            surely += float(np.abs(known.forms.coefficients[at]) @ (2 * free - 1))
        return centre - surely <= wanted[1] and wanted[0] <= centre + surely

    def _closer(self, value: Value, row: int, column: int, wanted: Interval) -> bool:
        """Looks closer, by slopes over the whole expression down to what was printed, while there is patience."""
        if value in self._too_large or self._patience.parts <= 0:
            return True
        composed = Composition(self)
        expression = composed.of(value, row, column)
        if expression is None:
            self._too_large.add(value)
            return True
        patience = Patience(min(_EACH, self._patience.parts))
        self._patience.parts -= patience.parts
        low, high = tight_interval(expression, composed.bounds, self.roundoff, _CUTS, wanted, patience)
        self._patience.parts += patience.parts
        return low <= wanted[1] and wanted[0] <= high

    def _known_of(self, value: Value) -> Known:
        """The cells of a value as the calculation goes on with them: computed the first first, without recursion."""
        waiting = [value]
        while waiting:
            step = waiting[-1]
            missing = [] if step in self._known or step in self._computed else self._missing(step)
            waiting += missing
            if not missing:
                waiting.pop()
                if step not in self._known:
                    self._known[step] = self._continued(step)
        return self._known[value]

    def _missing(self, value: Value) -> list[Value]:
        return [given for given in dict.fromkeys(value.inputs) if given not in self._known]

    def _computed_of(self, value: Value, operands: int | None = None) -> Known:
        """The cells of a value as its inputs give them."""
        if operands is not None:
            return self._evaluated(value, operands)
        if value not in self._computed:
            self._computed[value] = self._given(value) if value.operation is None else self._evaluated(value)
        return self._computed[value]

    def _given(self, value: Value) -> Known:
        """Given numbers: with a margin where they are rounded prints; unknown ones may be anything."""
        array = value.array.ravel()
        margin = np.full(array.size, self.margins.get(value, 0.0))
        if self.roundoff > FLOAT64:  # the author's program rounded its inputs too
            margin = margin + np.abs(array) * self.roundoff
        margin = np.where(np.isfinite(array), margin, 0.0)
        known = Known(np.zeros(0, dtype=np.intp), numbers(array), ~np.isnan(array))
        return self.symbols.varied(known, margin) if margin.any() else known

    def _evaluated(self, value: Value, operands: int | None = None) -> Known:
        for given in value.inputs:
            self._known_of(given)
        if operands is None and value.inputs and all(self._known[given].exact.all() for given in value.inputs):
            if self.roundoff <= FLOAT64 and not np.isnan(value.array).any():
                return Known(np.zeros(0, dtype=np.intp), _around(value), np.ones(value.array.size, dtype=bool))
        recipe = self.recipes.of(value)
        if recipe is None:
            return Known(np.zeros(0, dtype=np.intp), numbers(np.full(value.array.size, np.nan)), _never(value))
        parts = [self._known[given] for given in recipe.inputs]
        if operands is not None:
            parts = [self.symbols.varied(part, np.full(len(part.exact), 0.5 * 10.0**-operands)) for part in parts]
        return self._in_batches(value, recipe, parts)

    def _in_batches(self, value: Value, recipe: Recipe, parts: Sequence[Known]) -> Known:
        within = Affine(self.roundoff)
        cells = joined(parts) if parts else Known(np.zeros(0, dtype=np.intp), numbers(np.zeros(0)), np.ones(0, bool))
        with np.errstate(all="ignore"):
            forms = [batch.evaluated(cells.forms, within) for batch in recipe.batches]
        exact = _never(value)
        if self.roundoff <= FLOAT64:
            for batch in recipe.batches:
                exact[batch.places] = cells.exact[batch.leaves].all(axis=1)
            exact &= ~np.isnan(value.array.ravel())
        found = gathered([batch.places for batch in recipe.batches], forms, cells.ids, exact)
        if exact.any():
            found = _with_exact(value, found, exact)
        # a hidden score is the trace's own, whatever the score was
        found.exact = exact | _is_point(found.forms, value.array.ravel())
        return found

    def _continued(self, value: Value) -> Known:
        """With the printed numbers in their places, and what was not printed as rounded as it may be."""
        known = self._computed_of(value)
        printed = self._printed.get(value)
        half = self._half_units(value, known)
        if printed is None:
            return self.symbols.varied(known, half) if value.operation is not None else known
        at = np.array([row * value.shape[1] + column for row, column in printed])
        ends = np.array(list(printed.values()))
        centre, low, high = known.forms.centre.copy(), known.forms.low.copy(), known.forms.high.copy()
        with np.errstate(invalid="ignore"):
            middle = (ends[:, 0] + ends[:, 1]) / 2
            play = (ends[:, 1] - ends[:, 0]) / 2
        infinite = ~np.isfinite(middle)
        centre[at], low[at], high[at] = np.where(infinite, 0.0, middle), middle, middle
        rest, exact = known.forms.rest.copy(), known.exact.copy()
        half[at], rest[at] = np.where(infinite, 0.0, play), np.where(infinite, np.inf, 0.0)
        exact[at] = middle == value.array.ravel()[at]
        coefficients = known.forms.coefficients
        if coefficients is not None:
            coefficients = coefficients.copy()
            coefficients[at] = 0.0
        forms = Forms(centre, coefficients, rest, low, high)
        held = np.full(len(exact), np.nan)
        held[at] = middle
        return self.symbols.varied(Known(known.ids, forms, exact, held=held), half)

    def _half_units(self, value: Value, known: Known) -> Array:
        """Half a unit of the decimals that each number may have been rounded to; 0 where there was nothing to round."""
        nothing = np.zeros(value.array.size)
        digits = None if copies(value) else self.freedom(value)
        if digits is None:
            return nothing
        low, high = known.forms.low, known.forms.high
        largest = np.fmax(np.abs(low), np.abs(high))
        unit = digits.unit(largest)
        with np.errstate(all="ignore"):
            numbers_of = known.forms.centre / unit
            short = np.abs(numbers_of - np.round(numbers_of)) <= 1e-9 + 1e-12 * np.abs(numbers_of)
        settled = ((known.exact | (low == high)) & short) | (low == high) & ~np.isfinite(low)
        return np.where(settled, 0.0, unit / 2)


def _around(value: Value) -> Forms:
    """Numbers that nothing uncertain goes into, as near as float64 knows them."""
    array = value.array
    size = np.where(np.abs(array) < 1e4, np.abs(array), 0.0).max(axis=1, keepdims=True, initial=0.0)
    slack = _CERTAIN * np.abs(array) + 1e-14 * (10 + size)
    return numbers(array.ravel(), np.where(np.isfinite(slack), slack, 0.0).ravel())


def _with_exact(value: Value, found: Known, exact: Flags) -> Known:
    """The trace's own numbers where nothing uncertain goes into them."""
    own, forms = _around(value), found.forms
    columns = [np.where(exact, getattr(own, name), getattr(forms, name)) for name in ("centre", "rest", "low", "high")]
    coefficients = forms.coefficients
    if coefficients is not None:
        coefficients[exact] = 0.0
    return Known(found.ids, Forms(columns[0], coefficients, columns[1], columns[2], columns[3]), exact)


def _never(value: Value) -> Flags:
    return np.zeros(value.array.size, dtype=bool)


def _is_point(forms: Forms, numbers_of: Array) -> Flags:
    """Where a number is all that is possible."""
    return np.asarray((forms.low == numbers_of) & (forms.high == numbers_of))
