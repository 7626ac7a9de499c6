"""Text, LaTeX and MathML say the same arithmetic, with no brackets but those that it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from tests.calculator import calculated, structure
from tests.examples import some
from tests.expressions.drawing import expressions, value_of
from tests.views.samples import bundled_trace
from walkthrough.explaining.formulas import formula_mathml
from walkthrough.expressions.notations.latex import latex_number, latex_symbol, to_latex
from walkthrough.expressions.notations.mathml import break_at_signs, mathml_number, mathml_symbol, to_mathml
from walkthrough.expressions.notations.text import Writer, to_text
from walkthrough.expressions.tree.evaluate import evaluate
from walkthrough.expressions.tree.nodes import (
    Call,
    Cell,
    Difference,
    Expression,
    Named,
    Negative,
    Number,
    Operand,
    Power,
    Product,
    Quotient,
    Sum,
    Transposed,
    Where,
    exp,
    sqrt,
    square,
)
from walkthrough.languages.catalogue import ENGLISH
from walkthrough.notation import typeset
from walkthrough.operations.positions.sinusoidal import sinusoidal_positions


def digits(number: float) -> str:
    return typeset(f"{number:.9g}")


def latex_digits(number: float) -> str:
    return latex_number(digits(number))


def mathml_digits(number: float) -> str:
    return mathml_number(digits(number))


def with_numbers(digits: Callable[[float], str]) -> Writer:
    return Writer(cell=lambda cell: digits(value_of(cell)), number=digits, phrase=ENGLISH.phrase)


@settings(max_examples=some(6, 100), deadline=None)
@given(expressions())
def test_a_pocket_calculator_gets_the_same_from_each_notation(expression: Expression) -> None:
    """And without any pair of brackets it would read something else."""
    line = to_text(expression, with_numbers(digits))
    latex = to_latex(expression, with_numbers(latex_digits))
    mathml = to_mathml(expression, with_numbers(mathml_digits))
    wanted = pytest.approx(evaluate(expression, value_of), rel=1e-6, abs=1e-9)
    assert calculated(line) == wanted, line
    assert calculated(plain(latex)) == wanted, latex
    assert calculated(on_one_line(mathml)) == wanted, mathml
    for shorter in without_a_pair(line):
        try:
            found = structure(shorter)
        except SyntaxError:
            continue
        assert found != structure(line), f"{line}: {shorter}"


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


def on_one_line(mathml: str) -> str:
    """Elements as a line for the calculator."""
    text = line(parsed(mathml)).replace("−", " − ").replace("( − ", "(−").replace("× − ", "× −").strip()
    return f"−{text[2:]}" if text.startswith("− ") else text


def without_a_pair(line: str) -> Iterator[str]:
    """The line with each pair of brackets left out in turn, but for those that a function's name stands before."""
    opened: list[int] = []
    for at, character in enumerate(line):
        if character == "(":
            opened.append(at)
        elif character == ")":
            begin = opened.pop()
            if begin == 0 or not line[begin - 1].isalpha():
                yield line[:begin] + " " + line[begin + 1 : at] + " " + line[at + 1 :]


def test_a_pair_of_brackets_too_many_is_seen() -> None:
    assert structure("1 + (2×3)") == structure(next(without_a_pair("1 + (2×3)")))
    assert structure("(1 + 2)×3") != structure(next(without_a_pair("(1 + 2)×3")))


x, y, z = (Cell(0, 0, at) for at in range(3))
A, B, C = map(Operand, range(3))
minus = Number(-5)


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        (x * minus + minus * y, "x×(−5) − 5×y"),
        (Sum(()), "0"),
        (Sum((x, Sum((y, z)))), "x + (y + z)"),
        (Sum((Sum((x, y)), z)), "x + y + z"),
        (Where(x, y, z - minus), "y where x ≠ 0, else z − (−5)"),
        (Where(Call("equal", (x, minus)), y, z) + x, "(y where x = −5, else z) + x"),
        (Call("max", (Where(x, minus, y), z)), "max((−5 where x ≠ 0, else y), z)"),
        (Call("abs", (minus,)), "abs(−5)"),
        (Sum((x, y - z)), "x + (y − z)"),
        (x - (y - z), "x − (y − z)"),
        (x - y - z, "x − y − z"),
        (x - minus, "x − (−5)"),
        (Sum((x, Negative(y * z))), "x − y×z"),
        (-(x + y), "−(x + y)"),
        (Negative(-x), "−(−x)"),
        (x / (y * z), "x / (y×z)"),
        (x / (y / z), "x / (y / z)"),
        (x / y / z, "x / y / z"),
        ((x + y) / sqrt(Number(2)), "(x + y) / √2"),
        (square(x + y), "(x + y)²"),
        (square(minus), "(−5)²"),
        (square(square(x)), "(x²)²"),
        (square(exp(x)), "(e^x)²"),
        (square(sqrt(x)), "(√x)²"),
        (sqrt(square(x)), "√(x²)"),
        (sqrt(sqrt(x)), "√(√x)"),
        (exp(x - y), "e^(x − y)"),
        (exp(minus), "e^(−5)"),
        (Power(Number(10000), Number(2) / Number(12)), "10000^(2 / 12)"),
        (
            sinusoidal_positions.formula(0, base=100.0, layout="tensor2tensor", angle="radians"),
            "sin(pos / 100^(i / (d_model / 2 − 1))) and cos(pos / 100^(i / (d_model / 2 − 1)))",
        ),
        (Power(x, Number(12)), "x¹²"),
        (Power(x, minus), "x^(−5)"),
        (Power(x, Number(0.5)), "x^0.5"),
        (x / Number(1e-5), "x / (1×10^(−5))"),
        (exp(Number(1e-5)), "e^(1×10^(−5))"),
        (square(Number(1e9)), "(1×10^9)²"),
        (x * Number(1e9) + Number(1e-5), "x×(1×10^9) + 1×10^(−5)"),
        (Call("log", (x / y,)), "ln(x / y)"),
        (Call("max", (Number(0), x, y)), "max(0, x, y)"),
        (Call("argmax", (Number(3), x, Number(1), y)), "argmax(#3: x, #1: y)"),
        (Product((A, Transposed(B))), "A·Bᵀ"),
        (Product((A, sqrt(Named("d")))), "A×√d"),
        (Product((Number(2), A, B)), "2×A·B"),
        (Product((Number(2) / Named("d"), Named("i"))), "2 / d×i"),
        (Sum((Product((A, B)), C)), "A·B + C"),
        (Product((A + B, C)), "(A + B)·C"),
        (Transposed(A + B), "(A + B)ᵀ"),
        (Call("times", (A, B)) + C, "A ⊙ B + C"),
        (Call("times", (A + B, C)), "(A + B) ⊙ C"),
        (Call("sum", (square(A),)) / (Named("d") - Number(1)), "Σ (A²) / (d − 1)"),
        (A - Call("rowmax", (A,)), "A − row max(A)"),
        (Call("join", (A, B)), "(A, B)"),
        (Call("words", (A, Named(" where "), B)), "A where B"),
        (Call("softmax", (A,)), "softmax(A)"),
    ],
    ids=str,
)
def test_brackets_stand_where_they_are_needed(expression: Expression, line: str) -> None:
    writer = Writer(
        phrase=ENGLISH.phrase,
        cell=lambda cell: "xyz"[cell.column],
        operand="ABC".__getitem__,
        number=lambda number: typeset(f"{number:.5g}"),
        label="#{:g}".format,
    )
    assert to_text(expression, writer) == line


def test_left_alone_the_leaves_say_where_they_are() -> None:
    assert to_text(Quotient(Cell(0, 1, 2), Operand(1)), Writer()) == "[1, 2] / A1"
    assert to_text(Difference(Number(2.5), Number(1)), Writer()) == "2.5 − 1"


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


@pytest.mark.parametrize(
    ("symbol", "elements"),
    [
        ("Q", "<mi>Q</mi>"),
        ("W_Q", "<msub><mi>W</mi><mi>Q</mi></msub>"),
        ("d_model", "<msub><mi>d</mi><mi>model</mi></msub>"),
        ("σ²_1", "<msubsup><mi>σ</mi><mn>1</mn><mn>2</mn></msubsup>"),
        ("σ²", "<msup><mi>σ</mi><mn>2</mn></msup>"),
        ("S'", "<mrow><mi>S</mi><mo>′</mo></mrow>"),
        ("W_1'", "<mrow><msub><mi>W</mi><mn>1</mn></msub><mo>′</mo></mrow>"),
        ("W_Q(2)", "<msub><mi>W</mi><mi>Q(2)</mi></msub>"),
    ],
)
def test_a_symbol_is_one_element(symbol: str, elements: str) -> None:
    assert mathml_symbol(symbol) == elements


def test_a_fraction_a_root_and_a_transpose() -> None:
    writer = Writer(operand=lambda index: mathml_symbol("QK"[index]), number=mathml_digits)
    scores = Product((Operand(0), Transposed(Operand(1)))) / sqrt(Number(2))
    assert to_mathml(scores, writer) == (
        '<mfrac><mrow><mi>Q</mi><mo>·</mo><msup><mi>K</mi><mi mathvariant="normal">T</mi></msup></mrow>'
        "<msqrt><mn>2</mn></msqrt></mfrac>"
    )
    assert to_mathml(Call("sum", (Operand(0),)), writer) == "<mo>∑</mo><mi>Q</mi>"
    weights = Writer(operand=lambda index: mathml_symbol(("W_Q", "S'")[index]), number=mathml_digits)
    above = '<mi mathvariant="normal">T</mi>'
    assert to_mathml(Transposed(Operand(0)), weights) == f"<msubsup><mi>W</mi><mi>Q</mi>{above}</msubsup>"
    assert to_mathml(Transposed(Operand(1)), weights) == f"<msup><mrow><mi>S</mi><mo>′</mo></mrow>{above}</msup>"


@pytest.mark.parametrize("name", ["chai", "cooking-training", "fuchs"])
def test_every_formula_is_well_formed(name: str) -> None:
    for value in bundled_trace(name):
        parsed(formula_mathml(value))


def test_a_line_breaks_between_terms_and_a_sign_of_a_number_is_none() -> None:
    elements = to_mathml(
        Sum((Number(-1), Product((Number(2), Number(-3))), Number(4), Number(-5))), Writer(number=mathml_digits)
    )
    pieces = break_at_signs(elements)
    assert [line(parsed(piece)) for piece in pieces] == ["−1", " + 2 × (−3)", " + 4", "−5"]
    assert ['form="prefix"' in piece for piece in pieces] == [True, True, False, False]
    assert ['form="infix"' in piece for piece in pieces] == [False, True, True, True]
    assert break_at_signs(mathml_symbol("d")) == [mathml_symbol("d")]
