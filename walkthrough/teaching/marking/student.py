"""A student's own calculation: the numbers handed in, and between them what comes of these by hand."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from walkthrough.operations.definition import Array
from walkthrough.recording.graph import cells_read
from walkthrough.recording.recalculation import Recalculation
from walkthrough.recording.values import Value
from walkthrough.teaching.sheets.sheet import Place, Sheet, Step


class StudentCalculation(Recalculation):
    """Own numbers by step; what was not handed in is worked out by hand from what was, or stands on the sheet.

    numbers: what was handed in and could be read, by cell; ids of words among them
    """

    def __init__(self, sheet: Sheet, numbers: Mapping[Place, float]) -> None:
        self.sheet = sheet
        self.numbers = numbers
        self.steps: dict[Value, Step] = {step.value: step for step in sheet.steps}
        super().__init__({step.value: step.value.array for step in sheet.steps if step.is_shown}, _by_hand)
        by_path = {step.value.path: step.value for step in sheet.blank_steps}
        found: dict[Value, Array] = {}
        for (path, row, column), number in numbers.items():
            value = by_path[path]
            found.setdefault(value, np.full(value.shape, np.nan))[row, column] = number
        for value, array in found.items():
            self.give(value, array, ~np.isnan(array))

    def compute_rounded(self, value: Value) -> Array:
        """What the numbers before a computed step give for it, rounded as the sheet asks."""
        return _by_hand(value, self.compute(value))

    def can_compute(self, value: Value, row: int, column: int) -> bool:
        """Whether one's own numbers give one for a cell: no division by 0, nothing too large.

        −∞ is a number where a score is hidden.
        """
        found = float(self.compute(value)[row, column])
        operands = [self.array(one.value)[one.row, one.column] for one in cells_read(value, row, column)]
        is_hidden = found == -math.inf == float(value.array[row, column])
        return (math.isfinite(found) or is_hidden) and not any(math.isnan(one) or one == math.inf for one in operands)

    def is_missing(self, value: Value, row: int, column: int) -> bool:
        """Whether a cell was to be filled in and holds no number."""
        step = self.steps.get(value)
        return step is not None and bool(step.blank[row, column]) and (value.path, row, column) not in self.numbers

    def with_own_inputs(self, value: Value) -> Value:
        """The step with the student's numbers going in and what they give coming out: to be worked out in a line."""
        inputs = tuple(one.with_numbers(self.array(one)) for one in value.inputs)
        return value.with_numbers(self.compute_rounded(value), inputs)

    def missing_before(self, value: Value, row: int, column: int) -> list[Value]:
        """The steps of which a number that goes into a cell is missing; through steps that are on no sheet."""
        found: dict[Value, None] = {}
        waiting = cells_read(value, row, column)
        for cell in waiting:  # which becomes longer meanwhile
            if self.is_missing(*cell):
                found[cell.value] = None
            elif cell.value in self.steps and self.steps[cell.value].is_left_out:
                waiting += cells_read(*cell)
        return list(found)


def _by_hand(value: Value, computed: Array) -> Array:
    """The numbers of a step rounded as the sheet asks; ids stay."""
    if value.digits is None:
        return computed
    array = value.digits.round(computed)
    for column in value.kind.ids:
        array[:, column] = computed[:, column]
    return array
