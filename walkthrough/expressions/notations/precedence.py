"""Which notation binds how tightly, and so where brackets are needed: one table for text, LaTeX and whatever comes."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Expression, Number, Where
from walkthrough.expressions.tree.walk import parts
from walkthrough.records import Record

Binding = int
"""How tightly a notation holds together what it joins."""

CHOICE, SUM, PRODUCT, POWER, ATOM = range(5)


class Rule(Record):
    """How tightly a construct binds itself; how tightly its first part and the others must, to need no brackets.

    leads: its first part comes before everything else, so that a minus sign needs no brackets there
    """

    own: Binding
    first: Binding
    rest: Binding
    leads: bool = True


RULES: dict[str, Rule] = {
    "Where": Rule(CHOICE, CHOICE, SUM),
    "equal": Rule(CHOICE, SUM, SUM),
    "unequal": Rule(CHOICE, SUM, SUM),
    "words": Rule(CHOICE, CHOICE, CHOICE),
    "Sum": Rule(SUM, SUM, PRODUCT),
    "Difference": Rule(SUM, SUM, PRODUCT),
    "Negative": Rule(SUM, PRODUCT, PRODUCT, leads=False),
    "Product": Rule(PRODUCT, PRODUCT, POWER),
    "times": Rule(PRODUCT, PRODUCT, POWER),
    "Quotient": Rule(PRODUCT, PRODUCT, POWER),
    "noted": Rule(PRODUCT, CHOICE, CHOICE),
    "Power": Rule(POWER, ATOM, ATOM, leads=False),
    "exp": Rule(POWER, ATOM, ATOM, leads=False),
    "sqrt": Rule(POWER, ATOM, ATOM, leads=False),
    "sum": Rule(POWER, ATOM, ATOM, leads=False),
    "Transposed": Rule(ATOM, ATOM, ATOM, leads=False),
    "function": Rule(ATOM, SUM, SUM),
}
"""By the kind of node, or the name of the function; all other functions are "function"."""

TWO_DIMENSIONAL: dict[str, Rule] = RULES | {
    "Quotient": Rule(POWER, CHOICE, CHOICE),
    "Power": Rule(POWER, ATOM, CHOICE, leads=False),
    "exp": Rule(POWER, CHOICE, CHOICE),
    "sqrt": Rule(ATOM, CHOICE, CHOICE),
}
"""Where a fraction has a line, a root a roof, and an exponent is raised: those need no brackets."""
INLINE: dict[str, Rule] = TWO_DIMENSIONAL | {"Quotient": RULES["Quotient"]}
"""The same on a line of text, where a fraction has no line."""


def construct(node: Expression) -> str:
    """The row of the table that a node goes by."""
    if isinstance(node, Call):
        return node.function if node.function in RULES else "function"
    return type(node).__name__


def parts_of(node: Expression) -> tuple[Expression, ...]:
    """The parts of a node as they are written: a condition is always a comparison."""
    if isinstance(node, Where):
        is_comparison = isinstance(node.condition, Call) and node.condition.function == "equal"
        condition = node.condition if is_comparison else Call("unequal", (node.condition, Number(0)))
        return condition, node.then, node.otherwise
    return parts(node)


def needs_brackets(rules: dict[str, Rule], name: str, at: int, binding: Binding, is_negative: bool) -> bool:
    """Whether the part at a position of a construct needs brackets.

    binding, is_negative: of the part as written; a term after the first may begin with a minus sign, which takes the
    place of the plus.
    """
    rule = rules[name]
    needed = rule.rest if at else rule.first
    if name == "Sum" and is_negative and binding >= SUM:
        return False
    if binding < needed:
        return True
    return is_negative and needed > SUM and not (at == 0 and rule.leads)
