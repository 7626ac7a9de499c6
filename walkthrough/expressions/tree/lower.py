"""One number of a matrix formula: `Q·Kᵀ / √d_k` at row i and column j as a sum of products, divided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Cell, Expression, Number, Product, Sum, loop, maximum, total
from walkthrough.expressions.tree.walk import is_matrix, parts, with_parts

Shape = tuple[int, int]


def lower(
    formula: Expression,
    place: tuple[Any, Any],
    shapes: Sequence[Shape],
    repeated: Sequence[tuple[bool, bool]],
    names: Mapping[str, float],
) -> Expression:
    """The number of `formula` at a row and a column, which may stand for many.

    shapes:   of its operands, n×m
    repeated: whether an operand has one row, or one column, that stands for all
    names:    the numbers that its names stand for
    """
    return _Lowering(shapes, repeated, names).at(formula, *place)


class _Lowering:
    """Lowers the parts of one formula, each at its own place."""

    def __init__(
        self, shapes: Sequence[Shape], repeated: Sequence[tuple[bool, bool]], names: Mapping[str, float]
    ) -> None:
        self.shapes = shapes
        self.repeated = repeated
        self.names = names

    def at(self, node: Expression, i: Any, j: Any) -> Expression:
        """The number of a node at a place of the whole."""
        kind = node.function if isinstance(node, nodes.Call) else type(node)
        return _RULES[kind](self, node, i, j) if kind in _RULES else self.by_cell(node, i, j)

    def by_cell(self, node: Expression, i: Any, j: Any) -> Expression:
        """What is calculated element by element."""
        if isinstance(node, nodes.Call) and node.function not in nodes.FUNCTIONS:
            raise LookupError(f"no number follows from the function {node.function!r}: the operation needs a cell")
        return with_parts(node, [self.at(part, i, j) for part in parts(node)])

    def operand(self, node: nodes.Operand, i: Any, j: Any) -> Expression:
        has_one_row, has_one_column = self.repeated[node.index]
        return Cell(node.index, 0 if has_one_row else i, 0 if has_one_column else j)

    def sum(self, node: Sum, i: Any, j: Any) -> Expression:
        parts = [self.at(term, i, j) for term in node.terms]
        return Sum(tuple(term for part in parts for term in (part.terms if isinstance(part, Sum) else (part,))))

    def difference(self, node: nodes.Difference, i: Any, j: Any) -> Expression:
        """A name less a number is one number: d − 1."""
        left, right = self.at(node.left, i, j), self.at(node.right, i, j)
        if isinstance(node.left, nodes.Named) and isinstance(left, Number) and isinstance(right, Number):
            return Number(left.value - right.value)
        return left - right

    def product(self, node: Product, i: Any, j: Any) -> Expression:
        """A product of two matrices, or of numbers."""
        if sum(map(is_matrix, node.factors)) < 2:
            return self.by_cell(node, i, j)
        left, right = node.factors
        return total(loop(self.shape(left)[1], lambda k: self.at(left, i, k) * self.at(right, k, j)))

    def row(self, node: nodes.Call, i: Any) -> Iterator[Expression]:
        """The numbers of a row of what a function is of."""
        (x,) = node.arguments
        return loop(self.shape(x)[1], lambda k: self.at(x, i, k))

    def column(self, node: nodes.Call, j: Any) -> Iterator[Expression]:
        (x,) = node.arguments
        return loop(self.shape(x)[0], lambda k: self.at(x, k, j))

    def maximum(self, node: nodes.Call, i: Any, j: Any) -> Expression:
        """The largest of all, where one of them is the largest of some."""
        parts = [self.at(part, i, j) for part in node.arguments]
        nested = [
            part.arguments if isinstance(part, nodes.Call) and part.function == "max" else (part,) for part in parts
        ]
        return maximum(argument for arguments in nested for argument in arguments)

    def columns(self, node: nodes.Call, i: Any, j: Any) -> Expression:
        """A part of the columns of a matrix."""
        x, first, _ = node.arguments
        assert isinstance(first, Number)
        return self.at(x, i, j + int(first.value))

    def shape(self, node: Expression) -> Shape:
        """Rows and columns of a part of the formula; a number has one of each."""
        if isinstance(node, nodes.Operand):
            return self.shapes[node.index]
        shapes = [self.shape(part) for part in parts(node)]
        if isinstance(node, nodes.Call) and node.function == "columns":
            _, first, last = node.arguments
            assert isinstance(first, Number)
            assert isinstance(last, Number)
            return shapes[0][0], int(last.value - first.value)
        if isinstance(node, nodes.Transposed):
            return shapes[0][1], shapes[0][0]
        if isinstance(node, Product) and sum(map(is_matrix, node.factors)) > 1:
            return shapes[0][0], shapes[1][1]
        return max((rows for rows, _ in shapes), default=1), max((columns for _, columns in shapes), default=1)


_RULES: dict[Any, Callable[[_Lowering, Any, Any, Any], Expression]] = {
    nodes.Operand: _Lowering.operand,
    nodes.Named: lambda within, node, i, j: Number(within.names[node.name]),
    nodes.Transposed: lambda within, node, i, j: within.at(node.argument, j, i),
    nodes.Sum: _Lowering.sum,
    nodes.Difference: _Lowering.difference,
    nodes.Product: _Lowering.product,
    "times": lambda within, node, i, j: Product(tuple(within.at(part, i, j) for part in node.arguments)),
    "sum": lambda within, node, i, j: total(within.row(node, i)),
    "colsum": lambda within, node, i, j: total(within.column(node, j)),
    "max": _Lowering.maximum,
    "columns": _Lowering.columns,
    "rowmax": lambda within, node, i, j: maximum(within.row(node, i)),
}
