"""Draws the given numbers of a scenario until they are fit for handwork, and as much work as those of other seeds."""

from __future__ import annotations

import copy
import random
import statistics
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from walkthrough.judging.margins import decimals_in
from walkthrough.operations.matrix import linear, matrix_product, product_transposed
from walkthrough.recording.graph import steps_before
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.sheets.make.draw import DrawnMatrix, Rows, numbers_of, sources_to_vary
from walkthrough.teaching.sheets.make.handwork import (
    EQUAL_SCORES,
    HUGE,
    NO_NUMBER,
    UNUSUAL,
    degenerate_steps,
    equal_scores,
    excess,
    is_large_power,
    unfit,
)
from walkthrough.teaching.sheets.sheet import SheetError, scope_of, select_blank
from walkthrough.text import pluralize
from walkthrough.transformer.runs.run import trace

MOST_DRAWS = 1000
_ENOUGH_DRAWS, _ENOUGH_CHANGES = 300, 1000
"""Where all draws have one fault, others will have it too: after so many, or so many changes that did not end it."""
Numbers = Mapping[Matrix, Rows]
_MOST_NUMBERS = 2000
"""More of them are too many to try: a draw is calculated anew for each that is made smaller."""
_MOST_CHANGES = 400
"""Of one draw, to make its exponentials smaller."""
_OVER_A_CHANGE = 2
"""Exponents that are so much too large are made smaller in one more place at a time."""
_PRODUCTS = (matrix_product, product_transposed, linear)
_USUAL_OF = 5
"""The usual effort is the median of this many draws of seed 0."""


class Draw(Record, eq=False):
    """One draw.

    rows:    the numbers of each matrix
    faults:  why they are unfit, each with the path of the step that it is in
    effort:  how much work they are
    changes: how many were tried to make its exponentials smaller
    """

    rows: Numbers
    faults: frozenset[tuple[str, str]]
    effort: int = 0
    changes: int = 0


class Draws:
    """The draws of a scenario.

    source:   the scenario
    hand:     its calculation by hand
    blank:    paths of the steps to fill in; None: nearly all
    decimals: in place of the scenario's rounding
    vary:     selectors of the given matrices to draw; None: all but biases and the like
    trains:   whether the loss and what follows belong to it
    is_short: whether no given number has more digits than are asked for
    """

    def __init__(
        self,
        source: Scenario,
        hand: Trace,
        blank: Sequence[str] | None,
        decimals: int | None,
        vary: Sequence[str] | None,
        trains: bool,
        is_short: bool = False,
    ) -> None:
        self.source = source
        self.hand = hand
        self.blank = blank
        self.decimals = decimals
        self.sources = sources_to_vary(hand, source.arrays, vary)
        if is_short and hand.by_hand is not None:
            self._shorten(hand.by_hand.decimals)
        self.own = degenerate_steps(select_blank(hand, None))
        self.drawn_paths = {value.path for value in _reached(hand, {source.matrix for source in self.sources})}
        self.spec = copy.copy(source.spec)
        if not trains:
            self.spec.training = self.spec.dropout = None

    def _shorten(self, decimals: int) -> None:
        """Draws numbers of so many decimals at most. Raises SheetError where one that stays has more."""
        drawn = {source.matrix for source in self.sources}
        for matrix, array in self.source.arrays.items():
            is_written = matrix.numbers is not None  # what rules and files give is rounded as it is written
            if is_written and matrix not in drawn and (own := decimals_in(matrix, array)) > decimals:
                has = f"{matrix.path} has {pluralize(own, 'decimal')}, more than {decimals}"
                raise SheetError(f"{has}; draw it too, with --vary, or ask for more, with --decimals")
        self.sources = [source.replace(decimals=min(source.decimals, decimals)) for source in self.sources]

    def find(self, seed: int) -> Draw:
        """The first fit draw of a seed. Raises SheetError where a thousand give none, or hundreds have one fault."""
        if not self.sources:
            raise SheetError("the scenario has no given numbers that could be drawn")
        if (count := sum(one.array.size for one in self.sources)) > _MOST_NUMBERS:
            raise SheetError(f"{count:,} numbers would be drawn, more than {_MOST_NUMBERS:,}; choose some with --vary")
        failures = _Failures()
        for draw in self._fit(seed, failures):
            if self.is_usual(draw):
                return draw
            failures.reasons[UNUSUAL] += 1
        raise self._error(failures)

    def is_usual(self, draw: Draw) -> bool:
        """Whether its effort is within a tenth of the usual one."""
        return 10 * abs(draw.effort - self._usual_effort) <= self._usual_effort

    @cached_property
    def _usual_effort(self) -> float:
        """The median of the first fit draws of seed 0."""
        failures = _Failures()
        found = [draw.effort for draw in islice(self._fit(0, failures), _USUAL_OF)]
        if not found:
            raise self._error(failures)
        return statistics.median(found)

    def _fit(self, seed: int, failures: _Failures) -> Iterator[Draw]:
        """The draws of a seed that are fit but for their effort; why others are not is counted."""
        while failures.draws < MOST_DRAWS and not failures.are_hopeless:
            draw = self._draw(f"{seed}/{failures.draws}")
            if not draw.faults:
                yield draw
            failures.count(draw)

    def _error(self, failures: _Failures) -> SheetError:
        """Why no draw is fit, and what may be drawn all the same: what no step with the usual fault comes from."""
        at_fault = [value for value in self.hand if value.path in failures.usual_paths]
        behind = {value.matrix for value in steps_before(*at_fault)}
        paths = {value.matrix: value.path for value in reversed([*self.hand])}
        others = [f"--vary {paths[one.matrix]}" for one in self.sources if one.matrix not in behind]
        fewer = f": {' '.join(others)}" if at_fault and others else ", with --vary"
        return SheetError(
            f"no numbers fit for handwork in {failures.said}; try other decimals, or draw fewer matrices{fewer}"
        )

    def _draw(self, seed: str) -> Draw:
        generator = random.Random(f"{seed} calm")
        rows, changes = self._calm(generator, {source.matrix: source.draw(seed) for source in self.sources})
        return self.examine(rows).replace(changes=changes)

    def _calm(self, generator: random.Random, rows: Numbers) -> tuple[Numbers, int]:
        """The numbers with some of them nearer to 0, until no exponential is too large, or nothing helps; the tries."""
        over, sources = self._excess(rows)
        for tried in range(_MOST_CHANGES):
            if not over:
                return rows, tried
            changed = rows
            for _ in range(1 + int(over / _OVER_A_CHANGE)):
                changed = change(generator, sources, changed, is_smaller=True) or changed
            found = self._excess(changed) if changed is not rows else (over, sources)
            if found[0] <= over:
                rows, (over, sources) = changed, found
        return rows, _MOST_CHANGES

    def _excess(self, rows: Numbers) -> tuple[float, list[DrawnMatrix]]:
        """By how much exponents are too large, and the matrices that make them so."""
        try:
            exact = self.calculate(rows)
        except ScenarioError:  # a loss that is no number
            return 0.0, []
        over = {value: by for value in exact if value.path in self.drawn_paths and (by := excess(value))}
        behind = {value.matrix for value in steps_before(*over)}
        return sum(over.values()), [source for source in self.sources if source.matrix in behind]

    def examine(self, rows: Numbers) -> Draw:
        """A draw with these numbers; looked at before a sheet is written with them."""
        try:
            hand = trace(self._scenario(rows), by_hand=True, decimals=self.decimals)
        except ScenarioError:  # a loss that is no number
            return Draw(rows, frozenset({(NO_NUMBER, "loss")}))
        assert hand.exact is not None
        steps, scope = select_blank(hand, None), scope_of(hand, select_blank(hand, self.blank))
        faults = {(fault, value.path) for value in scope for fault in unfit(hand.exact[value.path], value)}
        faults |= degenerate_steps(steps) - self.own
        drawn = [(EQUAL_SCORES, value.path) for value, _ in equal_scores(hand)]
        drawn += [(HUGE, value.path) for each in (hand, hand.exact) for value in each if is_large_power(value)]
        faults |= {(fault, path) for fault, path in drawn if path in self.drawn_paths}
        return Draw(rows, frozenset(faults), effort(steps))

    def calculate(self, rows: Numbers) -> Trace:
        """The exact calculation with these numbers. Raises ScenarioError where a loss is no number."""
        return trace(self._scenario(rows))

    def _scenario(self, rows: Numbers) -> Scenario:
        arrays = {**self.source.arrays, **{matrix: numbers_of(drawn) for matrix, drawn in rows.items()}}
        return Scenario(self.spec, self.source.source, arrays)


def _reached(hand: Trace, drawn: Collection[Matrix]) -> set[Value]:
    """The steps that have other numbers where these matrices have; a product with what stays 0 stays 0."""
    found: set[Value] = set()
    for value in hand:
        zeros = [one for one in value.inputs[:2] if one not in found and not one.array.any()]
        changing = value.inputs[2:] if value.operation in _PRODUCTS and zeros else value.inputs
        if value.matrix in drawn or any(one in found for one in changing):
            found.add(value)
    return found


def change(
    generator: random.Random, sources: Sequence[DrawnMatrix], rows: Numbers, is_smaller: bool = False
) -> Numbers | None:
    """The numbers with another one in one place; None where that is poor, or not nearer to 0 though it should be."""
    (source,) = generator.choices(sources, [source.array.size for source in sources])
    drawn = source.change(generator, rows[source.matrix], is_smaller)
    return None if drawn is None else {**rows, source.matrix: drawn}


class _Failures:
    """How many draws there were, and why none of them was taken: each fault with the paths of its steps."""

    def __init__(self) -> None:
        self.draws = self.changes = 0
        self.reasons: Counter[str] = Counter()
        self.faults: set[tuple[str, str]] = set()

    def count(self, draw: Draw) -> None:
        """One more draw."""
        self.draws += 1
        self.changes += draw.changes
        self.reasons.update({fault for fault, _ in draw.faults})
        self.faults |= draw.faults

    @property
    def usual_paths(self) -> set[str]:
        """Those of the most frequent fault."""
        usual = max(self.reasons, key=self.reasons.__getitem__)
        return {path for fault, path in self.faults if fault == usual}

    @property
    def are_hopeless(self) -> bool:
        """Whether there were many, all with one fault."""
        are_many = self.draws >= _ENOUGH_DRAWS or self.changes >= _ENOUGH_CHANGES
        return are_many and max(self.reasons.values(), default=0) == self.draws

    @property
    def said(self) -> str:
        """`300 draws (an exponential is above 99: 300 draws)`."""
        why = "; ".join(f"{reason}: {pluralize(times, 'draw')}" for reason, times in self.reasons.most_common())
        return f"{self.draws:,} draws ({why})"


def effort(values: Iterable[Value]) -> int:
    """How many products of two factors other than 0 the matrix products among some steps take."""
    return sum(_products(value) for value in values)


def _products(value: Value) -> int:
    """Σ over k of the numbers other than 0 in column k of the first factor times those in row k of the second."""
    if value.operation is None or len(value.inputs) < 2:
        return 0
    first, second = (given.array != 0 for given in value.inputs[:2])
    return sum(int(first.sum(1 - one) @ second.sum(1 - other)) for one, other in value.operation.summed)
