"""What an operation is: one definition from which everything else is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from walkthrough.expressions.nodes import Expression

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
else:
    Array = np.ndarray  # numpy.typing is for type checkers, and takes its time to load

OPERATIONS: dict[str, Operation] = {}
"""Every operation by its name, in the order of definition; tests walk this table."""


@dataclass(frozen=True, slots=True)
class InputGradient:
    """An input's share of the gradient: the operation that computes it, and what from; none: passed on as it is."""

    operation: Operation | None = None
    operands: tuple[Any, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


PASSED = InputGradient()
"""The gradient of the result is the input's share, unchanged."""


class Backward(NamedTuple):
    """A step seen from behind: its recorded inputs and result, the recorded gradient of the result, its settings."""

    inputs: tuple[Any, ...]
    result: Any
    gradient: Any
    settings: dict[str, Any]


@dataclass(eq=False, repr=False)
class Operation:
    """One kind of step, defined once.

    name:      how JSON names it
    shapes:    the shapes as named axes, `n×k, k×m → n×m`; trailing inputs may be left out, `…` repeats the last one.
               An axis of the result takes its labels from the first input axis of the same name.
    forward:   `(*arrays, **settings)` → the whole result, as numpy computes it
    cell:      `(row, column, *arrays, **settings)` → the expression of one number of the result
    formula:   `(number of inputs, **settings)` → how the step is written for people
    gradient:  the step seen from behind → for each input the operation that gives its share of the gradient; PASSED
               where that is the gradient of the result itself, None where the input has none. No rule: no way back.
    example:   settings with which the tests try it; `domain` the range their numbers are drawn from
    """

    name: str
    shapes: str
    forward: Callable[..., Array]
    cell: Callable[..., Expression]
    formula: Callable[..., Expression]
    gradient: Callable[[Backward], tuple[InputGradient | None, ...]] | None = None
    example: dict[str, Any] = field(default_factory=dict)
    domain: tuple[float, float] = (-3.0, 3.0)

    def __post_init__(self) -> None:
        if self.name in OPERATIONS:
            raise ValueError(f"the operation {self.name!r} is defined twice")
        OPERATIONS[self.name] = self

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    @property
    def axes(self) -> tuple[list[tuple[str, str]], tuple[str, str]]:
        """The axis names of the inputs and of the result: `n×k, k×m → n×m` is ([(n, k), (k, m)], (n, m))."""
        before, after = self.shapes.replace(" ", "").split("→")
        return [_pair(shape) for shape in before.split(",") if shape not in ("", "…")], _pair(after)


def _pair(shape: str) -> tuple[str, str]:
    rows, columns = shape.split("×")
    return rows, columns
