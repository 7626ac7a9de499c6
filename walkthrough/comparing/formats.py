"""Which number format each step was calculated in: the coarsest that its operands and its own numbers are kept in."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from walkthrough.comparing.matching.tensors import ExternalTensor, Theirs
from walkthrough.number_formats import FloatFormat
from walkthrough.operations.definition import Array
from walkthrough.recording.graph import details_of
from walkthrough.recording.recalculation import Rounding
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value

_Format = FloatFormat | None
"""None: float32, or a finer one."""
_DRAWN = 3
"""Other roundings that are drawn: one alone falls like ours by chance."""


class Formats:
    """The formats of the steps of a trace, as far as somebody's tensors say; a tolerance says all there is to say.

    is_stated: somebody has said the format
    coarsest: what is computed before anything that they gave is rounded to it
    given:    the matrices of the scenario, rounded to it
    """

    def __init__(self, tensors: Sequence[Theirs], trace: Trace) -> None:
        self._kept: dict[Value, _Format] = {}
        stated = {one.format for one in tensors if one.format is not None}
        self.is_stated = bool(stated)
        for tensor in tensors if not stated else ():
            for value in (value for reading in tensor.readings for value, _ in reading.pieces):
                if tensor.tolerance is None:
                    self._kept[value] = _coarser(tensor.kept, self._kept.get(value))
        self.coarsest: _Format = next(iter(stated), None)
        for value, format in self._kept.items():
            self.coarsest = _coarser(self.coarsest, format if value.operation is not None else None)
        self.given: dict[Value, Array] = {}
        self._known: dict[Value, _Format] = {}
        self._unrounded: set[Value] = set()
        if self.coarsest is not None and not stated:
            self._go_through(trace, self.coarsest)

    def _go_through(self, trace: Trace, coarsest: FloatFormat) -> None:
        self._unrounded = details_of(trace) - set(self._kept)
        for value in trace:
            if value.operation is None:
                self.given[value] = value.in_format(coarsest, value.array)
            elif value in self._kept:
                self._known[value] = self._kept[value]
            elif any(one in self._known for one in value.inputs):
                self._known[value] = self._of_operands(value)

    def _of_operands(self, value: Value) -> _Format:
        """The coarsest format of what a step is computed from, weights apart; where none is known, of all."""
        known = [self._known[one] for one in value.inputs if one in self._known]
        found = None if known else self.coarsest
        for one in known:
            found = _coarser(found, one)
        return found

    def of(self, tensor: ExternalTensor) -> ExternalTensor:
        """A matrix of theirs in the format that it was calculated in."""
        value = tensor.value
        before = self._of_operands(value) if value.operation is not None else self.coarsest
        format = _coarser(self._kept.get(value), before)
        if format is None or not tensor.is_by_type:
            return tensor
        return tensor.replace(format=format, epsilon=2 * format.roundoff, smallest=format.smallest)

    def other_roundings(self) -> list[Rounding | None]:
        """None, and some that fall otherwise: what they make of a step tells how far roundings carry it.

        Where somebody has said the format, each step is worked out from theirs, and there are none.
        """
        if self.coarsest is None or self.is_stated:
            return []
        return [None, *(self._drawn(np.random.default_rng(seed)) for seed in range(_DRAWN))]

    def _drawn(self, random: np.random.Generator) -> Rounding:
        """Rounds once more than ours, as programs do: by up to half the distance of two numbers, anyhow."""

        def rounding(value: Value, array: Array) -> Array:
            format = self._known.get(value, self.coarsest)
            if format is not None and not value.kind.fixed and not value.holds_ids:
                array = array * (1 + format.roundoff * random.uniform(-1, 1, array.shape))
            return self.round(value, array)

        return rounding

    def round(self, value: Value, array: Array) -> Array:
        """What is computed for a step that they did not give, or a matrix of theirs, in its format.

        Within a softmax or a norm programs round nothing: its sum may be 0 or infinite there.
        """
        if value in self._unrounded:
            return array
        format = self._known.get(value, self.coarsest)
        return array if format is None else value.in_format(format, array)


def _coarser(one: _Format, other: _Format) -> _Format:
    formats = [each for each in (one, other) if each is not None]
    return max(formats, key=lambda each: each.roundoff, default=None)
