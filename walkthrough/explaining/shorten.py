"""A long sum, shortened: its largest terms in their order, and the rest as one number that adds up."""

from __future__ import annotations

from walkthrough.expressions.evaluate import Values, evaluate
from walkthrough.expressions.nodes import Call, Expression, Named, Number, Quotient, Sum


def shortened(expression: Expression, cell: Values, most: int) -> Expression:
    """The expression with every sum of more than `most` terms shortened; the rest is a number of its own."""
    if isinstance(expression, Quotient):
        return Quotient(shortened(expression.numerator, cell, most), shortened(expression.denominator, cell, most))
    if not isinstance(expression, Sum) or len(expression.terms) <= most:
        return expression
    sizes = [abs(evaluate(term, cell)) for term in expression.terms]
    kept = sorted(sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)[: most - 1])
    rest = Sum(tuple(term for at, term in enumerate(expression.terms) if at not in set(kept)))
    label = Named(f" [{len(rest.terms)} smaller terms]")
    return Sum((*(expression.terms[at] for at in kept), Call("noted", (Number(evaluate(rest, cell)), label))))
