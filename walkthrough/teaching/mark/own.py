"""A student's own calculation: the numbers handed in, and between them what comes of these by hand."""

from __future__ import annotations

import copy
from collections.abc import Mapping

import numpy as np

from walkthrough.expressions.tree.nodes import Cell, Expression, Number, Product
from walkthrough.expressions.tree.walk import cells, children
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value
from walkthrough.teaching.sheet import Sheet, Step

Place = tuple[str, int, int]
"""A cell of a sheet: the path of its step, row and column from 0."""


class Own:
    """Own numbers by step, each computed when asked for.

    numbers: what was handed in and could be read, by cell; ids of words among them
    """

    def __init__(self, sheet: Sheet, numbers: Mapping[Place, float]) -> None:
        self.sheet = sheet
        self.numbers = numbers
        self.steps: dict[Value, Step] = {step.value: step for step in sheet.steps}
        self._arrays: dict[Value, Array] = {}
        self._expected: dict[Value, Array] = {}
        self._by_step: dict[str, list[Place]] = {}
        for place in numbers:
            self._by_step.setdefault(place[0], []).append(place)

    def array(self, value: Value) -> Array:
        """The numbers that the student goes on with."""
        if value not in self._arrays:
            self._arrays[value] = self._made(value)
        return self._arrays[value]

    def expected(self, value: Value) -> Array:
        """What the numbers before a computed step give for it, rounded as the sheet asks."""
        if value not in self._expected:
            computed = self.computed(value)
            array = value.digits.round(computed) if value.digits is not None else computed
            if value.holds_ids:
                array[:, 0] = computed[:, 0]
            self._expected[value] = array
        return self._expected[value]

    def computed(self, value: Value) -> Array:
        """What the numbers before a computed step give for it."""
        assert value.operation is not None
        with np.errstate(all="ignore"):
            return value.operation.forward(*map(self.array, value.inputs), **value.settings)

    def _made(self, value: Value) -> Array:
        step = self.steps.get(value)
        if value.operation is None or step is None:
            return value.array if value.operation is None else self.expected(value)
        if not step.is_asked and not step.is_left_out:
            return value.array  # it stands on the sheet
        places = self._by_step.get(value.path, ())
        if len(places) == value.array.size:
            return np.array([self.numbers[place] for place in sorted(places)]).reshape(value.shape)
        array = self.expected(value).copy()
        for place in places:
            array[place[1], place[2]] = self.numbers[place]
        return array

    def is_missing(self, value: Value, row: int, column: int) -> bool:
        """Whether a cell was to be filled in and holds no number."""
        step = self.steps.get(value)
        return step is not None and bool(step.to_fill[row, column]) and (value.path, row, column) not in self.numbers

    def shadow(self, value: Value) -> Value:
        """The step with the student's numbers going in and what they give coming out: to be worked out in a line."""
        copied = copy.copy(value)
        copied.inputs = tuple(_with(one, self.array(one)) for one in value.inputs)
        copied.array = self.expected(value)
        return copied

    def missing_before(self, value: Value, row: int, column: int) -> list[str]:
        """The steps of which a number that goes into a cell is missing; through steps that stand on no sheet."""
        found: dict[str, None] = {}
        waiting = [(value, row, column)]
        while waiting:
            step, i, j = waiting.pop(0)
            for cell in cells(step.cell(i, j)):
                given = step.inputs[cell.operand]
                if self.is_missing(given, cell.row, cell.column):
                    found[given.path] = None
                elif given in self.steps and self.steps[given].is_left_out:
                    waiting.append((given, cell.row, cell.column))
        return list(found)


def _with(value: Value, array: Array) -> Value:
    copied = copy.copy(value)
    copied.array = array
    return copied


class Trivial:
    """Numbers that a wrong one before them made trivial: nothing was left to be worked out."""

    def __init__(self, own: Own, follows: frozenset[Place] | set[Place]) -> None:
        self.own = own
        self.follows = follows
        self._known: dict[Place, bool] = {}

    def __call__(self, value: Value, row: int, column: int) -> bool:
        """Whether each product of a cell has a factor 0, or all that it is computed from, given numbers apart, is so.

        A missing number is looked through.
        """
        place = value.path, row, column
        if place not in self._known:
            self._known[place] = False
            self._known[place] = self._is_trivial(value, row, column)
        return self._known[place]

    def _is_trivial(self, value: Value, row: int, column: int) -> bool:
        if value.operation is None or value not in self.own.steps:
            return False
        step = self.own.steps[value]
        is_between = self.own.is_missing(value, row, column) or step.is_left_out
        if (value.path, row, column) not in self.follows and not is_between:
            return False
        expression = value.cell(row, column)
        if self._vanishes(expression, value):
            return True
        operands = {(value.inputs[cell.operand], cell.row, cell.column) for cell in cells(expression)}
        computed = [operand for operand in operands if operand[0].operation is not None]
        return bool(computed) and all(self(*operand) for operand in computed)

    def _vanishes(self, expression: Expression, value: Value) -> bool:
        products = list(_products(expression))
        return bool(products) and all(any(self._is_zero(part, value) for part in one.factors) for one in products)

    def _is_zero(self, part: Expression, value: Value) -> bool:
        if isinstance(part, Cell):
            return bool(self.own.array(value.inputs[part.operand])[part.row, part.column] == 0)
        return isinstance(part, Number) and part.value == 0


def _products(expression: Expression) -> list[Product]:
    """The outermost products of an expression."""
    if isinstance(expression, Product):
        return [expression]
    return [one for part in children(expression) for one in _products(part)]
