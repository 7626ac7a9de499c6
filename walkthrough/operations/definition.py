"""What an operation is: one definition from which everything else is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from walkthrough.expressions.fold.arrays import evaluate_pieces
from walkthrough.expressions.fold.folding import Folded, fold
from walkthrough.expressions.tree.lower import lower
from walkthrough.expressions.tree.nodes import Expression, Operand
from walkthrough.records import Record

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]
else:
    Array = np.ndarray  # numpy.typing is for type checkers, and takes its time to load

A, B, C, D = map(Operand, range(4))
"""The operands of a formula, in order: R = A·B + C."""

OPERATIONS: dict[str, Operation] = {}
"""Every operation by its name, in the order of definition; tests walk this table."""


NO_SETTINGS: Mapping[str, Any] = {}
"""Of the steps without any; a plain dict, because it is unpacked at each of them."""


class InnerGradient(Record):
    """How the gradient of something inside a composite is recorded: below its result's gradient, under this name.

    mark:   follows the symbol of the result's gradient
    factor: what the gradient of the result is multiplied by
    of:     what it is the gradient of, as the key of its words says it
    """

    name: str
    mark: str
    factor: str
    of: str


class InputGradient(Record):
    """An input's share of the gradient: the operation that computes it, and what from; none: passed on as it is.

    operands: recorded values, or input gradients that are recorded before it; each of those has a `kind`
    """

    operation: Operation | None = None
    operands: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = NO_SETTINGS
    kind: InnerGradient | None = None


PASSED = InputGradient()
"""The gradient of the result is the input's share, unchanged."""


class Backward(Record):
    """A step seen from behind: its recorded inputs and result, the recorded gradient of the result, its settings.

    parts: of a composite the recorded values inside it, by name
    """

    inputs: tuple[Any, ...]
    result: Any
    gradient: Any
    settings: Mapping[str, Any]

    @property
    def parts(self) -> Mapping[str, Any]:
        parts: Mapping[str, Any] = self.result.parts
        return parts


Shape = tuple[int, int]
Axes = tuple[str, str]
"""The names of the rows and the columns of a matrix."""

ANY = "*"
"""An axis whose size is nobody else's business."""


class ShapeError(ValueError):
    """Inputs whose shapes an operation does not take, or a result of another shape than it declares."""


@dataclass(eq=False, repr=False)
class Operation:
    """One kind of step, defined once.

    name:      how JSON names it
    shapes:    the shapes as named axes, `n×k, k×m → n×m`; trailing inputs may be left out, `…` repeats the last one,
               `*` is any size, `n|1` is as long as n or one for all. An axis of the result takes its labels from the
               first input axis of the same name.
    sizes:     `(shapes of the inputs, **settings)` → the size of each axis of the result that no input has
    formula:   `(number of inputs, **settings)` → how the step is written for people
    forward:   `(*arrays, **settings)` → the whole result, as numpy computes it, where matrices are large or steps many;
               where they are not it follows from the cells
    names:     `(*shapes of the inputs, **settings)` → the number that each name in the formula stands for
    code:      `(*shapes of the inputs, **settings)` → the formula as a program needs it, where the one for people says
               less than the arithmetic and the cells read worse, else None; its functions are those of
               `expressions/notations/code.py` too
    cell:      `(row, column, *shapes of the inputs, **settings)` → the expression of one number of the result, where it
               does not follow from the formula. Row and column may stand for many (`expressions/tree/indices.py`), sums
               are loops. It sees no number of the inputs: what chooses by them is a node (`Where`, `max`).
    gradient:  the step seen from behind → for each input the operation that gives its share of the gradient; PASSED
               where that is the gradient of the result itself, None where the input has none. No rule: no way back.
    by_part:   the first input is multiplied by a part of the second: columns by as many of its rows
    copies:    its numbers are some of its inputs', or none: nobody who calculates by hand rounds there
    left_out:  `(*arrays, **settings)` → the rows that it leaves out, where its result has no numbers: they are unknown
    drawn_as:  the picture that explains one of its numbers (`views/page/drawings.py`), product or sum; or what it is in
               the picture of a composite: the mean or the deviation of a row
    example:   settings with which the tests try it; `domain` the range their numbers are drawn from
    known:     the shapes of results that have been found, by the sizes of all inputs; none where settings decide, too
    """

    name: str
    shapes: str
    formula: Callable[..., Expression]
    forward: Callable[..., Array] = None  # type: ignore[assignment]  # until its name is known
    names: Callable[..., dict[str, float]] | None = None
    code: Callable[..., Expression | None] | None = None
    cell: Callable[..., Expression] | None = None
    gradient: Callable[[Backward], tuple[InputGradient | None, ...]] | None = None
    sizes: Callable[..., dict[str, int]] | None = None
    by_part: bool = False
    copies: bool = False
    left_out: Callable[..., Sequence[int]] | None = None
    drawn_as: str = ""
    example: dict[str, Any] = field(default_factory=dict)
    domain: tuple[float, float] = (-3.0, 3.0)
    axes: tuple[list[Axes], Axes] = field(init=False)
    known: dict[tuple[int, ...], Shape] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.name in OPERATIONS:
            raise ValueError(f"the operation {self.name!r} is defined twice")
        OPERATIONS[self.name] = self
        if self.forward is None:
            self.forward = self._evaluate_cells
        before, after = self.shapes.replace(" ", "").split("→")
        self.axes = [_pair(shape) for shape in before.split(",") if shape not in ("", "…")], _pair(after)

    def __repr__(self) -> str:
        return f"<operation {self.name}>"

    @cached_property
    def summed(self) -> list[tuple[int, int]]:
        """Of a product of matrices, which axis of the first input is summed over with which of the second."""
        before, result = self.axes
        if len(before) < 2:
            return []
        first, second = before[:2]
        kept = (*result, ANY)
        return [(side, second.index(axis)) for side, axis in enumerate(first) if axis in second and axis not in kept]

    def input_axes(self, shapes: Sequence[Shape]) -> list[Axes]:
        """The axes of inputs of these shapes. Raises ShapeError where it does not take as many."""
        named, count = self.axes[0], len(shapes)
        if count > len(named) and "…" in self.shapes:
            named = named + named[-1:] * (count - len(named))
        if count > len(named):
            raise ShapeError(f"{self.name} ({self.shapes}) takes at most {len(named)} inputs, not {count}")
        return [
            (_one_of(rows, shape[0], shapes[0][0]), _one_of(columns, shape[1], shapes[0][1]))
            for (rows, columns), shape in zip(named, shapes, strict=False)
        ]

    def result_shape(self, shapes: Sequence[Shape], settings: Mapping[str, Any]) -> Shape:
        """The shape of the result for inputs of these shapes.

        Raises ShapeError, with the name of the operation and all shapes, where they do not fit its axes.
        """
        sizes: dict[str, int] = {}
        for axes, shape in zip(self.input_axes(shapes), shapes, strict=True):
            for name, size in zip(axes, shape, strict=True):
                if name != ANY and sizes.setdefault(name, int(name) if name.isdigit() else size) != size:
                    found = ", ".join(f"{rows}×{columns}" for rows, columns in shapes)
                    raise ShapeError(f"{self.name} ({self.shapes}) does not take {found}: {name} is not one size")
        if self.sizes is not None:
            sizes |= self.sizes(shapes, **settings)
        rows, columns = self.axes[1]
        result = _size(rows, sizes), _size(columns, sizes)
        if self.sizes is None:  # a model has the same shapes over and over: each is looked at once
            self.known[tuple(size for shape in shapes for size in shape)] = result
        return result

    def expression(self, row: Any, column: Any, shapes: Sequence[Shape], settings: Mapping[str, Any]) -> Expression:
        """How the number at a row and a column comes about; they may stand for many, and sums are loops."""
        if self.cell is not None:
            return self.cell(row, column, *shapes, **settings)
        exact = self.code(*shapes, **settings) if self.code else None
        exact = self.formula(len(shapes), **settings) if exact is None else exact
        names = self.names(*shapes, **settings) if self.names else {}
        repeated = [(rows == "1", columns == "1") for rows, columns in self.input_axes(shapes)]
        return lower(exact, (row, column), shapes, repeated, names)

    def line(self, shapes: Sequence[Shape], settings: Mapping[str, Any]) -> Expression | None:
        """What a program has for it: the rule of `code`, or the formula; None where the cells say it better."""
        if self.code is not None:
            return self.code(*shapes, **settings)
        return self.formula(len(shapes), **settings) if self.cell is None and shapes else None

    def _evaluate_cells(self, *arrays: Array, **settings: Any) -> Array:
        shapes = [array.shape for array in arrays]
        return evaluate_pieces(self.fold(shapes, settings), self.result_shape(shapes, settings), arrays)

    def fold(self, shapes: Sequence[Shape], settings: Mapping[str, Any]) -> Folded:
        """The expressions of all cells of the result; kept for all steps with these shapes and settings."""
        hashable = ((name, tuple(one) if isinstance(one, list) else one) for name, one in settings.items())
        return _fold(self, tuple(shapes), tuple(sorted(hashable)))


class Composite(Record, eq=False):
    """Several recorded steps as the one function that they are, for the backward pass through all of them at once.

    forward:  `(*arrays, **settings)` → the whole result
    gradient: as an operation's; of what stands inside it reads the `parts`
    drawn_as: the picture that explains all of its steps: softmax, norm
    """

    name: str
    forward: Callable[..., Array]
    gradient: Callable[[Backward], tuple[InputGradient | None, ...]]
    drawn_as: str

    def __repr__(self) -> str:
        return f"<composite {self.name}>"


@lru_cache(maxsize=512)
def _fold(operation: Operation, shapes: tuple[Shape, ...], settings: tuple[tuple[str, Any], ...]) -> Folded:
    known = dict(settings)
    return fold(lambda i, j: operation.expression(i, j, shapes, known), *operation.result_shape(shapes, known))


def _pair(shape: str) -> Axes:
    rows, columns = shape.split("×")
    return rows, columns


def _one_of(name: str, size: int, of_first: int) -> str:
    """Which of both an axis `n|1` is; of_first: the size of the first input, which has n."""
    return "1" if size == 1 != of_first and name.endswith("|1") else name.removesuffix("|1")


def _size(name: str, sizes: dict[str, int]) -> int:
    return sizes[name] if name in sizes else int(name)
