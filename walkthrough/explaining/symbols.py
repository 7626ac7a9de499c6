"""The symbols of a step's inputs, as its formula and its worked lines write them; and their words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from walkthrough.expressions.notations.precedence import parts_of
from walkthrough.expressions.tree.nodes import Call, Expression, Named, Where
from walkthrough.expressions.tree.walk import children, with_children
from walkthrough.languages.catalogue import Catalogue
from walkthrough.recording.values import Value

_FUNCTIONS = {"rowmax": "row max"}
"""Functions whose names are words."""


def symbols_of(inputs: Sequence[Value]) -> list[str]:
    """The symbols of the inputs; one that several share is numbered."""
    shared = Counter(value.kind.symbol for value in inputs)
    return [
        _with_number(value.kind.symbol, at) if shared[value.kind.symbol] > 1 else value.kind.symbol
        for at, value in enumerate(inputs, 1)
    ]


def _with_number(symbol: str, number: int) -> str:
    """K_1 for K; a symbol with an index is extended there: K_R1 for K_R."""
    return f"{symbol}{number}" if "_" in symbol else f"{symbol}_{number}"


def phrases_in(expression: Expression, words: Catalogue) -> Expression:
    """An expression with its words in a language; symbols stay."""
    if not words.phrases.texts:
        return expression
    if isinstance(expression, Named):
        return Named(words.phrases(expression.name))
    if isinstance(expression, Where):
        condition, then, otherwise = (phrases_in(part, words) for part in parts_of(expression))
        between, behind = Named(words.phrases(" where ")), Named(words.phrases(", else "))
        return Call("words", (then, between, condition, behind, otherwise))
    if isinstance(expression, Call) and expression.function in _FUNCTIONS:
        expression = Call(words.phrases(_FUNCTIONS[expression.function]), expression.arguments)
    return with_children(expression, [phrases_in(part, words) for part in children(expression)])
