"""A computed step as an equation of matrices in brackets: its formula with the numbers in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from walkthrough.explaining.formulas import constant, formula_writer
from walkthrough.expressions.notations.precedence import construct
from walkthrough.expressions.notations.text import to_text
from walkthrough.expressions.tree import nodes
from walkthrough.expressions.tree.nodes import Call
from walkthrough.languages.catalogue import Catalogue, catalogue
from walkthrough.recording.trace import Trace
from walkthrough.recording.values import Value
from walkthrough.views.options import Options
from walkthrough.views.pictures.matrix import cell_width, heat_piece
from walkthrough.views.pictures.shapes import INK, SOFT, Line, Piece, Text, beside, stack, text_piece
from walkthrough.views.selection import check_size
from walkthrough.views.text.cells import cell_texts

_TYPE, _SIGN, _NOTE = 14.0, 18.0, 12.0
_GAP, _MARGIN = 9.0, 12.0
_ROW = 1.6
"""The height of a row, by the size of the digits."""
_ARITHMETIC = (nodes.Sum, nodes.Difference, nodes.Product, nodes.Quotient)
_PLACE = re.compile("([\ue000-\uf8ff]ᵀ?)")
"""Where an operand stands in a formula: a character that nobody else uses, by its number."""
_FIRST_PLACE = 0xE000


def equations(trace: Trace, values: Sequence[Value], options: Options) -> Piece:
    """The equations of some computed steps, one below the other."""
    check_size([one for value in values for one in (value, *value.inputs)], "a picture")
    return stack([_equation(trace, value, options.decimals) for value in values], 2 * _GAP).padded(_MARGIN)


def _equation(trace: Trace, value: Value, decimals: int | None) -> Piece:
    words = catalogue(trace.language)
    title = text_piece(words.title(value.kind), _TYPE, bold=True, symbols=True)
    pieces = []
    for part in filter(None, map(str.strip, _PLACE.split(_formula(value, words)))):
        if _PLACE.fullmatch(part):
            operand = value.inputs[ord(part[0]) - _FIRST_PLACE]
            pieces.append(_matrix(trace, operand, decimals, "T" if len(part) > 1 else ""))
        else:
            pieces.append(text_piece(part, _SIGN, symbols=True))
    line = beside([*pieces, text_piece("=", _SIGN), _matrix(trace, value, decimals, "")], _GAP)
    notes = [text_piece(note, _NOTE, SOFT, symbols=True) for note in _constants(value, words)]
    return stack([title, line, *notes], 4)


def _formula(value: Value, words: Catalogue) -> str:
    """The right side of the formula, a place for each operand; what is no arithmetic as a function of its operands."""
    expression, operation = value.formula, value.operation
    assert expression is not None
    assert operation is not None
    places = [chr(_FIRST_PLACE + at) for at in range(len(value.inputs))]
    writer = formula_writer(places, words)
    if isinstance(expression, _ARITHMETIC) or construct(expression) == "times":
        return to_text(expression, writer)
    if isinstance(expression, Call) and expression.function not in _IN_WORDS:
        arguments = words.separator.join(to_text(one, writer) for one in expression.arguments)
        return f"{expression.function}({arguments})"
    return f"{operation.name}({', '.join(places)})"


_IN_WORDS = ("words", "noted", "join")


def _constants(value: Value, words: Catalogue) -> Iterator[str]:
    """What the names in a formula stand for: d_k = 2."""
    return (f"{name} = {words.number(constant(number))}" for name, number in value.constants.items())


def _matrix(trace: Trace, value: Value, decimals: int | None, exponent: str) -> Piece:
    """A matrix in brackets over its symbol and shape."""
    texts = cell_texts(trace, value, decimals)
    heat = heat_piece(value, (cell_width(texts, _TYPE), _ROW * _TYPE), texts, _TYPE, is_framed=False)
    held = beside([_bracket(heat.height, 1), heat, _bracket(heat.height, -1)], 2)
    if exponent:
        raised = Text((held.width + 2, 0.55 * _SIGN), exponent, 0.75 * _SIGN)
        held = Piece(held.width + 0.75 * _SIGN, held.height, (*held.shapes, raised))
    rows, columns = value.shape
    shape = text_piece(f"{rows}×{columns}", 0.8 * _NOTE, SOFT)
    below = beside([text_piece(value.kind.symbol, _NOTE, symbols=True), shape], 5)
    blank = Piece(0, below.height, ())  # so that the middle of the matrix is the middle of the line
    return stack([blank, held, below], 3, centred=True)


def _bracket(height: float, side: int) -> Piece:
    """[ or ], as high as a matrix."""
    back, front = (1.0, 6.0) if side > 0 else (6.0, 1.0)
    return Piece(7, height, (Line(((front, 0.5), (back, 0.5), (back, height - 0.5), (front, height - 0.5)), INK, 1.5),))
