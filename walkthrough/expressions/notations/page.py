"""Folded expressions as lists for JSON, which a live page calculates with."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression, IndexMap
from walkthrough.expressions.tree.walk import parts


def page_data(node: Expression) -> Any:
    """A number as itself; an address as `["@", operand, row, column]`; any other node after its sign or its name."""
    return _RULES[type(node)](node)


def _number(number: float) -> Any:
    if math.isfinite(number):
        return int(number) if float(number).is_integer() and abs(number) < 2**53 else number
    return ["nan" if math.isnan(number) else "inf" if number > 0 else "-inf"]


def _address(address: IndexMap) -> Any:
    """Constant, per row, per column, per index of each loop around; what follows the last that counts is left out."""
    numbers = list(address)
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return [*map(_number, numbers)] if len(numbers) > 1 else _number(numbers[0])


def _behind(sign: str) -> Callable[[Expression], Any]:
    return lambda node: [sign, *map(page_data, parts(node))]


_RULES: dict[type[Expression], Callable[..., Any]] = {
    nodes.Number: lambda node: _number(node.value),
    nodes.IndexValue: lambda node: ["~", _address(node.value)],
    nodes.Entry: lambda node: ["@", node.operand, _address(node.row), _address(node.column)],
    nodes.Repeated: lambda node: ["…", node.count, *map(page_data, node.items)],
    nodes.Sum: _behind("+"),
    nodes.Difference: _behind("-"),
    nodes.Product: _behind("*"),
    nodes.Quotient: _behind("/"),
    nodes.Negative: _behind("neg"),
    nodes.Power: _behind("^"),
    nodes.Where: _behind("?"),
    nodes.Call: lambda node: [node.function, *map(page_data, node.arguments)],
}
