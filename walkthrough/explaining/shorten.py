"""A long sum or maximum, shortened: its largest terms in their order, and the rest as one number that adds up.

Of many choices the best are left, and how many others there are.
"""

from __future__ import annotations

import math
from itertools import chain
from typing import TypeVar

from walkthrough.explaining.residue import result
from walkthrough.expressions.tree.evaluate import Values, evaluate
from walkthrough.expressions.tree.nodes import Call, Cell, Difference, Expression, Quotient, Sum, phrase

T = TypeVar("T")
Terms = tuple[Expression, ...]

REST = -1
"""The operand of a cell that stands for what a shortened sum leaves out: its row says which of the rests."""


def shorten(expression: Expression, cell: Values, most: int, rests: list[float]) -> Expression:
    """The expression with every sum of more than `most` terms shortened; what is left out is added to `rests`.

    Of a maximum with more, the largest numbers are kept, and the largest of the rest; of an arg-max the best choices.
    """
    if isinstance(expression, Quotient):
        numerator = shorten(expression.numerator, cell, most, rests)
        return Quotient(numerator, shorten(expression.denominator, cell, most, rests))
    if isinstance(expression, Difference) and _is_maximum(expression.right):
        return expression.left - shorten(expression.right, cell, most, rests)
    if isinstance(expression, Call) and _is_maximum(expression) and len(expression.arguments) > most:
        kept, left_out = _split(expression.arguments, _sizes(expression.arguments, cell), most)
        return Call("max", (*kept, _rest(Call("max", left_out), len(left_out), cell, rests)))
    if isinstance(expression, Call) and expression.function == "argmax" and len(expression.arguments) > 2 * most:
        choices = tuple(zip(expression.arguments[::2], expression.arguments[1::2], strict=True))
        best, others = _split(choices, _sizes(expression.arguments[1::2], cell), most)
        return _noted(Call("argmax", tuple(chain.from_iterable(best))), len(others))
    if isinstance(expression, Sum) and len(expression.terms) > most:
        kept, left_out = _split(expression.terms, list(map(abs, _numbers(expression.terms, cell))), most)
        return Sum((*kept, _rest(Sum(left_out), len(left_out), cell, rests)))
    return expression


def _is_maximum(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.function == "max"


def _numbers(terms: Terms, cell: Values) -> list[float]:
    return [evaluate(term, cell) for term in terms]


def _sizes(terms: Terms, cell: Values) -> list[float]:
    """Of each its number; an unknown one may be the largest."""
    return [math.inf if number != number else number for number in _numbers(terms, cell)]


def _split(terms: tuple[T, ...], sizes: list[float], most: int) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """The largest terms, one fewer than `most`, and the others; both in their order."""
    kept = set(sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True)[: most - 1])
    return tuple(terms[at] for at in sorted(kept)), tuple(term for at, term in enumerate(terms) if at not in kept)


def _rest(left_out: Expression, count: int, cell: Values, rests: list[float]) -> Expression:
    rests.append(result(left_out, cell))
    return _noted(Cell(REST, len(rests) - 1, 0), count)


def _noted(expression: Expression, count: int) -> Expression:
    """An expression, and behind it how many terms are left out."""
    return Call("noted", (expression, phrase("smaller_terms", count=count)))
