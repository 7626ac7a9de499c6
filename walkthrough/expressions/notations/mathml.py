"""Writes an expression as presentation MathML: the elements between `<math>` and `</math>`, side by side.

Only elements of MathML Core, which browsers draw without any script.
"""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise

from walkthrough.expressions.notations.precedence import TWO_DIMENSIONAL
from walkthrough.expressions.notations.writing import LEAVES, Form, Notation, Writer
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Expression

_PLUS, _MINUS, _TEN = "<mo>+</mo>", "<mo>−</mo>", "<mo>×</mo><msup><mn>10</mn>"
_BETWEEN = 'form="infix" lspace=".22em" rspace=".22em"'
"""Of an operator at the beginning of a line, which would be a sign by its place."""
_TAG = re.compile("</?[a-z]+[^>]*>")
_SYMBOL = re.compile(r"(?P<base>[^_'²]+)(?P<square>²?)(?:_(?P<index>[^']+))?(?P<prime>'*)")


def to_mathml(expression: Expression, writer: Writer) -> str:
    """`expression` as elements; the leaves of `writer` are elements too."""
    return _MATHML.write(expression, writer)


def mathml_symbol(symbol: str) -> str:
    """A symbol such as `W_Q`, `σ²_1` or `S'` as one element."""
    match = _SYMBOL.fullmatch(symbol)
    if match is None:
        return _letters(symbol)
    above, base = "<mn>2</mn>" if match["square"] else "", _letters(match["base"])
    if match["index"]:
        name = "msubsup" if above else "msub"
        base = f"<{name}>{base}{_letters(match['index'])}{above}</{name}>"
    elif above:
        base = _superscript(base, above)
    return _one(base + "<mo>′</mo>" * len(match["prime"]))  # as a superscript it would be raised twice


def mathml_number(text: str) -> str:
    """A number as it is typeset in a line, such as `−1.25×10^(−4)`."""
    mantissa, _, exponent = text.partition("×10^")
    sign, digits = (_MINUS, mantissa[1:]) if mantissa.startswith("−") else ("", mantissa)
    written = f"{sign}<mn>{escape(digits)}</mn>"
    return f"{written}{_TEN}{_one(mathml_number(exponent.strip('()')))}</msup>" if exponent else written


def mathml_text(words: str) -> str:
    """Words whose blanks at either end are kept visible."""
    return f"<mtext>{escape(words.replace(' ', chr(0xA0)))}</mtext>"


def break_at_signs(elements: str) -> list[str]:
    """The elements in pieces, each but the first beginning with the + or − between two terms."""
    starts, depth = [0], 0
    for tag in _TAG.finditer(elements):
        if depth == 0 and tag.start() and elements.startswith((_PLUS, _MINUS), tag.start()):
            starts.append(tag.start())
        depth += -1 if tag[0].startswith("</") else 1
    pieces = [elements[start:end] for start, end in pairwise([*starts, len(elements)])]
    return [_signed(pieces[0]), *(piece.replace("<mo>", f"<mo {_BETWEEN}>", 1) for piece in pieces[1:])]


def _signed(elements: str) -> str:
    """The elements, of which a minus at the beginning is a sign and stands between no two terms."""
    return elements.replace("<mo>", '<mo form="prefix">', 1) if elements.startswith(_MINUS) else elements


def _letters(word: str) -> str:
    return f"<mn>{word}</mn>" if word.isdigit() else f"<mi>{escape(word)}</mi>"


def _one(elements: str) -> str:
    """The elements as one: those of MathML that take a certain number of elements count them."""
    depth = 0
    for tag in re.finditer("</?", elements):
        depth += -1 if tag[0] == "</" else 1
        if depth == 0 and ">" in elements[tag.start() : -1]:
            return f"<mrow>{elements}</mrow>"
    return elements


def _bracket(elements: str) -> str:
    return f"<mrow><mo>(</mo>{_signed(elements)}<mo>)</mo></mrow>"


_NAMES = {"log": "<mi>ln</mi>", "join": ""}


def _superscript(base: str, exponent: str) -> str:
    """An index and an exponent stand above one another."""
    base, exponent = _one(base), _one(exponent)
    if base.startswith("<msub>"):
        return f"<msubsup>{base.removeprefix('<msub>').removesuffix('</msub>')}{exponent}</msubsup>"
    return f"<msup>{base}{exponent}</msup>"


_SIGNS = {"Sum": _PLUS, "Difference": _MINUS, "Product": "<mo>×</mo>", "matrices": "<mo>·</mo>"}
_SIGNS |= {"times": "<mo>⊙</mo>", "equal": "<mo>=</mo>", "unequal": "<mo>≠</mo>"}
_FORMS: dict[str, Form] = {
    "Where": lambda node, parts: parts[1] + mathml_text(parts[3]) + parts[0] + mathml_text(parts[4]) + parts[2],
    "Negative": lambda node, parts: _MINUS + parts[0],
    "Quotient": lambda node, parts: f"<mfrac>{_one(parts[0])}{_one(parts[1])}</mfrac>",
    "Power": lambda node, parts: _superscript(*parts),
    "exp": lambda node, parts: _superscript("<mi>e</mi>", parts[0]),
    "sqrt": lambda node, parts: f"<msqrt>{parts[0]}</msqrt>",
    "sum": lambda node, parts: f"<mo>∑</mo>{parts[0]}",
    "Transposed": lambda node, parts: _superscript(parts[0], '<mi mathvariant="normal">T</mi>'),
}
_MATHML = Notation(
    TWO_DIMENSIONAL,
    _SIGNS,
    _FORMS,
    leaves=LEAVES | {nodes.Named: lambda node, writer: mathml_symbol(node.name)},
    bracketed=_bracket,
    minus=_MINUS,
    power=_TEN,
    function=lambda name: _NAMES.get(name, f"<mi>{escape(name)}</mi>"),
    comma="<mo>,</mo>",
    words=mathml_text,
)
