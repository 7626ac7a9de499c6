"""Worked lines as mathematics that may break between its terms."""

from __future__ import annotations

import re

from walkthrough.explaining.worked import CellName, Worked
from walkthrough.expressions.notations.latex import latex_number, latex_symbol, to_inline_latex
from walkthrough.views.latex.tex import formula, tex

_NUMBER = re.compile(r"−?([0-9]+([.,][0-9]+)?|∞)(×10\^\(?−?[0-9]+\)?)?")


def worked_line(line: Worked) -> str:
    """The name of the cell, its arithmetic, its result."""
    parts = [_cell(line.name)]
    if line.expression is not None:
        in_latex = line.writer.convert(number, lambda label: rf"\text{{{tex(label)}}}")
        parts.append(to_inline_latex(line.expression, in_latex))
    elif isinstance(line.arithmetic, CellName):
        parts.append(_cell(line.arithmetic))
    return f"${' = '.join([*parts, number(line.result)])}$"


def number(text: str) -> str:
    """A number of a line; anything else is a word."""
    return latex_number(text) if _NUMBER.fullmatch(text) else rf"\text{{{tex(text)}}}"


def _cell(name: CellName) -> str:
    """`S[chai, is]`."""
    labels = ", ".join(rf"\text{{{tex(label)}}}" for label in name.labels)
    return f"{formula(latex_symbol(name.symbol))}[{labels}]"
