"""The affine forms of a whole matrix, read off its folded expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from walkthrough.expressions.bounds.affine import AffineArithmetic
from walkthrough.expressions.bounds.affine_functions import FUNCTIONS, power, where
from walkthrough.expressions.bounds.forms import FLOAT64, Forms, numbers
from walkthrough.expressions.fold.arrays import IndexGrid, contract
from walkthrough.expressions.fold.folding import Folded
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.aliases import Flags
from walkthrough.expressions.tree.looked_up import is_looked_up, is_with_sigmoid
from walkthrough.expressions.tree.nodes import Entry, Expression, Product, Repeated

LookUp = Callable[[Forms], Forms]
"""How what people look up may be rounded before it is used."""


def forms_of(
    pieces: Folded,
    shape: tuple[int, int],
    operands: Sequence[Forms],
    within: AffineArithmetic,
    look_up: LookUp | None = None,
    e: float = math.e,
) -> Forms:
    """The forms of all cells, from those of the operands: matrices of forms over the same symbols.

    look_up: None where nothing that people look up is rounded
    e:       what may have been taken for e, too
    """
    found = {name: np.empty(shape) for name in ("centre", "rest", "low", "high")}
    symbols = max((one.coefficients.shape[-1] for one in operands if one.coefficients is not None), default=0)
    coefficients = np.zeros((*shape, symbols))
    reader = _Reader(operands, within, look_up, math.log(e) if e > 0 else 1.0)
    for piece in pieces:
        at = tuple(slice(axis.start, axis.stop, axis.step) for axis in (piece.rows, piece.columns))
        with np.errstate(all="ignore"):
            part = reader.whole(
                piece.expression, IndexGrid(np.asarray(piece.rows)[:, None], np.asarray(piece.columns)[None, :])
            )
        for name, array in found.items():
            array[at] = getattr(part, name)
        if part.coefficients is not None:
            coefficients[at] = part.coefficients
    return Forms(**found, coefficients=coefficients if coefficients.any() else None)


class _Reader:
    """Reads nodes over a grid; every result broadcasts to the grid's axes."""

    def __init__(
        self, operands: Sequence[Forms], within: AffineArithmetic, look_up: LookUp | None, log_e: float
    ) -> None:
        self.operands = operands
        self.within = within
        self.look_up = look_up
        self.log_e = log_e

    def whole(self, node: Expression, grid: IndexGrid) -> Forms:
        """The number itself; one that is looked up whole is rounded like any other, by whoever asks."""
        if self.look_up is not None and isinstance(node, nodes.Quotient) and is_with_sigmoid(node):
            sigmoid = self.within.quotient(_constant(self, 1.0, grid), self.of(node.denominator, grid))
            return self.within.product(self.of(node.numerator, grid), self.look_up(sigmoid))
        return _RULES[type(node)](self, node, grid)

    def of(self, node: Expression, grid: IndexGrid) -> Forms:
        """A part of it."""
        found = self.whole(node, grid)
        return self.look_up(found) if self.look_up is not None and is_looked_up(node) else found

    def entry(self, node: Entry, grid: IndexGrid) -> Forms:
        return self.operands[node.operand][grid.address(node.row), grid.address(node.column)]

    def sum(self, node: nodes.Sum, grid: IndexGrid) -> Forms:
        parts = [self._loop(term, grid) if isinstance(term, Repeated) else self.of(term, grid) for term in node.terms]
        return self.within.add(parts) if parts else _constant(self, 0.0, grid)

    def _loop(self, loop: Repeated, grid: IndexGrid) -> Forms:
        """The sum of a loop's terms."""
        inner = grid.within(loop)
        return self.within.add([self._repeated(item, loop.count, inner) for item in loop.items])

    def _repeated(self, item: Expression, count: int, grid: IndexGrid) -> Forms:
        if isinstance(item, Product) and len(item.factors) == 2:
            x, y = (self.of(factor, grid) for factor in item.factors)
            return self.within.dot(x, y, count, lambda a, b: contract([a, b], count))
        return self.within.total(self._loop(item, grid) if isinstance(item, Repeated) else self.of(item, grid), count)

    def product(self, node: Product, grid: IndexGrid) -> Forms:
        result = self.of(node.factors[0], grid)
        for factor in node.factors[1:]:
            result = self.within.product(result, self.of(factor, grid))
        return result

    def difference(self, node: nodes.Difference, grid: IndexGrid) -> Forms:
        x = self.of(node.left, grid)
        found = self.within.subtract(x, self.of(node.right, grid))
        return self._known_to_be(0.0, _is_one_cell(node.left, node.right, grid) & np.isfinite(x.low + x.high), found)

    def power(self, node: nodes.Power, grid: IndexGrid) -> Forms:
        base, exponent = self.of(node.base, grid), self.of(node.exponent, grid)
        if exponent.centre.size == 1 and (exponent.is_constant or self.within.roundoff <= FLOAT64):
            return power(self.within, base, float(exponent.centre.flat[0]))
        return FUNCTIONS["exp"](self.within, self.within.product(exponent, FUNCTIONS["log"](self.within, base)))

    def call(self, node: nodes.Call, grid: IndexGrid) -> Forms:
        arguments = list(self._listed(node.arguments, grid))
        if node.function == "exp" and self.log_e != 1:
            exponent = numbers(np.array((1 + self.log_e) / 2), np.array(abs(1 - self.log_e) / 2))
            arguments = [self.within.product(arguments[0], exponent)]
        found = FUNCTIONS[node.function](self.within, *arguments)
        if node.function != "equal":
            return found
        left, right = node.arguments
        is_any = np.isneginf(arguments[0].low) & np.isposinf(arguments[0].high)
        return self._known_to_be(1.0, _is_one_cell(left, right, grid) & ~is_any, found)

    def _known_to_be(self, number: float, flags: Flags, found: Forms) -> Forms:
        """The forms, with this number where it is known to be the result."""
        if not flags.any():
            return found
        known, one = (self.within.constant(array) for array in (flags.astype(float), np.full(flags.shape, number)))
        return where(self.within, known, one, found)

    def _listed(self, items: Sequence[Expression], grid: IndexGrid) -> Iterator[Forms]:
        """The arguments one after another; those of a loop take turns."""
        for item in items:
            if not isinstance(item, Repeated):
                yield self.of(item, grid)
                continue
            together = list(self._listed(item.items, grid.within(item)))
            for at in range(item.count):
                yield from (_at(one, at) for one in together)


def _at(x: Forms, at: int) -> Forms:
    """The forms at one place of the last axis; an axis of length 1 means that all places are equal."""
    coefficients = x.coefficients
    if coefficients is not None:
        coefficients = coefficients[..., at if coefficients.shape[-2] > 1 else 0, :]
    at = at if x.centre.shape[-1] > 1 else 0
    return Forms(x.centre[..., at], coefficients, x.rest[..., at], x.low[..., at], x.high[..., at])


def _is_one_cell(left: Expression, right: Expression, grid: IndexGrid) -> Flags:
    """Where two parts read the same cell."""
    if not isinstance(left, Entry) or not isinstance(right, Entry) or left.operand != right.operand:
        return np.full((1,) * (2 + len(grid.counts)), False)
    is_row, is_column = (
        grid.address(one) == grid.address(other) for one, other in ((left.row, right.row), (left.column, right.column))
    )
    return np.asarray(is_row & is_column)


def _constant(reader: _Reader, number: float, grid: IndexGrid) -> Forms:
    return reader.within.constant(np.full((1,) * (2 + len(grid.counts)), float(number)))


_RULES: dict[type[Expression], Callable[..., Forms]] = {
    nodes.Number: lambda reader, node, grid: _constant(reader, node.value, grid),
    nodes.IndexValue: lambda reader, node, grid: reader.within.constant(
        np.asarray(grid.address(node.value), dtype=float)
    ),
    nodes.Entry: _Reader.entry,
    nodes.Sum: _Reader.sum,
    nodes.Difference: _Reader.difference,
    nodes.Product: _Reader.product,
    nodes.Quotient: lambda reader, node, grid: reader.within.quotient(
        reader.of(node.numerator, grid), reader.of(node.denominator, grid)
    ),
    nodes.Negative: lambda reader, node, grid: reader.within.negative(reader.of(node.argument, grid)),
    nodes.Power: _Reader.power,
    nodes.Call: _Reader.call,
    nodes.Where: lambda reader, node, grid: where(
        reader.within, *(reader.of(part, grid) for part in (node.condition, node.then, node.otherwise))
    ),
}
