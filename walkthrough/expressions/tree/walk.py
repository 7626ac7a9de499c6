"""Walking through expressions: the parts of a node, a node with other parts, the cells it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter, is_
from typing import Any

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Cell, Expression


def parts(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node that are expressions themselves, in order."""
    read = _PARTS.get(type(node))
    return () if read is None else read(node)


_PARTS: dict[type[Expression], Callable[[Any], tuple[Expression, ...]]] = {
    nodes.Sum: attrgetter("terms"),
    nodes.Product: attrgetter("factors"),
    nodes.Call: attrgetter("arguments"),
    nodes.Repeated: attrgetter("items"),
    nodes.Loop: attrgetter("items"),
    nodes.Difference: attrgetter("left", "right"),
    nodes.Quotient: attrgetter("numerator", "denominator"),
    nodes.Power: attrgetter("base", "exponent"),
    nodes.Where: attrgetter("condition", "then", "otherwise"),
    nodes.Negative: lambda node: (node.argument,),
    nodes.Transposed: lambda node: (node.argument,),
}


def with_parts(node: Expression, others: Sequence[Expression]) -> Expression:
    """The same kind of node with other parts; the node itself where they are its own: what is shared stays shared."""
    own = parts(node)
    if len(own) == len(others) and all(map(is_, own, others)):
        return node
    if isinstance(node, nodes.Sum | nodes.Product):
        return type(node)(tuple(others))
    if isinstance(node, nodes.Call):
        return nodes.Call(node.function, tuple(others))
    if isinstance(node, nodes.Repeated):
        return nodes.Repeated(tuple(others), node.count)
    if isinstance(node, nodes.Loop):
        return nodes.Loop(node.variable, tuple(others))
    return type(node)(*others)


def is_matrix(node: Expression) -> bool:
    """Whether a part of a formula stands for a matrix rather than a number."""
    return isinstance(node, nodes.Operand | nodes.Transposed) or any(map(is_matrix, parts(node)))


def cell_by_cell(formula: Expression) -> Expression:
    """A formula of numbers, written over matrices: what were products of numbers are taken cell by cell."""
    inner = [cell_by_cell(part) for part in parts(formula)]
    if isinstance(formula, nodes.Product) and sum(map(is_matrix, inner)) > 1:
        return nodes.Call("times", tuple(inner))
    return with_parts(formula, inner)


def cells(expression: Expression) -> Iterator[Cell]:
    """The cells that an expression reads, in the order written, each as often as it is read."""
    if isinstance(expression, Cell):
        yield expression
    for part in parts(expression):
        yield from cells(part)
