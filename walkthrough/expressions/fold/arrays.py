"""Computes folded expressions with numpy, whole matrices at once.

`evaluate_pieces(pieces, shape, arrays)` is the matrix that the arrays of operands give. Terms are added one by one, as
the scripts of a page do, so that where `is_exact(pieces)` both give the same bits. Another reader of whole matrices,
such as the one of affine forms, takes its addresses from a `IndexGrid`: `grid.address(entry.row)` and
`grid.address(entry.column)` are arrays of whole numbers that broadcast against each other; their axes are the rows and
the columns of the piece, then the enclosing loops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from walkthrough.expressions.fold.folding import Folded
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.aliases import Array
from walkthrough.expressions.tree.nodes import Expression, IndexMap, Product, Repeated
from walkthrough.expressions.tree.walk import parts

_MOST = 1 << 22
"""Most numbers in an intermediate result; rows that would take more are computed in batches."""


class IndexGrid:
    """The cells that are computed together: their rows and columns, and the indices of the enclosing loops."""

    def __init__(self, rows: Any, columns: Any, *counts: int) -> None:
        self.cells = rows, columns
        self.counts = counts
        depth = len(counts)
        self.numbers = [axis.reshape(axis.shape + (1,) * depth) for axis in (rows, columns)]
        for at, count in enumerate(counts):
            self.numbers.append(np.arange(count).reshape((1, 1, *(1,) * at, count, *(1,) * (depth - 1 - at))))

    def within(self, loop: Repeated) -> IndexGrid:
        """The same cells, with one more axis."""
        return IndexGrid(*self.cells, *self.counts, loop.count)

    def address(self, index_map: IndexMap) -> Any:
        """The row or column an address means, for each cell and index; an axis it does not depend on has length 1."""
        result: Any = np.full((1,) * (2 + len(self.counts)), index_map[0])
        for factor, numbers in zip(index_map[1:], self.numbers, strict=False):
            if factor:
                result = result + factor * numbers
        return result


def evaluate_pieces(pieces: Folded, shape: tuple[int, int], arrays: Sequence[Array]) -> Array:
    """The whole matrix, from the arrays of its operands."""
    result = np.empty(shape)
    reader = _Numbers(arrays)
    for piece in pieces:
        columns = np.asarray(piece.columns)[None, :]
        batch = max(_MOST // (len(piece.columns) * _longest(piece.expression)), 1)
        for at in range(0, len(piece.rows), batch):
            rows = piece.rows[at : at + batch]
            numbers = reader.of(piece.expression, IndexGrid(np.asarray(rows)[:, None], columns))
            result[
                rows.start : rows.stop : rows.step, piece.columns.start : piece.columns.stop : piece.columns.step
            ] = numbers
    return result


def _longest(node: Expression) -> int:
    """How many numbers there are for each cell, at most."""
    inner = max((_longest(part) for part in parts(node)), default=1)
    return inner * node.count if isinstance(node, Repeated) else inner


def is_exact(pieces: Folded) -> bool:
    """Whether every program computes the same bits: what IEEE 754 leaves no choice in, sums in one order."""
    return not any(_has_choice(piece.expression) for piece in pieces)


def _has_choice(node: Expression) -> bool:
    if isinstance(node, Repeated) and any(isinstance(item, Repeated) for item in node.items):
        return True
    is_free = isinstance(node, nodes.Power) or (isinstance(node, nodes.Call) and node.function not in _EXACT)
    return is_free or any(map(_has_choice, parts(node)))


class _Numbers:
    """Computes nodes over a grid; every result broadcasts to the grid's axes."""

    def __init__(self, arrays: Sequence[Array]) -> None:
        self.arrays = arrays

    def of(self, node: Expression, grid: IndexGrid) -> Array:
        with np.errstate(all="ignore"):
            return _RULES[type(node)](self, node, grid)  # type: ignore[no-any-return]

    def entry(self, node: nodes.Entry, grid: IndexGrid) -> Array:
        numbers: Array = self.arrays[node.operand][grid.address(node.row), grid.address(node.column)]
        return numbers

    def sum(self, node: nodes.Sum, grid: IndexGrid) -> Array:
        """One term after another; a sum of products of two entries is one term."""
        result: Any = np.zeros((1,) * (2 + len(grid.counts)))
        for term in node.terms:
            if not isinstance(term, Repeated):
                result = result + self.of(term, grid)
                continue
            listed = self._listed((term,), grid)
            begin = 0.0 if _is_dot(term) else result
            added = np.concatenate([np.broadcast_to(begin, listed.shape[:-1])[..., None], listed], axis=-1)
            total = np.cumsum(added, axis=-1)[..., -1]
            result = result + total if _is_dot(term) else total
        return result  # type: ignore[no-any-return]

    def product(self, node: Product, grid: IndexGrid) -> Array:
        result = self.of(node.factors[0], grid)
        for factor in node.factors[1:]:
            result = result * self.of(factor, grid)
        return result

    def where(self, node: nodes.Where, grid: IndexGrid) -> Array:
        return np.where(self.of(node.condition, grid) != 0, self.of(node.then, grid), self.of(node.otherwise, grid))

    def call(self, node: nodes.Call, grid: IndexGrid) -> Array:
        if node.function in ("max", "argmax"):
            listed = self._listed(node.arguments, grid)
            return np.asarray(listed.max(axis=-1)) if node.function == "max" else _best(listed)
        return FUNCTIONS[node.function](*(self.of(argument, grid) for argument in node.arguments))  # type: ignore[no-any-return]

    def _listed(self, items: Sequence[Expression], grid: IndexGrid) -> Array:
        """The arguments one after another along a new last axis; those of a loop take turns."""
        found = []
        for item in items:
            if not isinstance(item, Repeated):
                found.append(self.of(item, grid)[..., None])
                continue
            inner = self._listed(item.items, grid.within(item))
            shape = (*inner.shape[:-2], item.count, inner.shape[-1])
            found.append(np.broadcast_to(inner, shape).reshape((*shape[:-2], shape[-2] * shape[-1])))
        shape = np.broadcast_shapes(*(one.shape[:-1] for one in found))
        return np.concatenate([np.broadcast_to(one, (*shape, one.shape[-1])) for one in found], axis=-1)


def _is_dot(loop: Repeated) -> bool:
    """Whether this is a sum of products of two entries."""
    (item,) = loop.items if len(loop.items) == 1 else (None,)
    return isinstance(item, Product) and [type(factor) for factor in item.factors] == [nodes.Entry] * 2


def contract(factors: list[Array], count: int) -> Array:
    """The sum of products along the last axis, with the axes kept that the factors have."""
    depth = factors[0].ndim
    moving = [[axis for axis in range(depth) if factor.shape[axis] > 1] for factor in factors]
    if depth - 1 not in {axis for axes in moving for axis in axes}:
        return math.prod(factor[..., 0] for factor in factors) * count  # type: ignore[return-value]
    kept = sorted({axis for axes in moving for axis in axes} - {depth - 1})
    operands: list[Any] = []
    for factor, axes in zip(factors, moving, strict=True):
        operands += [factor.reshape([factor.shape[axis] for axis in axes]), axes]
    result: Array = np.einsum(*operands, kept, optimize=len(factors) > 1)
    lengths = dict(zip(kept, result.shape, strict=True))
    return result.reshape([lengths.get(axis, 1) for axis in range(depth - 1)])


def _best(pairs: Array) -> Array:
    """The label before the first largest number; unknown where a number is."""
    labels, numbers = pairs[..., ::2], pairs[..., 1::2]
    at = numbers.argmax(axis=-1)[..., None]
    chosen = np.take_along_axis(labels, at, axis=-1)[..., 0]
    return np.where(np.isnan(numbers).any(axis=-1), np.nan, chosen)


def erf(x: Array) -> Array:
    """The error function; numpy has none, and Python's is exact to the last digit or two."""
    return np.array([math.erf(number) for number in x.ravel().tolist()]).reshape(x.shape)


def step(x: Array) -> Array:
    """1 above zero, else 0; unknown where it is unknown."""
    return np.where(np.isnan(x), np.nan, x > 0)


def nearest(x: Array) -> Array:
    """The nearest whole numbers, of two the even one; what float64 leaves of a half, as of 0.1 ÷ (0.6 ÷ 3), is one."""
    return np.asarray(np.rint(np.round(x, 12)) + 0.0)  # no −0


_EXACT = frozenset({"sqrt", "abs", "step", "equal", "max", "round"})
"""Functions that IEEE 754 rounds correctly, or that only choose; others are a library's."""
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": erf,
    "abs": np.abs,
    "round": nearest,
    "step": step,
    "equal": lambda left, right: (left == right).astype(np.float64),
    "max": _Numbers.call,
    "argmax": _Numbers.call,
}

_RULES: dict[type[Expression], Callable[..., Any]] = {
    nodes.Number: lambda reader, node, grid: np.full((1,) * (2 + len(grid.counts)), float(node.value)),
    nodes.IndexValue: lambda reader, node, grid: np.asarray(grid.address(node.value), dtype=np.float64),
    nodes.Entry: _Numbers.entry,
    nodes.Sum: _Numbers.sum,
    nodes.Difference: lambda reader, node, grid: reader.of(node.left, grid) - reader.of(node.right, grid),
    nodes.Product: _Numbers.product,
    nodes.Quotient: lambda reader, node, grid: reader.of(node.numerator, grid) / reader.of(node.denominator, grid),
    nodes.Negative: lambda reader, node, grid: -reader.of(node.argument, grid),
    nodes.Power: lambda reader, node, grid: np.power(reader.of(node.base, grid), reader.of(node.exponent, grid)),
    nodes.Call: _Numbers.call,
    nodes.Where: _Numbers.where,
}
