"""The formula of a step as a sheet shows it: in the sheet's language, and with what its names stand for.

A sheet has no worked line, and therefore says how large d_k and ε are, and which words are the targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from walkthrough.explaining.formulas import formula_text
from walkthrough.expressions.tree.nodes import Call, Expression, Named
from walkthrough.expressions.tree.walk import parts
from walkthrough.languages.catalogue import Catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value
from walkthrough.text import escape_label

_WIDTHS = ("d_model", "r")
_SMALLEST = 1e-7


def formula(value: Value, words: Catalogue) -> str:
    """The formula of a step; empty for a given matrix."""
    return formula_text(value, words)


def stands_for(value: Value, words: Catalogue) -> str:
    """What the names in a step's formula stand for, `d_k = 16`; empty where all of them are matrices."""
    return "; ".join(_facts(value, words))


def _facts(value: Value, words: Catalogue) -> Iterator[str]:
    operation, expression = value.operation, value.formula
    if operation is None or expression is None:
        return
    found, settings = list(_every_part(expression)), value.settings
    named = {part.name for part in found if isinstance(part, Named)}
    known = operation.names(*(given.shape for given in value.inputs), **settings) if operation.names else {}
    known |= {name: settings["width"] for name in _WIDTHS if name not in known and "width" in settings}
    for name in sorted(named & known.keys()):
        yield f"{name} = {words.number(_number(known[name]))}"
    if "pos" in named:
        yield words("positions")
        if "angle" in settings:
            yield words(f"waves_{settings['layout']}")
    if "j" in named:
        yield words("distances")
    if any(isinstance(part, Call) and part.function == "step" for part in found):
        yield words("step_function")
    if "targets" in settings:
        yield words("targets", targets=", ".join(_targets(value)))


def _every_part(expression: Expression) -> Iterator[Expression]:
    yield expression
    for part in parts(expression):
        yield from _every_part(part)


def _number(number: float) -> str:
    number = float(number)
    if not number or abs(number) >= _SMALLEST:
        return f"{Decimal(repr(number)):f}".removesuffix(".0")
    return typeset(repr(number))


def _targets(value: Value) -> Iterator[str]:
    """`I → learned`: the right word after each one that has a target."""
    targets = value.settings["targets"]
    several = targets if isinstance(targets[0], tuple) else [targets]
    for words, own in zip(value.inputs or [value], several, strict=False):
        for label, target in zip(words.rows, own, strict=True):
            if target is not None:
                yield f"{escape_label(label)} → {escape_label(words.columns[target])}"
