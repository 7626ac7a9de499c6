"""Writes an expression as one line of text: `1.0415×(−0.1161) + 1.5403×1.4093`.

Brackets come from precedence alone, in one place; how a number or a cell is written is the caller's choice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from walkthrough.expressions import nodes
from walkthrough.expressions.nodes import Expression

_CHOICE, _SUM, _PRODUCT, _POWER, _ATOM = 0, 1, 2, 3, 4
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Writer(NamedTuple):
    """How the leaves are written: cells, constants, labels among which argmax chooses, operands of a formula."""

    cell: Callable[[nodes.Cell], str] = lambda cell: f"[{cell.row}, {cell.column}]"
    number: Callable[[float], str] = "{:g}".format
    label: Callable[[float], str] = "{:g}".format
    operand: Callable[[int], str] = lambda index: f"A{index}"


def to_text(expression: Expression, writer: Writer) -> str:
    """`expression` on one line."""
    return _write(expression, writer)[0]


def _write(expression: Expression, writer: Writer) -> tuple[str, int]:
    """The text and how tightly its outermost operator binds."""
    return _RULES[type(expression)](expression, writer)


def _at_least(expression: Expression, binding: int, writer: Writer) -> str:
    """The text, in brackets where it binds less than its surroundings ask, or begins with a minus sign."""
    text, own = _write(expression, writer)
    return f"({text})" if own < binding or text.startswith("−") else text


def _leaf(text: str) -> tuple[str, int]:
    return text, _PRODUCT if "×" in text else _ATOM  # 1.25×10^(−4) is a product too


def _sum(node: nodes.Sum, writer: Writer) -> tuple[str, int]:
    line = ""
    for term in node.terms:
        text, own = _write(term, writer)
        if own <= _SUM and not text.startswith("−"):
            text = f"({text})"
        if not line:
            line = text
        elif text.startswith("−"):
            line += f" − {text[1:]}"
        else:
            line += f" + {text}"
    return line or "0", _SUM


def _difference(node: nodes.Difference, writer: Writer) -> tuple[str, int]:
    left, own = _write(node.left, writer)
    return f"{left if own >= _SUM else f'({left})'} − {_at_least(node.right, _PRODUCT, writer)}", _SUM


def _product(node: nodes.Product, writer: Writer) -> tuple[str, int]:
    first, own = _write(node.factors[0], writer)
    first = first if own >= _PRODUCT else f"({first})"
    sign = "·" if any(isinstance(factor, _MATRICES) for factor in node.factors) else "×"
    return sign.join([first, *(_at_least(factor, _POWER, writer) for factor in node.factors[1:])]), _PRODUCT


def _quotient(node: nodes.Quotient, writer: Writer) -> tuple[str, int]:
    top, own = _write(node.numerator, writer)
    top = top if own >= _PRODUCT else f"({top})"
    return f"{top} / {_at_least(node.denominator, _POWER, writer)}", _PRODUCT


def _negative(node: nodes.Negative, writer: Writer) -> tuple[str, int]:
    return f"−{_at_least(node.argument, _PRODUCT, writer)}", _SUM


def _power(node: nodes.Power, writer: Writer) -> tuple[str, int]:
    base = _at_least(node.base, _ATOM, writer)
    exponent, own = _write(node.exponent, writer)
    if isinstance(node.exponent, nodes.Number) and exponent.isdigit():
        return base + exponent.translate(_SUPERSCRIPTS), _POWER
    return f"{base}^{exponent if own == _ATOM and not exponent.startswith('−') else f'({exponent})'}", _POWER


def _where(node: nodes.Where, writer: Writer) -> tuple[str, int]:
    condition, own = _write(node.condition, writer)
    if not _is_comparison(node.condition):
        condition = f"{condition if own >= _SUM else f'({condition})'} ≠ 0"
    then, otherwise = _argument(node.then, writer), _argument(node.otherwise, writer)
    return f"{then} where {condition}, else {otherwise}", _CHOICE


def _is_comparison(node: Expression) -> bool:
    return isinstance(node, nodes.Call) and node.function == "equal"


def _argument(node: Expression, writer: Writer) -> str:
    text, own = _write(node, writer)
    return text if own >= _SUM else f"({text})"


def _call(node: nodes.Call, writer: Writer) -> tuple[str, int]:
    if node.function in _PREFIX:
        return _PREFIX[node.function] + _at_least(node.arguments[0], _ATOM, writer), _POWER
    if node.function == "times":
        return " ⊙ ".join(_at_least(argument, _POWER, writer) for argument in node.arguments), _PRODUCT
    if node.function == "noted":
        return "".join(_write(argument, writer)[0] for argument in node.arguments), _PRODUCT
    if node.function == "words":
        return "".join(_write(argument, writer)[0] for argument in node.arguments), _SUM
    if node.function == "argmax" and len(node.arguments) > 1:
        labels = [writer.label(label.value) for label in node.arguments[::2] if isinstance(label, nodes.Number)]
        texts = [_write(argument, writer)[0] for argument in node.arguments[1::2]]
        return f"argmax({', '.join(map(': '.join, zip(labels, texts, strict=True)))})", _ATOM
    if node.function == "equal":
        return " = ".join(_at_least(argument, _SUM, writer) for argument in node.arguments), _CHOICE
    arguments = ", ".join(_argument(argument, writer) for argument in node.arguments)
    return f"{_NAMES.get(node.function, node.function)}({arguments})", _ATOM


_MATRICES = (nodes.Operand, nodes.Transposed)
_PREFIX = {"exp": "e^", "sqrt": "√", "sum": "Σ "}
_NAMES = {"log": "ln", "rowmax": "row max", "join": ""}

_RULES: dict[type[Expression], Callable[..., tuple[str, int]]] = {
    nodes.Number: lambda node, writer: _leaf(writer.number(node.value)),
    nodes.Cell: lambda node, writer: _leaf(writer.cell(node)),
    nodes.Operand: lambda node, writer: _leaf(writer.operand(node.index)),
    nodes.Transposed: lambda node, writer: (_at_least(node.argument, _ATOM, writer) + "ᵀ", _ATOM),
    nodes.Named: lambda node, writer: _leaf(node.name),
    nodes.Sum: _sum,
    nodes.Difference: _difference,
    nodes.Product: _product,
    nodes.Quotient: _quotient,
    nodes.Negative: _negative,
    nodes.Power: _power,
    nodes.Call: _call,
    nodes.Where: _where,
}
