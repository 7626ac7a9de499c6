"""A long sum, shortened: its largest terms in their order, and the rest as one number that adds up."""

from __future__ import annotations

from walkthrough.explaining.settled import result
from walkthrough.expressions.evaluate import Values, evaluate
from walkthrough.expressions.nodes import Call, Cell, Expression, Named, Quotient, Sum

REST = -1
"""The operand of a cell that stands for what a shortened sum leaves out: its row says which of the rests."""


def shortened(expression: Expression, cell: Values, most: int, rests: list[float]) -> Expression:
    """The expression with every sum of more than `most` terms shortened; what is left out is added to `rests`."""
    if isinstance(expression, Quotient):
        numerator = shortened(expression.numerator, cell, most, rests)
        return Quotient(numerator, shortened(expression.denominator, cell, most, rests))
    if not isinstance(expression, Sum) or len(expression.terms) <= most:
        return expression
    sizes = [abs(evaluate(term, cell)) for term in expression.terms]
    kept = sorted(sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)[: most - 1])
    left_out = tuple(term for at, term in enumerate(expression.terms) if at not in set(kept))
    rests.append(result(Sum(left_out), cell))
    label = Named(f" [{len(left_out)} smaller terms]")
    rest = Call("noted", (Cell(REST, len(rests) - 1, 0), label))
    return Sum((*(expression.terms[at] for at in kept), rest))
