"""A step as it would have been: another operation, other inputs or settings, an input left out.

No arithmetic stands here: it is made of the operations that there are, and can be applied to anybody's numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from walkthrough.operations.definition import Array, Operation
from walkthrough.recording.values import Value

TRANSPOSED = "transposed"
"""The mistake that is made in every square matrix."""


class Rearranged(NamedTuple):
    """Numbers put elsewhere, in the place of an operation: no number is computed."""

    forward: Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Instead:
    """What may have been calculated instead of a step.

    operation: None for the first input itself
    inputs:    recorded values, other such calculations, or constants
    is_turned: the result is transposed
    """

    operation: Operation | Rearranged | None
    inputs: tuple[Value | Instead | Array, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    is_turned: bool = False

    def array(self, numbers: Callable[[Value], Array]) -> Array:
        """The result for somebody's numbers of the recorded values. ValueError where the shapes do not fit."""
        arrays = [_array(one, numbers) for one in self.inputs]
        with np.errstate(all="ignore"):
            result = arrays[0] if self.operation is None else self.operation.forward(*arrays, **self.settings)
        return result.T if self.is_turned else result


def _array(part: Value | Instead | Array, numbers: Callable[[Value], Array]) -> Array:
    if isinstance(part, Instead):
        return part.array(numbers)
    return numbers(part) if isinstance(part, Value) else part


Variant = tuple[str, Instead]
"""The mistake in a few words, and the step as it would have been."""


def changed(value: Value, *inputs: Value | Instead | Array, **settings: Any) -> Instead:
    """The step's own operation with other inputs or settings; those that are not said are its own."""
    return Instead(value.operation, inputs or value.inputs, {**value.settings, **settings})


def as_is(part: Value | Instead) -> Instead:
    return Instead(None, (part,))


def turned(part: Value | Instead) -> Instead:
    return Instead(None, (part,), is_turned=True)
