"""The formula of a step, with the symbols of its inputs: the one writer that every view and file takes it from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.nodes import Expression
from walkthrough.languages.catalogue import ENGLISH, Catalogue
from walkthrough.notation import typeset
from walkthrough.recording.values import Value


def symbols_of(inputs: Sequence[Value]) -> list[str]:
    """The symbols of the inputs; one that several share is numbered."""
    shared = Counter(value.kind.symbol for value in inputs)
    return [
        with_number(value.kind.symbol, at) if shared[value.kind.symbol] > 1 else value.kind.symbol
        for at, value in enumerate(inputs, 1)
    ]


def with_number(symbol: str, number: int) -> str:
    """K_1 for K; a symbol with an index is extended there: K_R1 for K_R."""
    return f"{symbol}{number}" if "_" in symbol else f"{symbol}_{number}"


def formula_text(value: Value, words: Catalogue = ENGLISH) -> str:
    """`S = Q·Kᵀ`; empty for a given matrix."""
    return _write(value, words, to_text)


def formula_latex(value: Value, words: Catalogue = ENGLISH) -> str:
    """The formula as LaTeX; empty for a given matrix."""
    from walkthrough.expressions.notations.latex import latex_number, latex_symbol, to_latex  # wanted by documents only

    return _write(value, words, to_latex, latex_symbol, latex_number)


def formula_mathml(value: Value, words: Catalogue = ENGLISH) -> str:
    """The formula as elements of MathML; its symbol alone for a given matrix."""
    from walkthrough.expressions.notations.mathml import mathml_number, mathml_symbol, to_mathml  # wanted by pages only

    formula = _write(value, words, to_mathml, mathml_symbol, mathml_number, "<mo>=</mo>")
    return formula or mathml_symbol(value.kind.symbol)


def _write(
    value: Value,
    words: Catalogue,
    notation: Callable[[Expression, Writer], str],
    symbol: Callable[[str], str] = str,
    number: Callable[[str], str] = str,
    equals: str = " = ",
) -> str:
    """The formula in a notation, which has its own symbols and numbers; empty for a given matrix."""
    if (expression := value.formula) is None:
        return ""
    writer = formula_writer(list(map(symbol, symbols_of(value.inputs))), words, number)
    return symbol(value.kind.symbol) + equals + notation(expression, writer)


def formula_writer(symbols: Sequence[str], words: Catalogue, written: Callable[[str], str] = str) -> Writer:
    """How a formula is written: the symbols of its operands; `written` makes a number one of the notation."""
    return Writer(
        operand=symbols.__getitem__,
        number=lambda number: written(words.number(constant(number))),
        phrase=words.phrase,
        has_comma=words.has_comma,
    )


def constant(number: float) -> str:
    """A constant of an operation, in a formula."""
    return typeset(f"{number:.6g}")
