"""Writes an expression as one line of text: `1.0415×(−0.1161) + 1.5403×1.4093`.

How a number or a cell is written is the caller's choice.
"""

from __future__ import annotations

from walkthrough.expressions.notations.precedence import RULES
from walkthrough.expressions.notations.writing import LEAVES, Form, Notation, Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression

__all__ = ["Writer", "to_text"]

_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_NAMES = {"log": "ln", "join": ""}


def to_text(expression: Expression, writer: Writer) -> str:
    """`expression` on one line."""
    return _TEXT.write(expression, writer)


def _power(node: Expression, parts: list[str]) -> str:
    base, exponent = parts
    is_raised = isinstance(node, nodes.Power) and isinstance(node.exponent, nodes.Number) and exponent.isdigit()
    return base + exponent.translate(_SUPERSCRIPTS) if is_raised else f"{base}^{exponent}"


_SIGNS = {"Sum": " + ", "Difference": " − ", "Product": "×", "matrices": "·", "times": " ⊙ ", "Quotient": " / "}
_SIGNS |= {"equal": " = ", "unequal": " ≠ "}
_FORMS: dict[str, Form] = {
    "Where": lambda node, parts: f"{parts[1]}{parts[3]}{parts[0]}{parts[4]}{parts[2]}",
    "Negative": lambda node, parts: f"−{parts[0]}",
    "Power": _power,
    "exp": lambda node, parts: f"e^{parts[0]}",
    "sqrt": lambda node, parts: f"√{parts[0]}",
    "sum": lambda node, parts: f"Σ {parts[0]}",
    "Transposed": lambda node, parts: f"{parts[0]}ᵀ",
}
_TEXT = Notation(
    RULES,
    _SIGNS,
    _FORMS,
    leaves=LEAVES | {nodes.Named: lambda node, writer: node.name},
    bracketed=lambda text: f"({text})",
    minus="−",
    power="×",
    function=lambda name: _NAMES.get(name, name),
    words=str,
)
