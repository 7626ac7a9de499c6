"""Draws the given numbers of a scenario until they are fit for handwork, and as much work as those of other seeds."""

from __future__ import annotations

import copy
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from walkthrough.expressions.tree.aliases import Array, Places
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.records import Record
from walkthrough.scenario.scenario import Scenario
from walkthrough.scenario.schema.matrices import Matrix
from walkthrough.scenario.yaml.problems import ScenarioError
from walkthrough.teaching.sheets.make.draw import Rows, numbers_of, sources_to_vary
from walkthrough.teaching.sheets.make.handwork import (
    LARGEST_POWER,
    NO_NUMBER,
    UNUSUAL,
    degenerate_steps,
    largest_power,
    unfit,
    zero_scores,
)
from walkthrough.teaching.sheets.sheet import SheetError, scope_of, select_blank
from walkthrough.text import pluralize
from walkthrough.transformer.runs.run import trace

MOST_DRAWS = 1000
_USUAL_OF = 21
"""The usual effort is the median of this many draws of seed 0."""


class Draw(Record, eq=False):
    """One draw.

    rows:   the numbers of each matrix
    faults: why they are unfit
    effort: how much work they are
    """

    rows: Mapping[Matrix, Rows]
    faults: frozenset[str]
    effort: int = 0


class Draws:
    """The draws of a scenario.

    source:   the scenario
    hand:     its calculation by hand
    blank:    paths of the steps to fill in; None: nearly all
    decimals: in place of the scenario's rounding
    vary:     selectors of the given matrices to draw; None: all but biases and the like
    trains:   whether the loss and what follows belong to it
    """

    def __init__(
        self,
        source: Scenario,
        hand: Trace,
        blank: Sequence[str] | None,
        decimals: int | None,
        vary: Sequence[str] | None,
        trains: bool,
    ) -> None:
        self.source = source
        self.blank = blank
        self.decimals = decimals
        self.sources = sources_to_vary(hand, source.arrays, vary)
        steps = select_blank(hand, None)
        self.own = _degenerate(hand, steps)
        self.power = max(LARGEST_POWER, largest_power(steps))
        self.spec = copy.copy(source.spec)
        if not trains:
            self.spec.training = self.spec.dropout = None

    def find(self, seed: int) -> Draw:
        """The first fit draw of a seed. Raises SheetError where a thousand give none."""
        if not self.sources:
            raise SheetError("the scenario has no given numbers that could be drawn; leave out --seed")
        failed: Counter[str] = Counter()
        for draw in self._fit(seed, failed):
            if self.is_usual(draw):
                return draw
            failed[UNUSUAL] += 1
        raise _none_fit(failed)

    def is_usual(self, draw: Draw) -> bool:
        """Whether its effort is within a tenth of the usual one."""
        return 10 * abs(draw.effort - self._usual_effort) <= self._usual_effort

    @cached_property
    def _usual_effort(self) -> float:
        """The median of the first fit draws of seed 0."""
        failed: Counter[str] = Counter()
        found = [draw.effort for draw in islice(self._fit(0, failed), _USUAL_OF)]
        if not found:
            raise _none_fit(failed)
        return statistics.median(found)

    def _fit(self, seed: int, failed: Counter[str]) -> Iterator[Draw]:
        """The draws of a seed that are fit but for their effort; why others are not is counted."""
        for attempt in range(MOST_DRAWS):
            draw = self._draw(f"{seed}/{attempt}")
            if not draw.faults:
                yield draw
            failed.update(draw.faults)

    def _draw(self, seed: str) -> Draw:
        return self.examine({source.matrix: source.draw(seed) for source in self.sources})

    def examine(self, rows: Mapping[Matrix, Rows]) -> Draw:
        """A draw with these numbers; looked at before a sheet is written with them."""
        try:
            hand = trace(self._scenario(rows), by_hand=True, decimals=self.decimals)
        except ScenarioError:  # a loss that is no number
            return Draw(rows, frozenset({NO_NUMBER}))
        assert hand.exact is not None
        steps, scope = select_blank(hand, None), scope_of(hand, select_blank(hand, self.blank))
        faults = {*unfit(((hand.exact[value.path], value) for value in scope), self.power)}
        faults |= {fault for fault, _ in _degenerate(hand, steps) - self.own}
        return Draw(rows, frozenset(faults), effort(steps))

    def calculate(self, rows: Mapping[Matrix, Rows]) -> Trace:
        """The exact calculation with these numbers. Raises ScenarioError where a loss is no number."""
        return trace(self._scenario(rows))

    def _scenario(self, rows: Mapping[Matrix, Rows]) -> Scenario:
        arrays = {**self.source.arrays, **{matrix: numbers_of(drawn) for matrix, drawn in rows.items()}}
        return Scenario(self.spec, self.source.source, arrays)


def _degenerate(hand: Trace, steps: Iterable[Value]) -> set[tuple[str, str]]:
    """What is not worth working; a draw may have it where the scenario's own numbers have."""
    return zero_scores(hand) | degenerate_steps(steps)


def _none_fit(failed: Counter[str]) -> SheetError:
    why = "; ".join(f"{reason}: {pluralize(times, 'draw')}" for reason, times in failed.most_common())
    return SheetError(
        f"no numbers fit for handwork in {MOST_DRAWS:,} draws ({why}); try other decimals, or draw "
        "fewer matrices, with --vary"
    )


def effort(values: Iterable[Value]) -> int:
    """How many products of two factors other than 0 the matrix products among some steps take."""
    return sum(_products(value) for value in values)


def _products(value: Value) -> int:
    """Σ over k of the numbers other than 0 in column k of the first factor times those in row k of the second."""
    if value.operation is None or len(value.inputs) < 2:
        return 0
    first, second = (given.array for given in value.inputs[:2])
    return sum(int(_filled(first, one) @ _filled(second, other)) for one, other in value.operation.summed)


def _filled(array: Array, axis: int) -> Places:
    """The numbers other than 0 at each place of an axis."""
    return np.asarray(np.count_nonzero(array, axis=1 - axis))
