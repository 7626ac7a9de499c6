"""A span: neighbouring columns, or rows, of a matrix that an operation reads alone."""

from __future__ import annotations

from walkthrough.expressions.tree.nodes import Call, Expression, Number, Phrase, phrase

Span = tuple[int, int]
"""The first, from 0, and the one behind the last."""


def take_columns(x: Expression, span: Span) -> Expression:
    return Call("columns", (x, *map(Number, span)))


def name_columns(span: Span) -> Phrase:
    """How people are told which ones."""
    first, last = span[0] + 1, span[1]
    return phrase("column" if first == last else "columns", first=first, last=last)


def name_rows(span: Span) -> Phrase:
    """How people are told which ones."""
    first, last = span[0] + 1, span[1]
    return phrase("row" if first == last else "rows", first=first, last=last)


def of_columns(expression: Expression, span: Span) -> Expression:
    return Call("words", (expression, name_columns(span)))


def of_rows(expression: Expression, span: Span) -> Expression:
    return Call("words", (expression, name_rows(span)))
