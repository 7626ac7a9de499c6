"""Walking through expressions: the parts of a node, a node with other parts, the cells it reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter, is_
from typing import Any

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Cell, Expression


def parts(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node that are expressions themselves, in order."""
    return (node.base, node.exponent) if isinstance(node, nodes.Power) else children(node)


def children(node: Expression) -> tuple[Expression, ...]:
    """The parts that may hold cells: an exponent is a constant."""
    read = _CHILDREN.get(type(node))
    return () if read is None else read(node)


_CHILDREN: dict[type[Expression], Callable[[Any], tuple[Expression, ...]]] = {
    nodes.Sum: attrgetter("terms"),
    nodes.Product: attrgetter("factors"),
    nodes.Call: attrgetter("arguments"),
    nodes.Repeated: attrgetter("items"),
    nodes.Loop: attrgetter("items"),
    nodes.Difference: attrgetter("left", "right"),
    nodes.Quotient: attrgetter("numerator", "denominator"),
    nodes.Where: attrgetter("condition", "then", "otherwise"),
    nodes.Negative: lambda node: (node.argument,),
    nodes.Transposed: lambda node: (node.argument,),
    nodes.Power: lambda node: (node.base,),
}


def with_children(node: Expression, parts: Sequence[Expression]) -> Expression:
    """The same kind of node with other parts; the node itself where they are its own: what is shared stays shared."""
    own = children(node)
    if len(own) == len(parts) and all(map(is_, own, parts)):
        return node
    if isinstance(node, nodes.Sum | nodes.Product):
        return type(node)(tuple(parts))
    if isinstance(node, nodes.Call):
        return nodes.Call(node.function, tuple(parts))
    if isinstance(node, nodes.Repeated):
        return nodes.Repeated(tuple(parts), node.count)
    if isinstance(node, nodes.Loop):
        return nodes.Loop(node.axis, tuple(parts))
    if isinstance(node, nodes.Power):
        return nodes.Power(parts[0], node.exponent)
    return type(node)(*parts)


def is_matrix(node: Expression) -> bool:
    """Whether a part of a formula stands for a matrix rather than a number."""
    return isinstance(node, nodes.Operand | nodes.Transposed) or any(map(is_matrix, parts(node)))


def cell_by_cell(formula: Expression) -> Expression:
    """A formula of numbers, written over matrices: what were products of numbers are taken cell by cell."""
    inner = [cell_by_cell(part) for part in children(formula)]
    if isinstance(formula, nodes.Product) and sum(map(is_matrix, inner)) > 1:
        return nodes.Call("times", tuple(inner))
    return with_children(formula, inner)


def cells(expression: Expression) -> Iterator[Cell]:
    """The cells that an expression reads, in the order written, each as often as it is read."""
    if isinstance(expression, Cell):
        yield expression
    for child in children(expression):
        yield from cells(child)
