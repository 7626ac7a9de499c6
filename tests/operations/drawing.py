"""Random inputs for any operation, from what its definition says; and the comparison of its two arithmetics."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.indices import LoopVariable, linear
from walkthrough.expressions.tree.nodes import Cell, Expression, Loop, Number
from walkthrough.expressions.tree.walk import parts, with_parts
from walkthrough.operations import Array, Operation
from walkthrough.operations.definition import ANY, Shape

CHOSEN_FROM = 3
"""How many rows and columns there are where the example's settings choose among them, such as `indices`."""

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -math.inf, math.nan)
"""Hidden scores, unknown numbers, ties and both zeros."""


class Example(NamedTuple):
    """An operation with matrices and settings that it takes, and what numpy makes of them."""

    operation: Operation
    arrays: list[Array]
    settings: dict[str, Any]
    whole: Array

    @property
    def shapes(self) -> list[Shape]:
        return [array.shape for array in self.arrays]

    def expressions(self) -> list[list[Expression]]:
        """How each number comes about, without loops."""
        expression, (rows, columns) = self.operation.expression, self.whole.shape
        return [
            [written_out(expression(i, j, self.shapes, self.settings)) for j in range(columns)] for i in range(rows)
        ]

    def by_cells(self) -> Array:
        """The result number by number, each from its own expression."""

        def number(cell: Cell) -> float:
            return float(self.arrays[cell.operand][cell.row, cell.column])

        numbers = [[evaluate(expression, number) for expression in row] for row in self.expressions()]
        return np.array(numbers).reshape(self.whole.shape)


def examples(operation: Operation, count: int, special: tuple[float, ...] = ()) -> Iterator[Example]:
    """Matrices that fit the operation's `shapes`, of numbers from its domain and special ones; each time the same."""
    rng = np.random.default_rng(list(operation.name.encode()))
    for _ in range(count):
        arrays, settings = _drawn(rng, operation, special)
        try:
            yield applied(operation, arrays, settings)
        except IndexError:  # an input is left out that cannot be
            assert len(arrays) < len(operation.axes[0])


def applied(operation: Operation, arrays: list[Array], settings: dict[str, Any]) -> Example:
    """The operation on these matrices."""
    with np.errstate(all="ignore"):
        return Example(operation, arrays, settings, operation.forward(*arrays, **settings))


def _drawn(
    rng: np.random.Generator, operation: Operation, special: tuple[float, ...]
) -> tuple[list[Array], dict[str, Any]]:
    axes = _axes(rng, operation)
    if operation.example.get("share") == "row":  # what a row has in common is beside it
        axes = [("n", "1") if at and pair in ((ANY, ANY), ("r", "c")) else pair for at, pair in enumerate(axes)]
    chosen = any(isinstance(setting, tuple) for setting in operation.example.values())
    axes = [tuple(f"{name}{at}" if name == ANY else name for name in pair) for at, pair in enumerate(axes)]
    axes = [tuple(str(rng.choice(name.split("|"))) if "|" in name else name for name in pair) for pair in axes]
    names = dict.fromkeys(name for pair in axes for name in pair)
    sizes = {
        name: int(name) if name.isdigit() else CHOSEN_FROM if chosen else int(rng.integers(1, 5)) for name in names
    }
    arrays = [_numbers(rng, operation.domain, (sizes[a], sizes[b]), special) for a, b in axes]
    settings = dict(operation.example)
    if "parts" in settings:  # these name the optional inputs
        required = len(operation.axes[0]) - len(settings["parts"].split())
        settings["parts"] = " ".join(settings["parts"].split()[: len(arrays) - required])
    return arrays, settings


def _numbers(
    rng: np.random.Generator, domain: tuple[float, float], shape: tuple[int, int], special: tuple[float, ...]
) -> Array:
    """Any numbers, round ones, of which some are equal, and special ones."""
    any_numbers, round_ones = rng.uniform(*domain, shape), np.clip(rng.integers(-2, 3, shape), *domain)
    numbers = np.where(rng.random(shape) < 0.3, round_ones, any_numbers)
    if special:
        numbers = np.where(rng.random(shape) < 0.4, rng.choice(special, shape), numbers)
    numbers.flags.writeable = False  # an operation that changes its inputs raises a ValueError
    return numbers


def _axes(rng: np.random.Generator, operation: Operation) -> list[tuple[str, str]]:
    """The axes of as many inputs as the operation takes: trailing ones are left out, or the last one repeated."""
    axes, _ = operation.axes
    if "…" in operation.shapes:
        return axes + axes[-1:] * int(rng.integers(3))
    written = operation.forward
    if inspect.ismethod(written):  # it follows from the cells, which say what may be left out
        written = operation.cell or operation.code or operation.formula
    kinds = [one.kind for name, one in inspect.signature(written).parameters.items() if name not in ("i", "j")]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return axes
    return axes[: rng.integers(kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD), len(axes) + 1)]


def written_out(node: Expression, at: dict[LoopVariable, int] | None = None) -> Expression:
    """An operation's own expression of one cell without its loops."""
    at = at or {}
    if isinstance(node, Cell):
        return Cell(node.operand, _number(node.row, at), _number(node.column, at))
    if isinstance(node, Number):
        return Number(_number(node.value, at))
    return with_parts(node, [one for part in parts(node) for one in _looped(part, at)])


def _looped(node: Expression, at: dict[LoopVariable, int]) -> list[Expression]:
    if not isinstance(node, Loop):
        return [written_out(node, at)]
    return [
        one
        for number in node.variable.numbers
        for item in node.items
        for one in _looped(item, {**at, node.variable: number})
    ]


def _number(index: Any, at: dict[LoopVariable, int]) -> Any:
    constant, factors = linear(index)
    return constant + sum(factor * at[variable] for variable, factor in factors.items())


def agree(operation: Operation, arrays: list[Array], settings: dict[str, Any]) -> Array:
    """The result; an AssertionError where the cells say something else than the whole, or it has another shape."""
    return agreeing(applied(operation, arrays, settings)).whole


def agreeing(example: Example) -> Example:
    """The example; an AssertionError where the cells say something else than the whole, or it has another shape."""
    assert example.whole.shape == example.operation.result_shape(example.shapes, example.settings)
    assert example.whole.dtype == np.float64
    np.testing.assert_allclose(example.by_cells(), example.whole, rtol=1e-12, atol=1e-12)
    return example
