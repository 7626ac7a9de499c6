"""The graph evaluated anew from other numbers of some steps: an author's, a student's, another program's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from typing import Generic, Self, TypeVar

import numpy as np

from walkthrough.expressions.tree.aliases import Flags
from walkthrough.operations.definition import Array
from walkthrough.recording.values import Value

Rounding = Callable[[Value, Array], Array]
"""What becomes of the computed numbers of a step before the next one takes them."""
Found = TypeVar("Found")


def settle(
    value: Value, found: dict[Value, Found], needed: Callable[[Value], Iterable[Value]], find: Callable[[Value], Found]
) -> Found:
    """What is found of a step, after all that this needs; a long chain is not followed in one recursion.

    found: what is known of steps already, and what becomes known
    """
    waiting = [] if value in found else [value]
    while waiting:
        step = waiting[-1]
        missing = [] if step in found else [one for one in needed(step) if one not in found]
        waiting += missing
        if not missing:
            waiting.pop()
            if step not in found:
                found[step] = find(step)
    return found[value]


class Evaluator(ABC, Generic[Found]):
    """What every step is, found when first asked for: what is given for it, and where nothing is, what follows.

    given: numbers by step, all of a step or (by `give`) some
    """

    def __init__(self, given: Mapping[Value, Array]) -> None:
        self.given: dict[Value, Array] = dict(given)
        self._is_given: dict[Value, Flags] = {}  # which numbers, of the steps that are given in part
        self._carried: dict[Value, Found] = {}
        self._computed: dict[Value, Found] = {}

    def copy(self) -> Self:
        """The same calculation, to be continued differently."""
        other = copy(self)
        other.given, other._is_given = dict(self.given), dict(self._is_given)
        other._carried, other._computed = dict(self._carried), dict(self._computed)
        return other

    def give(self, value: Value, numbers: Array, where: Flags | None = None) -> None:
        """Goes on with these numbers of a step (`where`: some of them); before any step after it is asked for."""
        where = np.full(value.shape, True) if where is None else where
        if value in self.given:
            numbers = np.where(where, numbers, self.given[value])
            where = where | self._is_given.pop(value, np.full(value.shape, True))
        self.given[value] = numbers
        if not where.all():
            self._is_given[value] = where
        self._carried.pop(value, None)

    def is_given(self, value: Value) -> bool:
        """Whether all of a step is given."""
        return value in self.given and value not in self._is_given

    def carry(self, value: Value) -> Found:
        """What the steps after a step are computed from."""
        return settle(value, self._carried, self._needed, self._carry_on)

    def _needed(self, value: Value) -> tuple[Value, ...]:
        """The steps that what is not given of a step is computed from."""
        return () if self.is_given(value) else value.inputs

    @abstractmethod
    def _carry_on(self, value: Value) -> Found:
        """What a step is, once all is known that it needs."""


class Recalculation(Evaluator[Array]):
    """The numbers of every step, computed when first asked for: given numbers are kept, the rest follows from them.

    given:    numbers by step
    rounding: of what is computed; by default nothing is rounded
    before:   a calculation from which this one has what none of its own numbers goes into; by default the trace itself
    """

    def __init__(
        self,
        given: Mapping[Value, Array] | None = None,
        rounding: Rounding | None = None,
        before: Recalculation | None = None,
    ) -> None:
        super().__init__(given or {})
        self.rounding = rounding
        self.before = before
        self._moved: dict[Value, bool] = {}

    def copy(self) -> Self:
        """The same calculation, to be continued differently."""
        other = super().copy()
        other._moved = dict(self._moved)
        return other

    def give(self, value: Value, numbers: Array, where: Flags | None = None) -> None:
        """Goes on with these numbers of a step (`where`: some of them); before any step after it is asked for."""
        super().give(value, numbers, where)
        self._moved.pop(value, None)

    def with_changes(self, changes: Mapping[Value, Array]) -> Recalculation:
        """The same calculation with other numbers of some steps, rounded as it rounds."""
        if self.rounding is not None:
            changes = {value: self.rounding(value, array) for value, array in changes.items()}
        other = Recalculation({**self.given, **changes}, self.rounding, before=self)
        other._is_given = {value: where for value, where in self._is_given.items() if value not in changes}
        return other

    def array(self, value: Value) -> Array:
        """The numbers of a step that the following ones are computed from."""
        return self.carry(value) if self._is_moved(value) else self._unmoved(value)

    def compute(self, value: Value) -> Array:
        """What the steps before it give for a step, whatever was given for it; given matrices as they are."""
        if value not in self._computed:
            self._computed[value] = self._forward(value)
        return self._computed[value]

    def _needed(self, value: Value) -> tuple[Value, ...]:
        return tuple(filter(self._is_moved, super()._needed(value)))

    def _carry_on(self, value: Value) -> Array:
        given = self.given.get(value)
        if given is not None and self.is_given(value):
            return given
        array = self.compute(value)
        if self.rounding is not None and value.operation is not None:
            array = self.rounding(value, array)
        return array if given is None else np.where(self._is_given[value], given, array)

    def _forward(self, value: Value) -> Array:
        if value.operation is None or not (self._rounds_anew or any(map(self._is_moved, value.inputs))):
            return self.before.compute(value) if self.before else value.array
        with np.errstate(all="ignore"):
            return value.operation.forward(*map(self.array, value.inputs), **value.settings)

    def _unmoved(self, value: Value) -> Array:
        return self.before.array(value) if self.before else value.array

    def _is_moved(self, value: Value) -> bool:
        """Whether other numbers than before are given for a step, or go into it."""
        return settle(value, self._moved, super()._needed, self._moves)

    def _moves(self, value: Value) -> bool:
        return self._is_new(value) or any(self._moved[one] for one in super()._needed(value))

    @property
    def _rounds_anew(self) -> bool:
        """Whether it rounds what the calculation before it does not."""
        return self.rounding is not None and (self.before is None or self.before.rounding is not self.rounding)

    def _is_new(self, value: Value) -> bool:
        if value not in self.given:
            return self._rounds_anew and value.operation is not None
        return self.given[value] is not (self.before.given.get(value) if self.before else value.array)
