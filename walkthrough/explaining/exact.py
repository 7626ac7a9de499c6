"""A number without rounding: fractions worked out, e^…, √… and other functions left as they are.

1/3 rather than 0.333; a softmax as e^a / (e^a + e^b + e^c).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from walkthrough.explaining.choices import chosen_cell
from walkthrough.explaining.worked import cell_name
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Call, Cell, Expression, Named, Number, Power, Product, Quotient, Sum
from walkthrough.expressions.tree.walk import parts, with_parts
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.notation import typeset
from walkthrough.recording.cells import CellAt
from walkthrough.recording.values import Value

MOST_PARTS = 60
"""A number within that takes more parts to write is named instead."""


def exact_text(cell: CellAt) -> str:
    """The number of a cell as a fraction, or as an expression of fractions, e^… and √…, down to the given numbers."""
    expression = _Exact().of(cell.value, cell.row, cell.column, asked_for=True)
    return to_text(_as_quotients(expression), Writer(number=_constant, label=_constant, phrase=ENGLISH.phrase))


def _constant(number: float) -> str:
    return typeset(str(number).removesuffix(".0"))


def _as_quotients(node: Expression) -> Expression:
    """Fractions as quotients of whole numbers, so that they get their brackets."""
    if isinstance(node, Number):
        fraction = _fraction(node)
        if fraction is None or fraction.denominator == 1:
            return node
        quotient = Quotient(Number(abs(fraction.numerator)), Number(fraction.denominator))
        return nodes.Negative(quotient) if fraction < 0 else quotient
    return with_parts(node, list(map(_as_quotients, parts(node))))


class _Exact:
    """Puts given numbers into expressions and works out what is rational."""

    def __init__(self) -> None:
        self.known: dict[CellAt, Expression] = {}

    def of(self, value: Value, row: int, column: int, asked_for: bool = False) -> Expression:
        """The exact expression of a cell; its name where that is too long."""
        key = CellAt(value, row, column)
        if key not in self.known:
            if value.operation is None or value.digits is not None or value.format is not None:
                self.known[key] = _number(float(value.array[row, column]))
            else:
                found = self._simple(chosen_cell(value, row, column), value)
                is_short = asked_for or _size(found) <= MOST_PARTS
                self.known[key] = found if is_short else Named(cell_name(value, row, column))
        return self.known[key]

    def _simple(self, node: Expression, value: Value) -> Expression:
        if isinstance(node, Cell):
            return self.of(value.inputs[node.operand], node.row, node.column)
        if isinstance(node, Number):
            return _number(node.value)
        if isinstance(node, Power):
            exponent = evaluate(node.exponent, lambda cell: math.nan)
            return _power(Power(self._simple(node.base, value), _number(exponent)))
        simplified = with_parts(node, [self._simple(child, value) for child in parts(node)])
        rule = _RULES.get(type(node))
        return rule(simplified) if rule else simplified


def _size(node: Expression) -> int:
    return 1 + sum(map(_size, parts(node)))


def _number(number: float) -> Number:
    """A number as the fraction that its decimals say; −∞ and unknown ones as they are."""
    return Number(Fraction(repr(number)) if math.isfinite(number) else number)  # type: ignore[arg-type]


def _rational(fraction: Fraction | int) -> Number:
    return Number(Fraction(fraction))  # type: ignore[arg-type]


def _fraction(node: Expression) -> Fraction | None:
    return node.value if isinstance(node, Number) and isinstance(node.value, Fraction) else None


def _split(terms: tuple[Expression, ...]) -> tuple[list[Fraction], list[Expression]]:
    """The rational ones, and the others."""
    rational = [fraction for term in terms if (fraction := _fraction(term)) is not None]
    return rational, [term for term in terms if _fraction(term) is None]


def _sum(node: Sum) -> Expression:
    nested = [part.terms if isinstance(part, Sum) else (part,) for part in node.terms]
    rational, rest = _split(tuple(term for terms in nested for term in terms))
    total = sum(rational, Fraction())
    parts = [*rest, *([_rational(total)] if total or not rest else [])]
    return parts[0] if len(parts) == 1 else Sum(tuple(parts))


def _product(node: Product) -> Expression:
    rational, rest = _split(node.factors)
    factor = math.prod(rational, start=Fraction(1))
    if not rest or factor == 0:
        return _rational(factor)
    parts = [*([_rational(factor)] if factor != 1 else []), *rest]
    return parts[0] if len(parts) == 1 else Product(tuple(parts))


def _difference(node: nodes.Difference) -> Expression:
    left, right = _fraction(node.left), _fraction(node.right)
    if left is not None and right is not None:
        return _rational(left - right)
    if node.left == node.right:
        return _rational(0)
    return node.left if right == 0 else _negative(nodes.Negative(node.right)) if left == 0 else node


def _negative(node: nodes.Negative) -> Expression:
    fraction = _fraction(node.argument)
    return _rational(-fraction) if fraction is not None else node


def _quotient(node: Quotient) -> Expression:
    top, bottom = _fraction(node.numerator), _fraction(node.denominator)
    if top is not None and bottom:
        return _rational(top / bottom)
    if bottom == 1:
        return node.numerator
    if top == 0 or node.numerator == node.denominator:
        return _rational(0 if top == 0 else 1)
    if isinstance(node.denominator, Sum) and all(term == node.numerator for term in node.denominator.terms):
        return _rational(Fraction(1, len(node.denominator.terms)))  # a row of equal scores
    return node


def _power(node: Power) -> Expression:
    base, exponent = _fraction(node.base), _fraction(node.exponent)
    if exponent == 0:
        return _rational(1)
    if exponent == 1:
        return node.base
    if base is not None and exponent is not None and exponent.denominator == 1 and 0 < exponent <= 64:
        return _rational(base ** int(exponent))
    if exponent == Fraction(1, 2) and base is not None and (root := _root(base)) is not None:
        return _rational(root)
    return node


def _call(node: Call) -> Expression:
    fractions = [_fraction(argument) for argument in node.arguments]
    if fractions == [0] and node.function in _AT_ZERO:
        return _rational(_AT_ZERO[node.function])
    if node.function == "sqrt" and fractions[0] is not None and (root := _root(fractions[0])) is not None:
        return _rational(root)
    if node.function == "max" and None not in fractions:
        return _rational(max(fraction for fraction in fractions if fraction is not None))
    return node


def _root(fraction: Fraction) -> Fraction | None:
    """The square root, where it is rational."""
    if fraction < 0:
        return None
    root = Fraction(math.isqrt(fraction.numerator), math.isqrt(fraction.denominator))
    return root if root * root == fraction else None


_AT_ZERO = {"exp": 1, "cos": 1, "sin": 0, "tanh": 0, "erf": 0, "sqrt": 0, "round": 0}
_RULES: dict[type[Expression], Callable[..., Expression]] = {
    Sum: _sum,
    Product: _product,
    nodes.Difference: _difference,
    nodes.Negative: _negative,
    Quotient: _quotient,
    Call: _call,
}
