"""Random expressions on whose value a pocket calculator agrees: nothing in them hangs on the last bit of a number."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import assume
from hypothesis import strategies as st

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Expression

VALUES = [[eighths / 8 for eighths in (0, 8, -8, 3, -20, 64)], [1.25e5, -1.25e5, 1.25e-5, -1.25e-5, 16.0, -0.5]]
"""What the cells hold; sums and products of these are exact."""


def value_of(cell: nodes.Cell) -> float:
    return VALUES[cell.row][cell.column]


_cells = st.builds(nodes.Cell, st.just(0), st.integers(0, 1), st.integers(0, 5))
_numbers = st.builds(nodes.Number, st.sampled_from([0.0, 1.0, 2.0, -3.0, 0.125, -0.5, 1e-9, -2.5e8]))
_exponents = st.sampled_from(
    [nodes.Number(2), nodes.Number(3), nodes.Number(0.5), nodes.Number(-2), nodes.Number(1) / nodes.Number(4)]
)


def _nodes(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(parts, min_size=1, max_size=3).map(tuple)
    leaves = st.one_of(_cells, _numbers)
    conditions = st.one_of(leaves, st.builds(nodes.Call, st.just("equal"), st.tuples(leaves, leaves)))
    functions = ("exp", "log", "sqrt", "sin", "cos", "tanh", "erf", "abs", "step")
    return st.one_of(
        st.builds(nodes.Sum, several),
        st.builds(nodes.Difference, parts, parts),
        st.builds(nodes.Product, several),
        st.builds(nodes.Quotient, parts, parts),
        st.builds(nodes.Negative, parts),
        st.builds(nodes.Power, parts, _exponents),
        st.builds(nodes.Call, st.sampled_from(functions), st.tuples(parts)),
        st.builds(nodes.Call, st.just("max"), several),
        st.builds(nodes.Where, conditions, parts, parts),
    )


def _within(expression: Expression) -> Iterator[Expression]:
    """The expression and all expressions in it."""
    yield expression
    for part in expression._parts():
        for inner in part if isinstance(part, tuple) else (part,):
            if isinstance(inner, Expression):
                yield from _within(inner)


@st.composite
def expressions(draw: st.DrawFn) -> Expression:
    """An expression in whose parts nothing is close to, but not, zero, nor large, nor undefined."""
    expression = draw(st.recursive(st.one_of(_cells, _numbers), _nodes, max_leaves=8))
    for part in _within(expression):
        size = abs(evaluate(part, value_of))
        assume(size == 0 or 1e-10 < size < 1e9)
        if isinstance(part, nodes.Call):
            assume(all(abs(evaluate(argument, value_of)) < 1e4 for argument in part.arguments))
    return expression
