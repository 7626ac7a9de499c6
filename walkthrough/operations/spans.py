"""A span: neighbouring columns, or rows, of a matrix that an operation reads alone."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number

Span = tuple[int, int]
"""The first, from 0, and the one behind the last."""


def take_columns(x: Expression, span: Span) -> Expression:
    return Call("columns", (x, *map(Number, span)))


def name_columns(span: Span) -> Named:
    """How people are told which ones."""
    first, last = span[0] + 1, span[1]
    return Named(f", column {last}" if first == last else f", columns {first} to {last}")


def name_rows(span: Span) -> Named:
    """How people are told which ones."""
    first, last = span[0] + 1, span[1]
    return Named(f", row {last}" if first == last else f", rows {first} to {last}")


def of_columns(expression: Expression, span: Span) -> Expression:
    return Call("words", (expression, name_columns(span)))


def of_rows(expression: Expression, span: Span) -> Expression:
    return Call("words", (expression, name_rows(span)))
