"""What formulas in words are made of: several operands in a row, and a span of neighbouring columns or rows."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number, Operand, phrase

Span = tuple[int, int]
"""The first, from 0, and the one behind the last."""


def listed(operands: range) -> list[Expression]:
    """`A, B, C`."""
    return [part for at in operands for part in ([Named(", ")] if at > operands[0] else []) + [Operand(at)]]


def first_to_last(count: int) -> list[Expression]:
    """`A`, `A, B`, or `A, …, F`."""
    return [Operand(0)] if count == 1 else [Operand(0), Named(", " if count == 2 else ", …, "), Operand(count - 1)]


def slice_columns(x: Expression, span: Span) -> Expression:
    """The columns, as a program takes them."""
    return Call("columns", (x, *map(Number, span)))


def of_columns(expression: Expression, span: Span) -> Expression:
    """`…, columns 2 to 3`."""
    first, last = span[0] + 1, span[1]
    return Call("words", (expression, phrase("column" if first == last else "columns", first=first, last=last)))


def of_rows(expression: Expression, span: Span) -> Expression:
    """`…, rows 2 to 3`."""
    first, last = span[0] + 1, span[1]
    return Call("words", (expression, phrase("row" if first == last else "rows", first=first, last=last)))
