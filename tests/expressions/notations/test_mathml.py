"""MathML says the same arithmetic as the text, in elements that are well formed."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from tests.calculator import calculated
from tests.examples import some
from tests.expressions.drawing import expressions, value_of
from tests.views.samples import bundled_trace
from walkthrough.explaining.formulas import formula_mathml
from walkthrough.expressions.notations.mathml import break_at_signs, mathml_number, mathml_symbol, to_mathml
from walkthrough.expressions.notations.text import Writer
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import Call, Expression, Number, Operand, Product, Sum, Transposed, sqrt
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.notation import typeset

TAKES = {"mfrac": 2, "msup": 2, "msub": 2, "msubsup": 3}


def line(element: ElementTree.Element) -> str:
    """An element as a line for the calculator."""
    inside = [line(child) for child in element]
    match element.tag:
        case "mfrac":
            return f"(({inside[0]}) / ({inside[1]}))"
        case "msup":
            return f"{inside[0]}^({inside[1]})"
        case "msqrt":
            return f"(√({''.join(inside)}))"
        case "mo" if element.text in ("=", "≠", "+", "−", "×"):
            return f" {element.text} " if element.text != "−" else "−"
        case "mo" if element.text == ",":
            return ", "
    return (element.text or "").replace("\xa0", " ") + "".join(inside)


def parsed(elements: str) -> ElementTree.Element:
    root = ElementTree.fromstring(f"<math>{elements}</math>")
    for element in root.iter():
        assert len(element) == TAKES.get(element.tag, len(element)), elements
    return root


def number(value: float) -> str:
    return mathml_number(typeset(f"{value:.9g}"))


@settings(max_examples=some(8, 100), deadline=None)
@given(expressions())
def test_a_pocket_calculator_gets_the_same(expression: Expression) -> None:
    mathml = to_mathml(
        expression, Writer(cell=lambda cell: number(value_of(cell)), number=number, phrase=ENGLISH.phrase)
    )
    text = line(parsed(mathml)).replace("−", " − ").replace("( − ", "(−").replace("× − ", "× −").strip()
    text = f"−{text[2:]}" if text.startswith("− ") else text
    assert calculated(text) == pytest.approx(evaluate(expression, value_of), rel=1e-6, abs=1e-9), mathml


@pytest.mark.parametrize(
    ("symbol", "elements"),
    [
        ("Q", "<mi>Q</mi>"),
        ("W_Q", "<msub><mi>W</mi><mi>Q</mi></msub>"),
        ("d_model", "<msub><mi>d</mi><mi>model</mi></msub>"),
        ("σ²_1", "<msubsup><mi>σ</mi><mn>1</mn><mn>2</mn></msubsup>"),
        ("σ²", "<msup><mi>σ</mi><mn>2</mn></msup>"),
        ("S'", "<msup><mi>S</mi><mo>′</mo></msup>"),
        ("W_1'", "<msubsup><mi>W</mi><mn>1</mn><mo>′</mo></msubsup>"),
        ("W_Q(2)", "<msub><mi>W</mi><mi>Q(2)</mi></msub>"),
    ],
)
def test_a_symbol_is_one_element(symbol: str, elements: str) -> None:
    assert mathml_symbol(symbol) == elements


def test_a_fraction_a_root_and_a_transpose() -> None:
    writer = Writer(operand=lambda index: mathml_symbol("QK"[index]), number=number)
    scores = Product((Operand(0), Transposed(Operand(1)))) / sqrt(Number(2))
    assert to_mathml(scores, writer) == (
        "<mfrac><mrow><mi>Q</mi><mo>·</mo><msup><mi>K</mi><mi>⊤</mi></msup></mrow><msqrt><mn>2</mn></msqrt></mfrac>"
    )
    assert to_mathml(Call("sum", (Operand(0),)), writer) == "<mo>∑</mo><mi>Q</mi>"


@pytest.mark.parametrize("name", ["chai", "cooking-training", "fuchs"])
def test_every_formula_is_well_formed(name: str) -> None:
    for value in bundled_trace(name):
        parsed(formula_mathml(value))


def test_a_line_breaks_between_terms_and_a_sign_of_a_number_is_none() -> None:
    elements = to_mathml(
        Sum((Number(-1), Product((Number(2), Number(-3))), Number(4), Number(-5))), Writer(number=number)
    )
    pieces = break_at_signs(elements)
    assert [line(parsed(piece)) for piece in pieces] == ["−1", " + 2 × (−3)", " + 4", "−5"]
    assert ['form="prefix"' in piece for piece in pieces] == [True, True, False, False]
    assert ['form="infix"' in piece for piece in pieces] == [False, True, True, True]
    assert break_at_signs(mathml_symbol("d")) == [mathml_symbol("d")]
