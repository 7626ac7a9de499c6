"""A span: neighbouring columns, or rows, of a matrix that an operation reads alone."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Expression, Named, Number

Span = tuple[int, int]
"""The first, from 0, and the one behind the last."""


def take_columns(x: Expression, span: Span) -> Expression:
    return Call("columns", (x, *map(Number, span)))


def name_span(axis: str, span: Span) -> Named:
    """How people are told which ones: `, columns 2 to 3`, or `, column 2`."""
    first, last = span[0] + 1, span[1]
    return Named(f", {axis} {last}" if first == last else f", {axis}s {first} to {last}")


def with_span(expression: Expression, axis: str, span: Span) -> Expression:
    return Call("words", (expression, name_span(axis, span)))
