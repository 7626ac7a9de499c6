"""Walking through expressions: the parts of a node, a node with other parts, the cells it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import is_

from walkthrough.expressions import nodes
from walkthrough.expressions.nodes import Cell, Expression


def parts(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node that are expressions themselves, in order."""
    return (node.base, node.exponent) if isinstance(node, nodes.Power) else children(node)


def children(node: Expression) -> tuple[Expression, ...]:
    """The parts that may hold cells: an exponent is a constant."""
    if isinstance(node, nodes.Sum):
        return node.terms
    if isinstance(node, nodes.Product):
        return node.factors
    if isinstance(node, nodes.Call):
        return node.arguments
    if isinstance(node, nodes.Run):
        return node.items
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
    """The same kind of node with other parts; the node itself where they are its own: what is shared stays shared."""
    own = children(node)
    if len(own) == len(parts) and all(map(is_, own, parts)):
        return node
    if isinstance(node, nodes.Sum | nodes.Product):
        return type(node)(tuple(parts))
    if isinstance(node, nodes.Call):
        return nodes.Call(node.function, tuple(parts))
    if isinstance(node, nodes.Run):
        return nodes.Run(tuple(parts), node.count)
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
    """The cells that an expression reads, in the order written; one that stands several times comes several times."""
    if isinstance(expression, Cell):
        yield expression
    for child in children(expression):
        yield from cells(child)
