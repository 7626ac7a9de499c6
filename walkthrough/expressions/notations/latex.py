"""Writes an expression as LaTeX mathematics, in the subset that GitHub, VS Code, Jupyter, MkDocs and Quarto share.

That subset has no `*`, no bare `<` or `|`, no `\\,` and no `\\operatorname`.
"""

from __future__ import annotations

import re

from walkthrough.expressions.notations.precedence import INLINE, TWO_DIMENSIONAL
from walkthrough.expressions.notations.writing import LEAVES, Form, Notation, Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression

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
    return _LATEX.write(expression, writer)


def to_inline_latex(expression: Expression, writer: Writer) -> str:
    """`expression` as LaTeX for a line of text, which may break between its terms and arguments."""
    return _INLINE.write(expression, writer)


def latex_symbol(symbol: str) -> str:
    """A symbol such as `W_Q`, `σ²` or `d_model` as LaTeX; words of several letters are upright."""
    base, _, index = symbol.partition("_")
    return _letters(base) + (f"_{{{_letters(index)}}}" if index else "")


def latex_number(text: str) -> str:
    """A number as it is typeset in a line, such as `−1.25×10^(−4)`."""
    mantissa, _, exponent = text.partition("×10^")
    written = mantissa.replace("−", "-").replace("∞", r"\infty").replace(",", "{,}")
    return rf"{written}\times 10^{{{latex_number(exponent.strip('()'))}}}" if exponent else written


def _letters(word: str) -> str:
    upright = re.sub(
        r"[A-Za-zÀ-ſ]{2,}(?: [A-Za-zÀ-ſ]+)*", lambda match: rf"\mathrm{{{match[0].replace(' ', '~')}}}", word
    )
    return "".join(_CHARACTERS.get(character, character) for character in upright.strip().replace(" ", "~")).strip()


_NAMES = {
    "log": r"\ln",
    "sin": r"\sin",
    "cos": r"\cos",
    "tanh": r"\tanh",
    "max": r"\max",
    "round": r"\mathrm{round}",
    "join": "",
}


def _bracket(text: str) -> str:
    return rf"\left({text}\right)"


_IN_TEXT = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "_%#&{}"},
        "$": r"\textdollar{}",
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        "*": "∗",
        "`": r"\textasciigrave{}",
    }
)
"""Words may hold a label of the scenario, which is data."""


def _words(text: str) -> str:
    return rf"\text{{{text.translate(_IN_TEXT)}}}"


def _function(name: str) -> str:
    return _NAMES.get(name, rf"\mathrm{{{name.replace(' ', '~')}}}")


_SIGNS = {"Sum": " + ", "Difference": " - ", "Product": r" \times ", "matrices": r" \cdot ", "times": r" \odot "}
_SIGNS |= {"equal": " = ", "unequal": r" \neq "}
_INLINE_SIGNS = _SIGNS | {"Product": r"\times ", "matrices": r"\cdot ", "Quotient": " / "}
_FORMS: dict[str, Form] = {
    "Where": lambda node, parts: rf"{parts[1]} \text{{{parts[3]}}} {parts[0]}\text{{{parts[4]}}} {parts[2]}",
    "Negative": lambda node, parts: f"-{parts[0]}",
    "Quotient": lambda node, parts: rf"\frac{{{parts[0]}}}{{{parts[1]}}}",
    "Power": lambda node, parts: f"{parts[0]}^{{{parts[1]}}}",
    "exp": lambda node, parts: f"e^{{{parts[0]}}}",
    "sqrt": lambda node, parts: rf"\sqrt{{{parts[0]}}}",
    "sum": lambda node, parts: rf"\sum {parts[0]}",
    "Transposed": lambda node, parts: rf"{parts[0]}^{{\top}}",
}
_LEAVES = LEAVES | {nodes.Named: lambda node, writer: latex_symbol(node.name)}
_LATEX = Notation(
    TWO_DIMENSIONAL, _SIGNS, _FORMS, _LEAVES, _bracket, minus="-", power=r"\times", function=_function, words=_words
)

_LONGEST_ROOT = 100
"""Signs under a roof, which cannot break."""


def _inline_root(node: Expression, parts: list[str]) -> str:
    return rf"\sqrt{{{parts[0]}}}" if len(parts[0]) <= _LONGEST_ROOT else rf"\surd({parts[0]})"


_INLINE = Notation(
    INLINE,
    _INLINE_SIGNS,
    _FORMS | {"sqrt": _inline_root},
    _LEAVES,
    bracketed=lambda text: f"({text})",
    minus="-",
    power=r"\times",
    label=r"{:}\ ",
    function=_function,
    comma=r",\allowbreak ",
    words=_words,
)
