"""Random inputs for any operation, from what its definition says; and the comparison of its two arithmetics."""

from __future__ import annotations

import inspect
import math
from typing import Any

import hypothesis.extra.numpy as arrays_of
import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.indices import Axis, linear
from walkthrough.expressions.tree.nodes import Cell, Expression, Loop, Number, Power
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.operations import Array, Operation
from walkthrough.operations.definition import ANY

CHOSEN_FROM = 3
"""How many rows and columns there are where the example's settings choose among them, such as `indices`."""

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, -math.inf, math.nan)
"""Hidden scores, unknown numbers, ties and both zeros."""

Inputs = tuple[list[Array], dict[str, Any]]


@st.composite
def inputs(draw: st.DrawFn, operation: Operation, special: tuple[float, ...] = ()) -> Inputs:
    """Matrices that fit the operation's `shapes`, of numbers from its domain or special ones, and its settings."""
    axes = _axes(draw, operation)
    if operation.example.get("share") == "row":  # what a row has in common is beside it
        axes = [("n", "1") if at and pair in ((ANY, ANY), ("r", "c")) else pair for at, pair in enumerate(axes)]
    chosen = any(isinstance(setting, tuple) for setting in operation.example.values())
    lengths = st.just(CHOSEN_FROM) if chosen else st.integers(1, 4)
    axes = [tuple(f"{name}{at}" if name == ANY else name for name in pair) for at, pair in enumerate(axes)]
    sizes = {name: int(name) if name.isdigit() else draw(lengths) for pair in axes for name in pair}
    numbers: st.SearchStrategy[float] = st.floats(*operation.domain)
    if special:
        numbers = st.one_of(numbers, st.sampled_from(special))
    arrays = [draw(arrays_of.arrays(np.float64, (sizes[a], sizes[b]), elements=numbers)) for a, b in axes]
    for array in arrays:
        array.flags.writeable = False  # an operation that changes its inputs raises a ValueError
    settings = dict(operation.example)
    if "parts" in settings:  # these name the optional inputs
        required = len(operation.axes[0]) - len(settings["parts"].split())
        settings["parts"] = " ".join(settings["parts"].split()[: len(arrays) - required])
    return arrays, settings


def _axes(draw: st.DrawFn, operation: Operation) -> list[tuple[str, str]]:
    """The axes of as many inputs as the operation takes: trailing ones are left out, or the last one repeated."""
    axes, _ = operation.axes
    if "…" in operation.shapes:
        return axes + axes[-1:] * draw(st.integers(0, 2))
    written = operation.forward
    if inspect.ismethod(written):  # it follows from the cells, which say what may be left out
        written = operation.cell or operation.code or operation.formula
    kinds = [one.kind for name, one in inspect.signature(written).parameters.items() if name not in ("i", "j")]
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        return axes
    return axes[: draw(st.integers(kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD), len(axes)))]


def forward(operation: Operation, arrays: list[Array], settings: dict[str, Any]) -> Array:
    """The result as numpy computes it; an example with inputs left out that cannot be, is none."""
    try:
        with np.errstate(all="ignore"):
            return operation.forward(*arrays, **settings)
    except IndexError:
        if len(arrays) < len(operation.axes[0]):
            reject()
        raise


def by_cells(operation: Operation, arrays: list[Array], settings: dict[str, Any], shape: tuple[int, int]) -> Array:
    """The result number by number, each from its own expression."""

    def number(i: int, j: int) -> float:
        expression = written_out(operation.expression(i, j, [array.shape for array in arrays], settings))
        return evaluate(expression, lambda cell: float(arrays[cell.operand][cell.row, cell.column]))

    return np.array([[number(i, j) for j in range(shape[1])] for i in range(shape[0])]).reshape(shape)


def written_out(node: Expression, at: dict[Axis, int] | None = None) -> Expression:
    """An operation's own expression of one cell without its loops."""
    at = at or {}
    if isinstance(node, Cell):
        return Cell(node.operand, _number(node.row, at), _number(node.column, at))
    if isinstance(node, Number):
        return Number(_number(node.value, at))
    if isinstance(node, Power):
        return Power(written_out(node.base, at), written_out(node.exponent, at))
    return with_children(node, [one for part in children(node) for one in _looped(part, at)])


def _looped(node: Expression, at: dict[Axis, int]) -> list[Expression]:
    if not isinstance(node, Loop):
        return [written_out(node, at)]
    return [
        one for number in node.axis.numbers for item in node.items for one in _looped(item, {**at, node.axis: number})
    ]


def _number(index: Any, at: dict[Axis, int]) -> Any:
    constant, factors = linear(index)
    return constant + sum(factor * at[axis] for axis, factor in factors.items())


def agree(operation: Operation, arrays: list[Array], settings: dict[str, Any]) -> Array:
    """The result; an AssertionError where the cells say something else than the whole, or it has another shape."""
    result = forward(operation, arrays, settings)
    assert result.shape == operation.result_shape([array.shape for array in arrays], settings)
    assert result.dtype == np.float64
    cells = by_cells(operation, arrays, settings, result.shape)
    np.testing.assert_allclose(cells, result, rtol=1e-12, atol=1e-12)
    return result
