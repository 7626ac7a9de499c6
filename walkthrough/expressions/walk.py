"""Walking through expressions: the parts of a node, a node with other parts, the cells it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from walkthrough.expressions import nodes
from walkthrough.expressions.nodes import Cell, Expression


def children(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node that are expressions themselves."""
    if isinstance(node, nodes.Sum):
        return node.terms
    if isinstance(node, nodes.Product):
        return node.factors
    if isinstance(node, nodes.Call):
        return node.arguments
    if isinstance(node, nodes.Difference):
        return node.left, node.right
    if isinstance(node, nodes.Quotient):
        return node.numerator, node.denominator
    if isinstance(node, nodes.Where):
        return node.condition, node.then, node.otherwise
    if isinstance(node, nodes.Negative | nodes.Transposed):
        return (node.argument,)
    return (node.base,) if isinstance(node, nodes.Power) else ()


def with_children(node: Expression, parts: Sequence[Expression]) -> Expression:
    """The same kind of node with other parts."""
    if isinstance(node, nodes.Sum | nodes.Product):
        return type(node)(tuple(parts))
    if isinstance(node, nodes.Call):
        return nodes.Call(node.function, tuple(parts))
    if isinstance(node, nodes.Power):
        return nodes.Power(parts[0], node.exponent)
    return type(node)(*parts) if parts else node


def cells(expression: Expression) -> Iterator[Cell]:
    """The cells that an expression reads, in the order written; one that stands several times comes several times."""
    if isinstance(expression, Cell):
        yield expression
    for child in children(expression):
        yield from cells(child)
