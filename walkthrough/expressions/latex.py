"""Writes an expression as LaTeX mathematics, in the subset that GitHub, VS Code, Jupyter, MkDocs and Quarto share.

That subset has no `*`, no bare `<` or `|`, no `\\,` and no `\\operatorname`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from walkthrough.expressions import nodes
from walkthrough.expressions.nodes import Expression
from walkthrough.expressions.text import Writer

_CHOICE, _SUM, _PRODUCT, _POWER, _ATOM = 0, 1, 2, 3, 4
_CHARACTERS = {
    "μ": r"\mu ",
    "σ": r"\sigma ",
    "γ": r"\gamma ",
    "β": r"\beta ",
    "ε": r"\epsilon ",
    "∂": r"\partial ",
    "η": r"\eta ",
    "²": "^2",
    "−": "-",
    "∞": r"\infty ",
}


def to_latex(expression: Expression, writer: Writer) -> str:
    """`expression` as LaTeX, without the dollars around it."""
    return _write(expression, writer)[0]


def latex_symbol(symbol: str) -> str:
    """A symbol such as `W_Q`, `σ²` or `d_model` as LaTeX; words of several letters stand upright."""
    base, _, index = symbol.partition("_")
    return _letters(base) + (f"_{{{_letters(index)}}}" if index else "")


def _letters(word: str) -> str:
    upright = re.sub(r"[A-Za-z]{2,}(?: [A-Za-z]+)*", lambda match: rf"\mathrm{{{match[0].replace(' ', '~')}}}", word)
    return "".join(_CHARACTERS.get(character, character) for character in upright).strip()


def _write(expression: Expression, writer: Writer) -> tuple[str, int]:
    return _RULES[type(expression)](expression, writer)


def _at_least(expression: Expression, binding: int, writer: Writer) -> str:
    text, own = _write(expression, writer)
    return _bracketed(text) if own < binding or text.startswith("-") else text


def _leaf(text: str) -> tuple[str, int]:
    return text, _PRODUCT if r"\times" in text else _ATOM  # a power of ten is a product too


def _bracketed(text: str) -> str:
    return rf"\left({text}\right)"


def _sum(node: nodes.Sum, writer: Writer) -> tuple[str, int]:
    terms = [_argument(term, writer) for term in node.terms]
    return " + ".join(terms).replace("+ -", "- ") or "0", _SUM


def _difference(node: nodes.Difference, writer: Writer) -> tuple[str, int]:
    return f"{_argument(node.left, writer)} - {_at_least(node.right, _PRODUCT, writer)}", _SUM


def _product(node: nodes.Product, writer: Writer) -> tuple[str, int]:
    sign = r" \cdot " if any(isinstance(factor, _MATRICES) for factor in node.factors) else r" \times "
    return sign.join(_at_least(factor, _PRODUCT, writer) for factor in node.factors), _PRODUCT


def _quotient(node: nodes.Quotient, writer: Writer) -> tuple[str, int]:
    return rf"\frac{{{_write(node.numerator, writer)[0]}}}{{{_write(node.denominator, writer)[0]}}}", _POWER


def _power(node: nodes.Power, writer: Writer) -> tuple[str, int]:
    return f"{_at_least(node.base, _ATOM, writer)}^{{{_write(node.exponent, writer)[0]}}}", _POWER


def _where(node: nodes.Where, writer: Writer) -> tuple[str, int]:
    condition = _write(node.condition, writer)[0]
    if not (isinstance(node.condition, nodes.Call) and node.condition.function == "equal"):
        condition = rf"{_argument(node.condition, writer)} \neq 0"
    then, otherwise = _argument(node.then, writer), _argument(node.otherwise, writer)
    return rf"{then} \text{{ where }} {condition}\text{{, else }} {otherwise}", _CHOICE


def _argument(node: Expression, writer: Writer) -> str:
    text, own = _write(node, writer)
    return text if own >= _SUM else _bracketed(text)


def _call(node: nodes.Call, writer: Writer) -> tuple[str, int]:
    arguments = [_argument(argument, writer) for argument in node.arguments]
    if node.function == "exp":
        return f"e^{{{arguments[0]}}}", _POWER
    if node.function == "sqrt":
        return rf"\sqrt{{{arguments[0]}}}", _ATOM
    if node.function == "words":
        words = [
            rf"\text{{{part.name}}}" if isinstance(part, nodes.Named) else _write(part, writer)[0]
            for part in node.arguments
        ]
        return "".join(words), _SUM
    if node.function == "times":
        return r" \odot ".join(_at_least(argument, _POWER, writer) for argument in node.arguments), _PRODUCT
    if node.function == "equal":
        return " = ".join(_at_least(argument, _SUM, writer) for argument in node.arguments), _CHOICE
    return _NAMES.get(node.function, rf"\mathrm{{{node.function}}}") + _bracketed(", ".join(arguments)), _ATOM


_MATRICES = (nodes.Operand, nodes.Transposed)
_NAMES = {
    "log": r"\ln",
    "sin": r"\sin",
    "cos": r"\cos",
    "tanh": r"\tanh",
    "max": r"\max",
    "sum": r"\sum ",
    "rowmax": r"\mathrm{row~max}",
    "join": "",
}

_RULES: dict[type[Expression], Callable[..., tuple[str, int]]] = {
    nodes.Number: lambda node, writer: _leaf(writer.number(node.value)),
    nodes.Cell: lambda node, writer: _leaf(writer.cell(node)),
    nodes.Operand: lambda node, writer: (writer.operand(node.index), _ATOM),
    nodes.Transposed: lambda node, writer: (_at_least(node.argument, _ATOM, writer) + r"^{\top}", _ATOM),
    nodes.Named: lambda node, writer: (latex_symbol(node.name), _ATOM),
    nodes.Sum: _sum,
    nodes.Difference: _difference,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Negative: lambda node, writer: (f"-{_at_least(node.argument, _PRODUCT, writer)}", _SUM),
    nodes.Power: _power,
    nodes.Call: _call,
    nodes.Where: _where,
}
