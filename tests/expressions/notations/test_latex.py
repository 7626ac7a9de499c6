"""LaTeX says the same arithmetic as the text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from tests.calculator import calculated
from tests.examples import some
from tests.expressions.drawing import expressions, value_of
from walkthrough.expressions.notations.latex import latex_symbol, to_latex
from walkthrough.expressions.notations.text import Writer
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import (
    Call,
    Expression,
    Named,
    Number,
    Operand,
    Power,
    Product,
    Sum,
    Transposed,
    exp,
    sqrt,
    square,
)
from walkthrough.languages.catalogue import ENGLISH

_SIGNS = {
    r"\left(": "(",
    r"\right)": ")",
    r"\times": "×",
    r"\neq": "≠",
    r"\ln": "ln",
    r"\sin": "sin",
    r"\cos": "cos",
    r"\tanh": "tanh",
    r"\max": "max",
    "-": "−",
}


def digits(number: float) -> str:
    mantissa, _, exponent = f"{number:.9g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa


def plain(latex: str) -> str:
    """LaTeX as a line for the calculator; groups from the inside out."""
    for sign, text in _SIGNS.items():
        latex = latex.replace(sign, text)
    latex = re.sub(r"\\text\{(.*?)\}", r"\1", latex)
    group = r"\{([^{}]*)\}"
    while "{" in latex:
        before = latex
        latex = re.sub(rf"\\mathrm{group}", r"\1", latex)
        latex = re.sub(rf"\\frac{group}{group}", r"((\1) / (\2))", latex)
        latex = re.sub(rf"\\sqrt{group}", r"(√(\1))", latex)
        latex = re.sub(rf"\^{group}", r"^(\1)", latex)
        assert latex != before, latex
    return latex


@settings(max_examples=some(8, 100), deadline=None)
@given(expressions())
def test_a_pocket_calculator_gets_the_same(expression: Expression) -> None:
    latex = to_latex(expression, Writer(cell=lambda cell: digits(value_of(cell)), number=digits, phrase=ENGLISH.phrase))
    assert calculated(plain(latex)) == pytest.approx(evaluate(expression, value_of), rel=1e-6, abs=1e-9), latex


A, B, C = map(Operand, range(3))


@pytest.mark.parametrize(
    ("expression", "latex"),
    [
        (Product((A, Transposed(B))), r"A \cdot B^{\top}"),
        (Sum((Product((A, B)), C)), r"A \cdot B + C"),
        (A / sqrt(Named("d_k")), r"\frac{A}{\sqrt{d_{k}}}"),
        (Call("sum", (square(A),)) / (Named("d") - Number(1)), r"\frac{\sum \left(A^{2}\right)}{d - 1}"),
        (Call("times", (A, B)) + C, r"A \odot B + C"),
        (A - Call("rowmax", (A,)), r"A - \mathrm{row~max}\left(A\right)"),
        (Call("join", (A, B)), r"\left(A, B\right)"),
        (Call("LayerNorm", (A,)), r"\mathrm{LayerNorm}\left(A\right)"),
        (Call("words", (A, Named(" for each position"))), r"A\text{ for each position}"),
        (square(exp(-A)), r"\left(e^{-A}\right)^{2}"),
        (Power(A + B, Named("i") / Number(2)), r"\left(A + B\right)^{\frac{i}{2}}"),
        (A - (B - C), r"A - \left(B - C\right)"),
        (Sum((A, -B)), "A - B"),
    ],
    ids=str,
)
def test_formulas_are_typeset(expression: Expression, latex: str) -> None:
    assert to_latex(expression, Writer(operand="ABC".__getitem__, phrase=ENGLISH.phrase)) == latex


@pytest.mark.parametrize(
    ("symbol", "latex"),
    [
        ("Q", "Q"),
        ("W_Q", "W_{Q}"),
        ("σ²", r"\sigma ^2"),
        ("μ", r"\mu"),
        ("d_model", r"d_{\mathrm{model}}"),
        ("PE", r"\mathrm{PE}"),
        ("S'", "S'"),
        ("row sum", r"\mathrm{row~sum}"),
    ],
)
def test_symbols_are_typeset(symbol: str, latex: str) -> None:
    assert latex_symbol(symbol) == latex
